"""The quality of voice by the E-model [ITU-T G.107], written in Python."""

from penstock import own

PACKETS = 20 * own.MILLISECOND  # voice in a packet, which waits at the sender until the packet is full
ROBUSTNESS = 25.1  # packet-loss robustness of G.711 with loss concealment (Bpl) [ITU-T G.113, appendix I]
LATE = 0.01  # share of packets after the 99th percentile of the delay, which the playout buffer drops


@own.metric(unit="1", statistic="mean")
class Mos:
    """Mean opinion score of a voice flow, from 1 (bad) to 4.5, for G.711 with loss concealment.

    The playout delay is the 99th percentile of the delays, and later packets count as lost. The rating R falls with the
    delay as in [Cole and Rosenbluth 2001], and with the loss as in [ITU-T G.107 s7.5], for losses at random.
    """

    def of_flow(self, flow):
        if flow.received_packets == 0 or flow.sent_packets == 0:
            return own.NO_VALUE
        delay = (PACKETS + flow.delay_p99) / own.MILLISECOND
        arrived = 1.0 - flow.lost_packets / flow.sent_packets
        return score(rating(delay, 100.0 * (1.0 - arrived * (1.0 - LATE))))


def rating(delay, loss):
    """Returns the transmission rating R for a delay from mouth to ear in milliseconds and a loss in per cent."""
    from_delay = 0.024 * delay + 0.11 * max(delay - 177.3, 0.0)
    from_loss = 95.0 * loss / (loss + ROBUSTNESS)
    return 93.2 - from_delay - from_loss


def score(rating):
    """Returns the mean opinion score of a rating [ITU-T G.107, annex B]."""
    if rating <= 0.0:
        return 1.0
    if rating >= 100.0:
        return 4.5
    return 1.0 + 0.035 * rating + rating * (rating - 60.0) * (100.0 - rating) * 7e-6

"""FAST TCP [Jin04], a delay-based congestion control, written in Python."""

from penstock import own


@own.congestion_control
class Fast:
    """FAST TCP: moves the window to the one with which `alpha` packets of the connection wait in queues."""

    alpha = own.parameter("number", 8, doc="Packets of the connection that wait in queues (alpha).", changeable=True)
    gamma = own.parameter("weight", 0.5, doc="Part of the way to the new window in a round trip (gamma).")

    waiting: float = own.state(0.0, unit="packets", doc="Estimated packets of the connection that wait in queues.")
    base_rtt: int = own.state(own.NEVER, unit="ps", doc="Minimum of the round-trip times (baseRTT).")
    round_end: int = 0  # the first segment of the next round trip

    def on_ack(self, ack, window):
        if ack.rtt == own.NEVER:
            return
        self.base_rtt = min(self.base_rtt, ack.rtt)
        if not ack.may_grow or ack.app_limited:
            return
        propagating = window.size * self.base_rtt / ack.rtt
        self.waiting = window.size - propagating
        if window.size < window.threshold and self.waiting < self.alpha / 2:
            window.size += ack.newly
        elif ack.acknowledged >= self.round_end:
            self.round_end = ack.next
            smoothed = (1 - self.gamma) * window.size + self.gamma * (propagating + self.alpha)
            window.size = min(2 * window.size, smoothed)
            window.threshold = min(window.threshold, window.size)

    def on_congestion(self, cause, in_flight, window):
        window.threshold = max(in_flight / 2, 2)
        if cause == own.ECN:
            window.size = window.threshold

    def on_timeout(self, in_flight, repeated, window):
        if not repeated:
            window.threshold = max(in_flight / 2, 2)

"""The single-rate three-colour marker [RFC2697], written in Python: the colours of the built-in ``tcm``."""

from penstock import own

BYTE = 8 * own.SECOND  # tokens are counted in bit/s x ps, so that filling and taking are exact
AWARE = 0


@own.meter(name="my-srtcm")
class SrTcm:
    """Single-rate three-colour marker: one rate fills a committed bucket, and an excess bucket while that is full."""

    committed_rate = own.parameter("rate", doc="Rate of the tokens (CIR).", changeable=True)
    committed_burst = own.parameter("bytes", doc="Depth of the committed bucket (CBS), at most 500 kB.")
    excess_burst = own.parameter("bytes", doc="Depth of the excess bucket (EBS), at most 500 kB.")
    mode = own.parameter(
        "choice",
        "colour-blind",
        doc="Whether the colour of an arriving packet matters.",
        words={"colour-aware": "It is never improved.", "colour-blind": "All packets are metered as green."},
    )

    committed: int = 0
    excess: int = 0
    filled_at: int = 0
    fill: float = own.state(0.0, unit="bytes", doc="Level of the committed bucket after the last packet.")

    def on_start(self):
        self.committed = self.committed_burst * BYTE
        self.excess = self.excess_burst * BYTE

    def colour(self, now, packet):
        self.refill(now)
        colour = packet.precedence if self.mode == AWARE else 0
        needed = packet.size * BYTE
        if colour == 0 and self.committed >= needed:
            self.committed -= needed
        elif colour <= 1 and self.excess >= needed:
            self.excess -= needed
            colour = 1
        else:
            colour = max(colour, 2)
        self.fill = self.committed / BYTE
        return colour

    def on_change(self, now):
        self.refill(now)

    def refill(self, now):
        to_committed = self.committed_burst * BYTE - self.committed
        to_excess = self.excess_burst * BYTE - self.excess
        tokens = min(own.mul_div(now - self.filled_at, self.committed_rate, 1), to_committed + to_excess)
        self.committed += min(tokens, to_committed)
        self.excess += max(tokens - to_committed, 0)
        self.filled_at = now

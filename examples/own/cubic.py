"""CUBIC [RFC9438], written in Python: the decisions of the built-in ``cubic`` with its defaults."""

import math

from penstock import own


@own.congestion_control(name="my-cubic")
class Cubic:
    """CUBIC: a window that grows as a cubic function of the time since the last congestion."""

    c = own.parameter("number", 0.4, doc="Aggressiveness of window growth (C), in segments per cubic second.")
    beta = own.parameter("probability", 0.7, doc="Factor by which congestion multiplies the window (beta_cubic).")
    w_max: float = own.state(0.0, unit="segments", doc="Window before the last reduction (W_max).")
    w_est: float = own.state(0.0, unit="segments", doc="Window of Reno, in congestion avoidance (W_est).")
    prior: float = 0.0  # the window before the last reduction (cwnd_prior)
    k: float = -1.0  # seconds until the window is W_max again; negative without W_max
    as_reno: bool = False  # whether W_est grows by one segment in a round trip, as Reno does
    start: int = own.NEVER  # when congestion avoidance began; never outside of it
    last_ack: int = 0

    def on_ack(self, now, ack, window):
        if ack.may_grow:
            if window.size >= window.threshold:
                window.size = self.grown(now, ack, window.size)
            elif not (ack.app_limited and 2.0 * ack.in_flight < window.size):
                window.size += 1.0
            self.last_ack = now

    def grown(self, now, ack, cwnd):
        if self.start == own.NEVER:
            self.start, self.w_est, self.w_max = now, cwnd, cwnd if self.k < 0.0 else self.w_max
            self.k = math.cbrt(max(self.w_max - cwnd, 0.0) / self.c)
        if ack.app_limited:
            self.on_resume(now)
            return cwnd
        self.w_est += (1.0 if self.as_reno else 3.0 * (1.0 - self.beta) / (1.0 + self.beta)) * ack.newly / cwnd
        self.as_reno = self.w_est >= self.prior
        t = (now - self.start) / own.SECOND
        target = min(max(self.w_cubic(t + ack.smoothed / own.SECOND), cwnd), 1.5 * cwnd)
        return max(cwnd, self.w_est) if self.w_cubic(t) < self.w_est else cwnd + (target - cwnd) / cwnd

    def w_cubic(self, t):
        return self.c * (t - self.k) * (t - self.k) * (t - self.k) + self.w_max

    def on_congestion(self, cause, in_flight, window):
        self.prior, self.start, self.k, self.as_reno = window.size, own.NEVER, 0.0, False
        self.w_max = self.prior * (1.0 + self.beta) / 2.0 if self.prior < self.w_max else self.prior
        window.threshold = max(in_flight * self.beta, 2.0)
        window.size = max(in_flight * self.beta, 1.0) if cause == own.ECN else window.size

    def on_timeout(self, in_flight, repeated, window):
        if not repeated:
            self.on_congestion(own.LOSS, in_flight, window)
        self.k = -1.0

    def on_resume(self, now):  # time in which the application had nothing to send does not count
        self.start += max(now - max(self.last_ack, self.start), 0)
        self.last_ack = now

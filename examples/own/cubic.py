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
    k: float = 0.0
    alpha: float = 0.0
    rtt: float = 0.0
    start: int = own.NEVER  # when congestion avoidance began; never outside of it
    last_ack: int = 0
    without_w_max: bool = True

    def on_ack(self, now, ack, window):
        if not ack.may_grow:
            return
        if window.size >= window.threshold:
            self.avoid_congestion(now, ack, window)
        elif not (ack.app_limited and 2.0 * ack.in_flight < window.size):
            window.size = min(window.size + 1.0, float(window.max))
        self.last_ack = now

    def avoid_congestion(self, now, ack, window):
        cwnd = window.size
        if self.start == own.NEVER:
            self.begin(now, cwnd)
        if ack.app_limited:
            self.start += max(now - max(self.last_ack, self.start), 0)
            return
        self.w_est += self.alpha * ack.newly / cwnd
        if self.w_est >= self.prior:
            self.alpha = 1.0
        t = (now - self.start) / own.SECOND
        if self.w_cubic(t) < self.w_est:
            cwnd = max(cwnd, self.w_est)
        else:
            target = min(max(self.w_cubic(t + self.rtt), cwnd), 1.5 * cwnd)
            cwnd = cwnd + (target - cwnd) / cwnd
        window.size = min(cwnd, float(window.max))

    def begin(self, now, cwnd):
        if self.without_w_max:
            self.w_max = cwnd
            self.prior = max(self.prior, cwnd)
        self.k = math.cbrt(max(self.w_max - cwnd, 0.0) / self.c)
        self.alpha = 3.0 * (1.0 - self.beta) / (1.0 + self.beta)
        self.start, self.w_est = now, cwnd

    def w_cubic(self, t):
        d = t - self.k
        return self.c * d * d * d + self.w_max

    def on_congestion(self, cause, in_flight, window):
        reduced = self.reduce(in_flight, window)
        self.without_w_max = False
        if cause == own.ECN:
            window.size = max(reduced, 1.0)

    def on_timeout(self, in_flight, repeated, window):
        if not repeated:
            self.reduce(in_flight, window)
        self.without_w_max = True
        self.start = own.NEVER

    def reduce(self, in_flight, window):
        converges = window.size < self.w_max
        self.w_max = window.size * (1.0 + self.beta) / 2.0 if converges else window.size
        self.prior = window.size
        self.start = own.NEVER
        window.threshold = max(in_flight * self.beta, 2.0)
        return in_flight * self.beta

    def on_rtt_sample(self, smoothed):
        self.rtt = smoothed / own.SECOND

    def on_resume(self, now):
        if self.start != own.NEVER:
            self.start += max(now - max(self.last_ack, self.start), 0)
            self.last_ack = now

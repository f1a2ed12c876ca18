"""Random Early Detection [Floyd93], written in Python: the decisions of the built-in ``red`` with its defaults."""

from penstock import own


@own.discipline(name="my-red")
class Red:
    """Random Early Detection: drops arrivals at random, with a probability that rises with the average queue."""

    limit = own.parameter("limit", doc="Maximum length of the queue, in packets.")
    min_threshold = own.parameter("packets", doc="Average below which nothing is dropped (min_th).", changeable=True)
    max_threshold = own.parameter("packets", doc="Average from which everything is dropped (max_th).", changeable=True)
    max_probability = own.parameter("probability", doc="Drop probability at max-threshold (max_p).", changeable=True)
    weight = own.parameter("weight", 0.002, doc="Weight of an arrival's sample in the average (w_q).")
    mean_packet = own.parameter("bytes", "500 bytes", doc="Mean size of a packet, which converts idle time to packets.")

    drops = own.stream("early-drop")
    average: float = own.state(0.0, unit="packets", doc="Average queue (avg) as of the last arrival.")
    count: int = own.state(0, unit="packets", doc="Arrivals since the last drop (count).")
    above_min: bool = False

    def on_arrival(self, now, queue):
        average = self.average
        if queue.idle_since != own.NEVER:
            missed = own.mul_div(now - queue.idle_since, queue.rate, self.mean_packet * 8 * own.SECOND)
            average *= (1.0 - self.weight) ** missed
        self.average = (1.0 - self.weight) * average + self.weight * queue.packets
        self.count += 1
        verdict = self.decide(queue.packets)
        if not queue.has_room:
            verdict = own.DROP_OVERFLOW
        if verdict != own.ACCEPT:
            self.count = 0
        return verdict

    def decide(self, waiting):
        if self.average < self.min_threshold or waiting <= 1:
            self.above_min = False
        elif self.average >= self.max_threshold:
            return own.DROP_FORCED
        elif not self.above_min:
            self.above_min = True
            self.count = 1
        else:
            span = self.max_threshold - self.min_threshold
            p = self.max_probability * (self.average - self.min_threshold) / span
            if self.drops.chance(spaced(p, self.count)):
                return own.DROP_EARLY
        return own.ACCEPT


def spaced(p, count):
    """Returns the probability that spaces drops evenly, after the wait of 1/p packets [Floyd93 s7]."""
    if count * p < 1.0:
        return 0.0
    return p / (2.0 - count * p) if count * p < 2.0 else 1.0

"""CoDel [RFC8289], written in Python: the decisions of the built-in ``codel`` without ECN."""

import math

from penstock import own


@own.discipline(name="my-codel")
class Codel:
    """CoDel: drops at departure while the sojourn time stays above a target, more often the longer that lasts."""

    limit = own.parameter("limit", "1000 packets", doc="Maximum length of the queue.")
    target = own.parameter("time", "5 ms", doc="Acceptable minimum of the sojourn time (TARGET).", changeable=True)
    interval = own.parameter("time", "100 ms", doc="Time over which the minimum is taken (INTERVAL).", changeable=True)
    mtu = own.parameter("bytes", "1500 bytes", doc="Nothing is dropped while at most this much waits (maxpacket).")

    first_above: int = own.NEVER  # time at which the sojourn time will have been above the target for an interval
    next_drop: int = 0
    count: int = own.state(0, unit="packets", doc="Drops since the dropping state was entered, and some carried over.")
    entry_count: int = 0
    dropping: bool = own.state(False, doc="Whether it is in the dropping state: 1 or 0.")
    just_entered: bool = False
    reschedules: bool = False  # the last packet was dropped in the dropping state

    def on_arrival(self, queue):
        return own.ACCEPT if queue.has_room else own.DROP_OVERFLOW

    def on_departure(self, now, waited, queue):
        above = self.is_above(now, waited, queue.bytes)
        if self.just_entered or not (self.dropping or above):
            self.just_entered = False
            return own.SEND
        if not self.dropping:
            drops = self.count - self.entry_count
            self.count = drops if drops > 1 and now < self.next_drop + 16 * self.interval else 1
            self.next_drop, self.entry_count = self.control_law(now), self.count
            self.dropping, self.just_entered = True, True
            return own.DROP_EARLY
        self.dropping = above
        if self.reschedules and above:
            self.next_drop = self.control_law(self.next_drop)
        self.reschedules = above and now >= self.next_drop
        self.count += self.reschedules
        return own.DROP_EARLY if self.reschedules else own.SEND

    def is_above(self, now, waited, behind):
        if waited < self.target or behind <= self.mtu:
            self.first_above = own.NEVER
        elif self.first_above == own.NEVER:
            self.first_above = now + self.interval
        else:
            return self.first_above <= now
        return False

    def control_law(self, time):
        return time + int(self.interval / math.sqrt(self.count) + 0.5)

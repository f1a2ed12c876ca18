"""Weighted round robin [Katevenis91], written in Python: the order of the built-in ``wrr`` with weights in packets."""

from penstock import own


@own.scheduler(name="my-wrr")
class Wrr:
    """Weighted round robin: classes take turns, and each sends its weight in packets."""

    weight = own.class_parameter("count", doc="Packets that the class may send in a turn.", changeable=True)

    turn: int = own.state(0, doc="Position of the class whose turn it is.")
    credit: int = own.state(0, unit="packets", doc="Packets that it may still send in this turn.")
    busy_until: int = 0  # end of the last transmission

    def on_start(self, queues):
        self.turn = queues.count - 1  # the first class follows

    def next_queue(self, queues):
        while self.credit == 0 or queues.packets[self.turn] == 0:
            self.turn = (self.turn + 1) % queues.count
            self.credit = self.weight[self.turn]
        return self.turn

    def on_backlog(self, now, queues):
        waiting = 0
        for queue in range(queues.count):
            waiting += queues.packets[queue]
        if waiting == 1 and now > self.busy_until:
            self.credit = 0  # the port was idle, which ends the turn

    def on_sent(self, now, size, queues):
        self.credit -= 1
        self.busy_until = now + own.mul_div(16 * size * own.SECOND + queues.rate, 1, 2 * queues.rate)  # rounded half up

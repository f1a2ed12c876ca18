"""Weighted round robin [Katevenis91], written in Python: the order of the built-in ``wrr`` with weights in packets."""

from penstock import own


@own.scheduler(name="my-wrr")
class Wrr:
    """Weighted round robin: classes take turns, and each sends its weight in packets."""

    weight = own.class_parameter("count", doc="Packets that the class may send in a turn.", changeable=True)

    turn: int = own.state(0, doc="Position of the class whose turn it is.")
    credit: int = own.state(0, unit="packets", doc="Packets that it may still send in this turn.")

    def on_start(self, queues):
        self.turn = queues.count - 1  # the first class follows

    def next_queue(self, queues):
        while self.credit == 0 or queues.packets[self.turn] == 0:
            self.turn = (self.turn + 1) % queues.count
            self.credit = self.weight[self.turn]
        return self.turn

    def on_sent(self):
        self.credit -= 1

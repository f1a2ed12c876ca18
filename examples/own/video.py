"""Video in groups of pictures [Rose95], written in Python: the packets of the built-in ``video`` with its defaults."""

import math

from penstock import own

GROUP = (1.0, 0.2, 0.2, 0.6, 0.2, 0.2, 0.6, 0.2, 0.2, 0.6, 0.2, 0.2)  # IBBPBBPBBPBB: sizes over that of the I frame
TOTAL = 1.0 + 3 * 0.6 + 8 * 0.2


@own.source(name="my-video")
class Video:
    """Video: frames of log-normal sizes in groups of pictures, at a mean rate that follows requests."""

    rate = own.parameter("rate", doc="Mean rate, headers included, until another is requested.")
    frame_rate = own.parameter("number", 30, doc="Frames per second.")
    variation = own.parameter("probability", 0.21, doc="Standard deviation of the size of a frame over its mean.")
    packet = own.parameter("bytes", "1200 bytes", doc="Maximum size of a packet on the wire.")

    random = own.stream("frames")
    target: int = 0  # the requested rate, bit/s
    factor: float = 0.0  # size of the frame over the mean of all
    size: int = 0
    place: int = 0  # of the frame in its group
    frame: int = 0
    frame_packet: int = 0
    frame_packets: int = 0

    def on_start(self):
        self.target = self.rate

    def mean_rate(self):
        return self.rate

    def largest_packet(self):
        return self.packet

    def first_packet(self):
        self.place = self.random.below(len(GROUP))
        after = self.random.below(self.interval())
        self.begin_frame()
        return after, self.packet_size()

    def next_packet(self):
        if self.frame_packet + 1 < self.frame_packets:
            self.frame_packet += 1
            return 0, self.packet_size()
        self.place = (self.place + 1) % len(GROUP)
        self.frame = (self.frame + 1) % 65536
        self.begin_frame()
        return self.interval(), self.packet_size()

    def on_rate_request(self, rate):
        self.target = rate
        if self.frame_packet > 0:
            return own.UNCHANGED
        self.divide()
        return self.packet_size()

    def interval(self):
        return int(1.0 / self.frame_rate * own.SECOND + 0.5)

    def begin_frame(self):
        sigma = math.sqrt(math.log1p(self.variation * self.variation))
        radius = math.sqrt(-2.0 * math.log(1.0 - self.random.unit()))
        normal = radius * math.cos(math.tau * self.random.unit())
        self.factor = GROUP[self.place] * len(GROUP) / TOTAL * math.exp(sigma * normal - sigma * sigma / 2.0)
        self.frame_packet = 0
        self.divide()

    def divide(self):
        mean = self.target / 8.0 * (self.interval() / own.SECOND)
        self.size = max(int(mean * self.factor + 0.5), 1)
        self.frame_packets = (self.size + self.packet - 1) // self.packet

    def packet_size(self):
        return self.size // self.frame_packets + int(self.frame_packet < self.size % self.frame_packets)

"""Video in groups of pictures [Rose95], written in Python: the packets of the built-in ``video`` with its defaults."""

import math

from penstock import own

GROUP = (1.0, 0.2, 0.2, 0.6, 0.2, 0.2, 0.6, 0.2, 0.2, 0.6, 0.2, 0.2)  # IBBPBBPBBPBB: sizes over that of I, 4.4 in all


@own.source(name="my-video")
class Video:
    """Video: frames of log-normal sizes in groups of pictures, at a mean rate that follows requests."""

    rate = own.parameter("rate", doc="Mean rate, headers included, until another is requested.")
    frame_rate = own.parameter("number", 30, doc="Frames per second.")
    variation = own.parameter("probability", 0.21, doc="Standard deviation of the size of a frame over its mean.")
    packet = own.parameter("bytes", "1200 bytes", doc="Maximum size of a packet on the wire.")
    random = own.stream("frames")
    target: int = 0  # the requested rate, bit/s
    interval: int = 0  # from frame to frame
    factor: float = 0.0  # size of the frame over the mean of all
    size: int = 0
    place: int = 0  # of the frame in its group
    frame: int = 0
    frame_packet: int = 0
    frame_packets: int = 0

    def mean_rate(self):
        self.target, self.interval = self.rate, int(own.SECOND / self.frame_rate + 0.5)
        return self.rate

    def first_packet(self):
        self.place = self.random.below(len(GROUP))
        return self.random.below(self.interval), self.begin_frame()

    def next_packet(self):
        if self.frame_packet + 1 < self.frame_packets:
            self.frame_packet += 1
            return 0, self.packet_size()
        self.place, self.frame, self.frame_packet = (self.place + 1) % len(GROUP), (self.frame + 1) % 65536, 0
        return self.interval, self.begin_frame()

    def on_rate_request(self, rate):
        self.target = rate
        return self.divide() if self.frame_packet == 0 else own.UNCHANGED

    def begin_frame(self):
        sigma = math.sqrt(math.log1p(self.variation * self.variation))
        normal = math.sqrt(-2.0 * math.log(1.0 - self.random.unit())) * math.cos(math.tau * self.random.unit())
        self.factor = GROUP[self.place] * len(GROUP) / 4.4 * math.exp(sigma * normal - sigma * sigma / 2.0)
        return self.divide()

    def divide(self):
        self.size = max(int(self.target / 8.0 * (self.interval / own.SECOND) * self.factor + 0.5), 1)
        self.frame_packets = (self.size + self.packet - 1) // self.packet
        return self.packet_size()

    def packet_size(self):
        return self.size // self.frame_packets + int(self.frame_packet < self.size % self.frame_packets)

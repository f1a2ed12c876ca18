"""Write a trace of a cellular link in Mahimahi's format, drawn from the model of Sprout (Winstein et al., NSDI 2013).

    python examples/cellular_trace.py 20 > examples/cellular.trace        # 20 s

In that model packets of 1,500 bytes are delivered by a Poisson process. Its rate is a Brownian motion between 0 and
1,000 packets per second with a standard deviation of 200 packets per second after a second. At zero the link is down
for an exponential time with a mean of one second. The rate changes in steps of 20 ms, as there.
"""

import random
import sys
from collections.abc import Iterator

DEVIATION = 200.0
MAXIMUM = 1000.0
ESCAPE_RATE = 1.0
STEP = 0.02


def deliveries(seconds: float, seed: int = 10) -> Iterator[int]:
    """Yields the times of deliveries in milliseconds, with one at the end, from which the trace repeats."""
    draw = random.Random(seed)
    rate, now, down_until = MAXIMUM / 2, 0.0, 0.0
    while now < seconds:
        end = min(now + STEP, seconds)
        if now >= down_until:
            step = draw.gauss(0.0, DEVIATION * STEP**0.5)
            rate = min(rate + step if rate > 0.0 else abs(step), MAXIMUM)
            if rate <= 0.0:
                rate, down_until = 0.0, now + draw.expovariate(ESCAPE_RATE)
            at = now
            while rate > 0.0 and (at := at + draw.expovariate(rate)) < end:
                yield int(at * 1000)
        now = end
    yield round(seconds * 1000)


def main() -> None:
    """Prints a trace of the number of seconds asked for."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for ms in deliveries(float(sys.argv[1])):
        print(ms)


if __name__ == "__main__":
    main()

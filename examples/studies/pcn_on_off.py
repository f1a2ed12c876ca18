"""How deep CL terminates calls that are on and off: a fluid model of one bottleneck, without packets.

    python examples/studies/pcn_on_off.py

prints CL's over-termination (percent of the supportable rate, SR) for the traffic of the `pcn` study. What follows from
it is in the findings of that study (`penstock explain pcn`).

The model: n calls, each on or off as a two-state Markov chain. At a failure, calls are on with probability p. A packet
takes up to 50 ms to the ingress, so its rate there is the mean of what was sent in the last 50 ms, also by calls that
have ended. A bucket of 5 ms at SR marks the excess. The first mark starts 200 ms in which both edges measure: S is the
rate at the ingress, U the unmarked rate. Then a share (S - U) / S of the calls, chosen at random, ends.

Once the load is below SR, fluctuations still exceed it now and then, and each excess ends calls. `settled` follows the
mean of that fall: per window of length W, calls with the mean excess rate of a binomial number of active calls end.
"""

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

STEP = 0.002
DELAY = 0.050
WINDOW = 0.200
DEPTH = 0.005
ON, OFF = 0.340, 0.660


@dataclass(frozen=True)
class Traffic:
    """A kind of calls: SR in rates of an active call, the share of time it is active, and the calls of both loads."""

    name: str
    supportable: float
    share: float
    calls: dict[float, int]


SHARE = ON / (ON + OFF)
CBR = Traffic("CBR", 2000.0, 1.0, {1.25: 2500, 2.0: 4000})
VBR = Traffic("VBR", 0.4 * 109e6 / 64e3, SHARE, {1.25: 2500, 2.0: 4000})
SVD = Traffic("SVD", 0.4 * 4e9 / 12e6, SHARE, {1.25: 500, 2.0: 800})


def simulate(traffic: Traffic, load: float, start: float, seed: int, span: float = 8.0) -> float:
    """Over-termination in percent, `span` seconds after calls arrive that are on with probability `start`."""
    random = np.random.default_rng(seed)
    calls = traffic.calls[load]
    before = round(traffic.supportable / traffic.share / 4)
    on = random.random(calls) < np.where(np.arange(calls) < before, traffic.share, start)
    live = np.ones(calls, dtype=bool)
    sent = deque([before * traffic.share] * round(DELAY / STEP), maxlen=round(DELAY / STEP))
    tokens = room = DEPTH * traffic.supportable
    begun, sending, unmarked = None, 0.0, 0.0
    for step in range(round(span / STEP)):
        if traffic.share < 1:
            draws = random.random(calls)
            on = np.where(on, draws >= STEP / ON, draws < STEP / OFF)
        sent.append(float(np.count_nonzero(on & live)))
        arriving = sum(sent) / len(sent) * STEP
        tokens = min(room, tokens + traffic.supportable * STEP - arriving)
        marked, tokens = max(0.0, -tokens), max(0.0, tokens)
        if begun is None and marked > 0:
            begun, sending, unmarked = step, 0.0, 0.0
        if begun is not None:
            sending, unmarked = sending + arriving, unmarked + arriving - marked
            if step + 1 - begun >= round(WINDOW / STEP):
                ended = math.floor(live.sum() * (1 - unmarked / sending) + 0.5)
                live[random.choice(np.flatnonzero(live), ended, replace=False)] = False
                begun = None
    return 100 * (1 - live.sum() * traffic.share / traffic.supportable)


def settled(traffic: Traffic, time: float, window: float = WINDOW) -> float:
    """Over-termination in percent that fluctuations alone bring about, `time` seconds after the load is at SR."""
    calls, step = traffic.supportable / traffic.share, 0.05
    for _ in range(round(time / step)):
        calls -= _excess(round(calls), traffic) / traffic.share * step / window
    return 100 * (1 - calls * traffic.share / traffic.supportable)


def _excess(calls: int, traffic: Traffic) -> float:
    """Mean of the active calls above SR, of a binomial number."""
    share, total = traffic.share, 0.0
    for active in range(math.floor(traffic.supportable) + 1, calls + 1):
        ways = math.lgamma(calls + 1) - math.lgamma(active + 1) - math.lgamma(calls - active + 1)
        chance = math.exp(ways + active * math.log(share) + (calls - active) * math.log1p(-share))
        total += (active - traffic.supportable) * chance
    return total


def main() -> None:
    print("On at the start:", *(f"{p:>7}" for p in ("always", 0.34, 0.42, 0.5)))
    for traffic in (CBR, VBR, SVD):
        for load in (1.25, 2.0):
            starts = (1.0,) if traffic is CBR else (SHARE, 0.42, 0.5)
            found = [np.mean([simulate(traffic, load, start, seed) for seed in range(5)]) for start in starts]
            blank = "" if traffic is CBR else 8 * " "
            print(f"{traffic.name} at {load:4} SR   ", blank + " ".join(f"{each:7.1f}" for each in found))
    for traffic in (VBR, SVD):
        print(f"{traffic.name}, fluctuations alone, 40 s: {settled(traffic, 40.0):.1f}")


if __name__ == "__main__":
    main()

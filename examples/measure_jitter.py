"""Measure the jitter of this machine: how late timers fire, and how long a packet takes to a process that waits for it.

    python examples/measure_jitter.py
    python examples/measure_jitter.py --samples 20000

The first is what a paced sender sees (timer slack), the second what a receiver sees (a datagram over the loopback
interface, so without the network card, whose coalesced interrupts delay packets further). The last lines are settings
for `transport.tcp`. Only the loopback interface is used.
"""

import argparse
import socket
import statistics
import threading
import time

PERIOD = 1e-3
"""Seconds between two timers, and between two datagrams."""


def timer_slack(samples: int) -> list[float]:
    """How many seconds after its time each timer has fired."""
    late = []
    for _ in range(samples):
        due = time.perf_counter() + PERIOD
        time.sleep(PERIOD)
        late.append(time.perf_counter() - due)
    return late


def wake_up(samples: int) -> list[float]:
    """How many seconds each datagram took to a thread that waits for it."""
    took: list[float] = []
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
    ):
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(1.0)

        def receive() -> None:
            for _ in range(samples):
                try:
                    sent = float(receiver.recv(64))
                except TimeoutError:
                    return
                took.append(time.perf_counter() - sent)

        thread = threading.Thread(target=receive)
        thread.start()
        for _ in range(samples):
            time.sleep(PERIOD)
            sender.sendto(repr(time.perf_counter()).encode(), receiver.getsockname())
        thread.join()
    return took


def show(name: str, seconds: list[float]) -> None:
    """Prints quantiles, and the two distributions that come closest to them."""
    us = sorted(1e6 * each for each in seconds)
    shares = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
    print(f"{name}, {len(us)} samples, microseconds")
    print("  " + "  ".join(f"{share:.0%}: {us[int(share * (len(us) - 1))]:.1f}" for share in shares))
    print(f"  mean: {statistics.fmean(us):.1f}  deviation: {statistics.pstdev(us):.1f}")
    # A fixed delay belongs to the link; only the variation is jitter.
    first, last = us[int(0.05 * (len(us) - 1))], us[int(0.95 * (len(us) - 1))]
    typical = statistics.fmean(each - first for each in us if first <= each <= last)
    print(f'  jitter = {{ uniform = ["0 us", "{last - first:.1f} us"] }}')
    print(f'  jitter = {{ exponential = {{ mean = "{max(typical, 1e-3):.3f} us" }} }}')


def main() -> None:
    """Measures both and prints them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--samples", type=int, default=5000, help="timers and datagrams, a millisecond each")
    samples = parser.parse_args().samples
    show("timer slack", timer_slack(samples))
    show("wake-up of a receiver", wake_up(samples))


if __name__ == "__main__":
    main()

"""The store under random kills, for longer than a test may take, and the cost of keeping a run.

``make stress`` runs it; ``--stores`` and ``--runs`` set the length.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "python"))

PUTS = 10_000


def cost(folder):
    """Time and CPU time of keeping a run, in seconds."""
    from penstock.records import Metric, RunRequest
    from penstock.store import Store, run_key

    metrics = [Metric("delay", {"flow": f"f{i}", "quantile": "0.99"}, "s", 0.1 + i / 7) for i in range(12)]
    store = Store(folder)
    store.prepare()
    begin, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    for number in range(PUTS):
        store.put(run_key("{}", number, 0), RunRequest("", seed=number), "3f" * 16, number, metrics)
    seconds, now = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF)
    assert len(store.manifests()) == PUTS
    processor = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return seconds / PUTS, processor / PUTS


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--stores", type=int, default=20, help="how many stores are filled under kills")
    options.add_argument("--runs", type=int, default=200, help="how many runs each of them is to hold")
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    chosen = options.parse_args()
    from kills import kill_stores

    print(f"seed {chosen.seed}", flush=True)
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", ".")) as name:
        folder = Path(name).absolute()
        seconds, processor = cost(folder / "cost")
        load = os.getloadavg()[0]
        print(
            f"{PUTS} runs kept: {seconds * 1e3:.2f} ms a run by the clock, {processor * 1e3:.2f} ms of the processor "
            f"(load {load:.1f} on {os.cpu_count()} cores)",
            flush=True,
        )
        counts = kill_stores(chosen.stores, chosen.runs, folder / "kills", chosen.seed)
        print(f"{chosen.stores} stores of {chosen.runs} runs: {counts}")
    sys.exit(bool(counts.lost or counts.changed or counts.damaged))


if __name__ == "__main__":
    main()

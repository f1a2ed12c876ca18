"""The Python build computes what the Rust tests' build computes, to the last bit."""

from __future__ import annotations

import re
from pathlib import Path

from penstock import _core

GOLDENS = Path(__file__).parents[2] / "crates" / "penstock-engine" / "tests" / "goldens.rs"

# The golden `three-cbr` of the Rust tests, as a scenario.
THREE_CBR = """
duration = "10 s"
seed = 1

[nodes]
a = {}
b = {}

[[links]]
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "10 ms"
queue.tail-drop = { limit = "5 packets" }

[[flows]]
name = "cbr"
count = 3
from = "a"
to = "b"
source.cbr = { rate = "400 kbit/s", packet = "500 bytes", spacing-jitter = "10 %" }

[[measure]]
metric = "loss"
of = "a-b"
"""


def test_rust_and_python_give_the_same_digest():
    numbers = r"\((\d+), (\d+), (\d+), (\d+), 0x([0-9a-f_]+)\)"
    golden = re.search(r'"three-cbr", three_cbr\(\), ' + numbers, GOLDENS.read_text())
    assert golden is not None
    _sent, received, dropped, hops = (int(number) for number in golden.groups()[:4])
    run = _core.Scenario(THREE_CBR).run(1, 0)
    assert (run.delivered, run.drops, run.packet_hops) == (received, dropped, hops)
    assert run.digest == golden[5].replace("_", "")

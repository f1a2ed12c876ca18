"""A network whose runs are traced and whose state is read over time: three transfers and a voice over RED."""

from __future__ import annotations

import sys

CLI = [sys.executable, "-m", "penstock.cli"]

TEXT = """
duration = "4 s"
[nodes]
hosts = { count = 3 }
r1 = {}
r2 = {}
server = {}
[[links]]
from = "hosts"
to = "r1"
rate = "10 Mbit/s"
delay = "1 ms"
both-ways = true
[[links]]
from = "r1"
to = "r2"
rate = "1 Mbit/s"
delay = "10 ms"
both-ways = true
[links.queue.red]
limit = "20 packets"
min-threshold = "3 packets"
max-threshold = "9 packets"
max-probability = 0.1
weight = 0.2
[[links]]
from = "r2"
to = "server"
rate = "10 Mbit/s"
delay = "1 ms"
both-ways = true
[[flows]]
name = "tcp"
from = "hosts"
to = "server"
source.ftp = {}
transport.tcp = {}
[[flows]]
name = "voice"
from = "hosts[0]"
to = "server"
class = "ef"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
"""

MARKING = TEXT.replace("weight = 0.2\n", "weight = 0.2\necn = true\n").replace(
    "transport.tcp = {}", "transport.tcp = { ecn = true }"
)
"""The same, with packets that are marked."""

"""A network whose links are captured, with each of several queues and kinds of TCP."""

from __future__ import annotations

NET = """
duration = "6 s"
[nodes]
a = {}
r = {}
b = {}
[[links]]
from = "a"
to = "r"
rate = "10 Mbit/s"
delay = "1 ms"
both-ways = true
[[links]]
from = "r"
to = "b"
rate = "1 Mbit/s"
delay = "20 ms"
both-ways = true
QUEUE
[[flows]]
name = "tcp"
from = "a"
to = "b"
count = 2
class = "af1"
source.ftp = {}
transport.tcp = { TCP }
[[flows]]
name = "voice"
from = "a"
to = "b"
class = "ef"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
"""
SHORT = 'queue.tail-drop = { limit = "8 packets" }'
MARKING = """
[links.queue.red]
limit = "20 packets"
min-threshold = "3 packets"
max-threshold = "9 packets"
max-probability = 0.1
weight = 0.2
ecn = true
"""
LOSSY = 'queue.tail-drop = { limit = "30 packets" }\nimpairment.loss = { probability = 0.02 }'

SCENARIOS = {
    "sack": (SHORT, 'variant = "sack"'),
    "new-reno": (SHORT, 'variant = "new-reno"'),
    "reno with delayed acknowledgements": (SHORT, 'variant = "reno", ack-every = 2'),
    "tahoe without SYN": (SHORT, 'variant = "tahoe", syn = false'),
    "loss both ways": (LOSSY, 'variant = "sack"'),
    "ECN": (MARKING, 'variant = "sack", ecn = true, header = "52 bytes"'),
}


def text(scenario: str) -> str:
    """The scenario with the queue and the TCP of this name."""
    queue, tcp = SCENARIOS[scenario]
    return NET.replace("QUEUE", queue).replace("TCP", tcp)

"""The scenario that ``penstock new`` writes."""

from __future__ import annotations

TEMPLATE = """\
# One bottleneck, shared by TCP transfers and a constant stream.
# Try:  penstock check FILE     penstock run FILE --runs 10     penstock explain red
description = "TCP and a constant stream on one 10 Mbit/s link"
duration = "20 s"
warm-up = "2 s"             # nothing before this instant is counted

[nodes]                     # names, or groups with a count
hosts = { count = 4 }
r1 = {}
r2 = {}
sinks = { count = 4 }

[[links]]                   # one link for each host; both-ways adds the way back
from = "hosts"
to = "r1"
rate = "100 Mbit/s"
delay = "1 ms"
both-ways = true

[[links]]                   # the bottleneck; its name is r1-r2
from = "r1"
to = "r2"
rate = "10 Mbit/s"
delay = "10 ms"
both-ways = true
# What the queue drops, and when. 'penstock list discipline' shows the others.
queue.tail-drop = { limit = "50 packets" }

[[links]]
from = "r2"
to = "sinks"
rate = "100 Mbit/s"
delay = "1 ms"
both-ways = true

[[flows]]                   # one flow per member: hosts[i] -> sinks[i]
name = "bulk"
from = "hosts"
to = "sinks"
start = { uniform = ["0 s", "1 s"] }
source.ftp = {}
transport.tcp = { profile = "linux-6" }      # as Linux hosts send; 'penstock explain tcp' lists the settings

[[flows]]
name = "stream"
from = "hosts[0]"
to = "sinks[0]"
source.cbr = { rate = "1 Mbit/s", packet = "500 bytes" }

[[measure]]                 # 'penstock list metrics' shows the others
metric = "goodput"
of = "bulk"

[[measure]]
metric = "goodput"
of = "stream"
"""

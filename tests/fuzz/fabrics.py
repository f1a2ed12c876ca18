"""Random networks of switches: pauses, congestion points, shared buffers, cells, impairments; short and long links."""

from __future__ import annotations

from itertools import pairwise

from networks import _observe

RATES = ["1 Mbit/s", "999999937 bit/s", "1 Gbit/s", "10 Gbit/s", "400 Gbit/s", "unlimited"]
CELL_RATES = ["1 kcells/s", "149.76 Mbit/s", "353207.5 cells/s", "unlimited"]
DELAYS = ["1 ps", "1 ns", "500 ns", "1.5 us", "10 us", {"uniform": ["0 s", "1 us"]}, "1 ms", "1 s", "10 s"]
DURATIONS = ["100 us", "1 ms", "20 ms", "1 s", "30 s"]
OF_PACKETS = ["tail-drop", "red", "red-n", "codel", "cobalt", "pie", "red-marking", "step-marking"]
"""Queues that need no circuits."""
OF_CELLS = ["epd", "ppd", "selective-drop", "fba", "tail-drop"]
PACKETS = ["1 byte", "2 bytes", "40 bytes", "1500 bytes", "9000 bytes"]
SIZES = ["3 kB", "60 kB", "1 MB", "16 MB"]


def fabric(corpus, rng):
    """The tree of a scenario: hosts, a row or a ring of switches, and hosts; a part of the row may carry cells."""
    kind = rng.choice(["bcn", "qcn", None])
    classes = rng.choice([["default"], ["default"], ["storage", "bulk"]])
    switches = [f"w{i}" for i in range(rng.randint(1, 4))]
    nodes = {"h": {"count": rng.randint(1, 4)} | _ends(rng, kind), "s": {"count": rng.randint(1, 2)} | _ends(rng, kind)}
    nodes |= {name: _switch(corpus, rng, kind, classes) for name in switches}
    if kind:
        nodes[rng.choice(switches)]["congestion-point"] = _congestion_point(kind)
    row = ["h", *switches, "s"]
    links = [_link(corpus, rng, a, b) for a, b in pairwise(row)]
    if len(switches) > 2 and rng.random() < 0.3:
        links.append(_link(corpus, rng, switches[-1], switches[0]))
    if len(switches) > 1 and rng.random() < 0.25:
        _carry_cells(corpus, rng, nodes, links, switches)
    flows = [_flow(corpus, rng, number, classes) for number in range(rng.randint(len(classes), 4))]
    for name, flow in zip(classes, flows, strict=False):
        flow["class"] = name
    tree = {
        "duration": rng.choice(DURATIONS),
        "seed": rng.randrange(2**63),
        "nodes": nodes,
        "links": links,
        "flows": flows,
    }
    if rng.random() < 0.3:
        tree["ties"] = "random"
    if rng.random() < 0.3:
        tree["routing"] = "ecmp"
    for _ in range(2):
        _observe(rng, tree)
    return tree


def _ends(rng, kind):
    return {"reaction-point": {kind: {}}} if kind and rng.random() < 0.8 else {}


def _switch(corpus, rng, kind, classes):
    switch = {}
    if rng.random() < 0.7:
        buffer = corpus.component(rng, "buffer")
        (policy,) = buffer.values()
        policy.pop("shares", None)
        if "minimum" in policy:
            policy["minimum"] = "100 bytes"
        policy["size"] = rng.choice(SIZES)
        switch["buffer"] = buffer
    if rng.random() < 0.5:
        switch["pause"] = _pause(rng, classes)
    if kind and rng.random() < 0.3:
        switch["congestion-point"] = _congestion_point(kind)
    if rng.random() < 0.2:
        switch["latency"] = rng.choice(["1 ps", "1 us"])
    if rng.random() < 0.1:
        switch["source-quench"] = {"interval": "1 ms"}
    return switch


def _congestion_point(kind):
    return {kind: {"equilibrium": 16 if kind == "bcn" else "26 kB"}}


def _pause(rng, classes):
    xoff = rng.choice([1, 1500, 9000, 40_000])
    pause = {"xoff": f"{xoff} bytes", "xon": f"{rng.choice([1, xoff])} bytes"}
    if rng.random() < 0.5:
        pause["classes"] = rng.sample(classes, rng.randint(1, len(classes)))
    if rng.random() < 0.3:
        pause["headroom"] = rng.choice(SIZES)
    if rng.random() < 0.3:
        pause["processing"] = rng.choice(["0 s", "1 ps", "1 us"])
    return pause


def _link(corpus, rng, a, b):
    link = {"from": a, "to": b, "rate": rng.choice(RATES), "delay": rng.choice(DELAYS), "both-ways": True}
    chance = rng.random()
    if chance < 0.3:
        link |= {"scheduler": {"fq-codel": {}}, "queue": {"codel": {}}}
    elif chance < 0.7:
        link["queue"] = corpus.component(rng, "queue", OF_PACKETS)
    for key, share in (("impairment", 0.3), ("shaper", 0.1), ("policer", 0.05)):
        if rng.random() < share:
            link[key] = corpus.component(rng, key)
    if rng.random() < 0.2:
        link["weight"] = rng.choice([0.001, 1, 1000])
    if rng.random() < 0.15:
        link["rate-changes"] = [{"at": "50 us", "down": True}]
        if rng.random() < 0.5:
            link["rate-changes"].append({"at": "90 us", "rate": "1 Gbit/s"})
    return link


def _carry_cells(corpus, rng, nodes, links, switches):
    """Lets some links between switches carry cells, and some of the switches between them forward these as they are."""
    for link in links:
        if link["from"] in switches and link["to"] in switches:
            link |= {"cells": True, "rate": rng.choice(CELL_RATES)}
            for key in ("queue", "scheduler", "marker", "shaper", "policer"):
                link.pop(key, None)
            if rng.random() < 0.5:
                link["queue"] = corpus.component(rng, "queue", OF_CELLS)
    for name in switches[1:-1]:
        if rng.random() < 0.7:
            nodes[name] = {"cell-switch": True} | {key: nodes[name][key] for key in ("buffer",) if key in nodes[name]}
    for name in switches:
        for key in (
            "pause",
            "congestion-point",
            "source-quench",
            *([] if "cell-switch" in nodes[name] else ["buffer"]),
        ):
            nodes[name].pop(key, None)
    for name in ("h", "s"):
        nodes[name].pop("reaction-point", None)


def _flow(corpus, rng, number, classes):
    flow = {"name": f"f{number}", "class": rng.choice(classes)}
    flow |= {"from": "h", "to": "s"} if rng.random() < 0.8 else {"from": "s", "to": "h"}
    chance = rng.random()
    if chance < 0.4:
        rate = rng.choice(["1 Mbit/s", "900 Mbit/s", "4 Gbit/s", "40 Gbit/s"])
        flow["source"] = {rng.choice(["cbr", "poisson"]): {"rate": rate, "packet": rng.choice(PACKETS)}}
    elif chance < 0.5:
        flow["source"] = corpus.component(rng, "source", ["packets", "on-off"])
    else:
        flow["source"] = {"ftp": {}} if rng.random() < 0.7 else corpus.component(rng, "source", ["http"])
        flow["transport"] = corpus.component(rng, "transport", ["tcp", "roce"])
    if rng.random() < 0.3:
        flow["start"] = rng.choice(["10 us", {"uniform": ["0 s", "50 us"]}])
    if rng.random() < 0.2:
        flow["count"] = rng.choice([1, 5, 40])
    return flow

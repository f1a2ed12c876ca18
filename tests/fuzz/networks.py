"""Random networks of all components; most are sound."""

from __future__ import annotations

from itertools import pairwise

RATES = ["64 kbit/s", "384 kbit/s", "1.5 Mbit/s", "10 Mbit/s", "155.52 Mbit/s", "1 Gbit/s", "100 Gbit/s"]
DELAYS = ["0 s", "10 us", "1 ms", "3 ms", "30 ms", "1 s", {"uniform": ["1 ms", "100 ms"]}]
DURATIONS = ["10 ms", "200 ms", "1 s", "3 s", "20 s"]


def network(corpus, rng):  # noqa: PLR0912  (each line is a choice)
    """The tree of a scenario: routers in a row or a ring, hosts at the ends, flows and calls between them."""
    routers = [f"r{i}" for i in range(rng.randint(1, 4))]
    hosts = rng.choice([None, 2, 3])
    nodes = {name: {} for name in routers} | {"h": {}, "s": {}}
    if hosts:
        nodes["h"] = {"count": hosts}
        if rng.random() < 0.5:
            nodes["s"] = {"count": hosts}
    for name in routers:
        if rng.random() < 0.15:
            nodes[name] |= _switch(corpus, rng)
    classes = rng.choice([["default"], ["default"], ["default", "ef"], ["a", "b", "c"]])
    row = ["h", *routers, "s"]
    links = [_link(corpus, rng, a, b, classes) for a, b in pairwise(row)]
    if len(routers) > 2 and rng.random() < 0.3:
        links.append(_link(corpus, rng, routers[-1], routers[0], classes))
    tree = {
        "duration": rng.choice(DURATIONS),
        "seed": rng.randrange(100),
        "nodes": nodes,
        "links": links,
        "flows": [_flow(corpus, rng, i, classes) for i in range(rng.randint(1, 4))],
    }
    # A class that nobody sends is a mistake where links name it.
    for number, flow in zip(range(len(classes)), tree["flows"], strict=False):
        flow["class"] = classes[number]
    while len(tree["flows"]) < len(classes):
        tree["flows"].append(_flow(corpus, rng, len(tree["flows"]), classes))
        tree["flows"][-1]["class"] = classes[len(tree["flows"]) - 1]
    if rng.random() < 0.25:
        tree["calls"] = [_calls(corpus, rng, i, classes) for i in range(rng.randint(1, 2))]
    if rng.random() < 0.3:
        tree["ties"] = "random"
    if rng.random() < 0.2:
        tree["routing"] = "ecmp"
    if rng.random() < 0.2:
        tree["warm-up"] = "5 ms"
    if rng.random() < 0.2:
        tree["flows"].append(_matrix(rng, routers, classes))
    _observe(rng, tree)
    if rng.random() < 0.4:
        tree["measure"] = [_measure(corpus, rng, tree) for _ in range(rng.randint(1, 3))]
    return tree


def _switch(corpus, rng):
    switch = {"buffer": corpus.component(rng, "buffer")}
    # Shares go by the names of links, which an example cannot know.
    switch["buffer"].get("static-shares", {}).pop("shares", None)
    if rng.random() < 0.4:
        switch["pause"] = {"xoff": "40 kB", "xon": "20 kB"}
    if rng.random() < 0.4:
        switch["source-quench"] = {"interval": "1 ms"}
    return switch


def _link(corpus, rng, a, b, classes):
    link = {"from": a, "to": b, "rate": rng.choice(RATES), "delay": rng.choice(DELAYS), "both-ways": True}
    chance = rng.random()
    if len(classes) > 1 and chance < 0.5:
        link |= _scheduled(corpus, rng, classes)
    elif chance < 0.8:
        link["queue"] = corpus.component(rng, "queue")
    for key, share in (("marker", 0.15), ("pcn", 0.15), ("policer", 0.1), ("shaper", 0.1), ("impairment", 0.2)):
        if rng.random() < share:
            link[key] = corpus.component(rng, key)
    if rng.random() < 0.2:
        link["weight"] = rng.choice([1, 2, 10, 1000])
    if rng.random() < 0.1:
        link["rate-changes"] = [{"at": "5 ms", "down": True}, {"at": "9 ms", "rate": rng.choice(RATES)}]
    return link


def _scheduled(corpus, rng, classes, depth=0):
    """A scheduler with the keys of its classes; one class may have a scheduler of its own."""
    scheduler = corpus.component(rng, "scheduler")
    (name,) = scheduler
    if name in ("fifo", "fq-codel"):
        return {"scheduler": scheduler} | ({"queue": {"codel": {}}} if name == "fq-codel" else {})
    example = corpus.extras["scheduler", name].get("class", {})
    keys = {
        "wrr": lambda: {"weight": rng.randint(1, 100)},
        "scfq": lambda: {"weight": rng.randint(1, 100)},
        "wf2q-plus": lambda: {"weight": rng.randint(1, 100)},
        "drr": lambda: {"quantum": f"{rng.randint(1500, 9000)} bytes"},
        "cbq": lambda: {"share": rng.choice([0.1, 0.2, 0.3]), "priority": rng.randint(1, 3)},
    }.get(name, lambda: dict(next(iter(example.values()), {})))
    if name == "priority":
        order = list(classes)
        rng.shuffle(order)
        return {"scheduler": {"priority": {"order": order}}}
    tables = {}
    for of in classes:
        tables[of] = keys()
        if rng.random() < 0.5:
            tables[of]["queue"] = corpus.component(rng, "queue")
    if depth == 0 and len(classes) > 2 and rng.random() < 0.4:
        inner = _scheduled(corpus, rng, classes[1:], 1)
        tables = {classes[0]: tables[classes[0]], "below": keys() | inner}
    return {"scheduler": scheduler, "class": tables}


def _matrix(rng, routers, classes):
    """Flows between routers at rates of their own."""
    names = [*routers, "r0"][: max(2, len(routers))]
    entries = [[0 if a == b else rng.choice([0, 0.5, 1, "64 kbit/s", ""]) for b in names] for a in names]
    return {
        "name": "matrix",
        "class": rng.choice(classes),
        "source": {rng.choice(["cbr", "poisson"]): {"rate": rng.choice(RATES[:3]), "packet": "500 bytes"}},
        "matrix": [["", *names], *([name, *row] for name, row in zip(names, entries, strict=True))],
    }


def _observed(tree):
    """Names of what can be observed: nodes, links, flows."""
    links = [f"{link['from']}-{link['to']}" for link in tree["links"]]
    return [*tree["nodes"], *links], [flow["name"] for flow in [*tree["flows"], *tree.get("calls", [])]]


def _observe(rng, tree):
    """Asks for traces and series now and then."""
    if rng.random() < 0.2:
        tree["trace"] = [_trace(rng, tree) for _ in range(rng.randint(1, 2))]
    if rng.random() < 0.3:
        tree["series"] = [_series(rng, tree) for _ in range(rng.randint(1, 3))]


def _trace(rng, tree):
    places, flows = _observed(tree)
    trace = {"start": "1 ms"} if rng.random() < 0.3 else {}
    if rng.random() < 0.5:
        trace["at"] = rng.choice(places)
    if rng.random() < 0.5:
        trace["flows"] = rng.sample(flows, 1)
    if rng.random() < 0.5:
        trace["events"] = rng.sample(["send", "accept", "mark", "drop", "transmit", "receive", "timer", "window"], 3)
    return trace


def _series(rng, tree):
    places, flows = _observed(tree)
    series = {"of": rng.sample([*places, *flows], rng.randint(1, 2)), "sum": rng.random() < 0.3}
    return series | ({"on": "change"} if rng.random() < 0.5 else {"every": rng.choice(["1 ms", "7 ms", "1 s"])})


def _ends(rng):
    return {"from": "h", "to": "s"} if rng.random() < 0.8 else {"from": "s", "to": "h"}


def _flow(corpus, rng, number, classes):
    flow = {"name": f"f{number}"} | _ends(rng) | {"class": rng.choice(classes)}
    flow["source"] = corpus.component(rng, "source")
    if next(iter(flow["source"])) in ("ftp", "http"):
        flow["transport"] = corpus.component(rng, "transport", ["tcp"])
        if rng.random() < 0.7:
            flow["transport"] = {"tcp": {"variant": rng.choice(["tahoe", "reno", "new-reno", "sack"])}}
    if rng.random() < 0.3:
        flow["start"] = rng.choice(["1 ms", {"uniform": ["0 s", "5 ms"]}])
    if rng.random() < 0.1:
        flow["stop"] = "9 ms"
    if rng.random() < 0.2:
        flow["precedence"] = rng.randint(0, 3)
    return flow


def _calls(corpus, rng, number, classes):
    calls = {"name": f"c{number}"} | _ends(rng) | {"class": rng.choice(classes)}
    calls["source"] = corpus.component(rng, "source", ["cbr", "on-off", "codec-mix"])
    calls["arrivals"] = corpus.component(rng, "arrivals")
    calls["holding"] = corpus.component(rng, "holding")
    if rng.random() < 0.5:
        calls["admission"] = corpus.component(rng, "admission")
    if rng.random() < 0.3:
        calls["termination"] = corpus.component(rng, "termination")
    if rng.random() < 0.4:
        calls["initial"] = {"calls": rng.randint(1, 50)}
    if rng.random() < 0.2:
        calls["surge"] = {"at": "5 ms", "calls": rng.randint(1, 50), "spread": "2 ms"}
    return calls


def _measure(corpus, rng, tree):
    flows = [flow["name"] for flow in [*tree["flows"], *tree.get("calls", [])]]
    links = [f"{link['from']}-{link['to']}" for link in tree["links"]]
    measure = {"metric": rng.choice(corpus.metrics), "of": rng.choice([*flows, *links])}
    if rng.random() < 0.2:
        measure["quantiles"] = [0.5, 0.999]
    return measure

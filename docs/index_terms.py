"""Index terms of the pages, which also put the right page first in the search.

The reference page of a component has its name and its second names (``synonyms.toml``), a row of the glossary its
term, and the other pages what ``TERMS`` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes
from sphinx import addnodes

from penstock.explained import SYNONYMS
from penstock.reference import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sphinx.application import Sphinx

TERMS: dict[str, dict[str, str]] = {
    "tutorial": {"Tutorial": "first steps"},
    "gallery": {"Gallery": "examples, plots of studies, bufferbloat"},
    "coming-from": {"Coming from ns-3, OMNeT++, htsim": "ns-3, OMNeT++, htsim"},
    "concepts": {
        "The order within an instant": "simultaneous events, ties",
        "Random numbers": "seed, random numbers, common random numbers",
        "Warm-up and measurement": "warm-up, transient, steady state",
        "Replications and intervals": "replication, confidence interval, runs",
        "Cores": "parallel, threads, cores, jobs",
        "What an agreement is worth": "null model, discrimination",
    },
    "limits": {"What Penstock does not model": "limits, wireless, Wi-Fi"},
    "promises": {"Promises": "reproducibility, determinism, memory limit"},
    "scenario": {
        "Settings from the command line": "settings",
        "pause": "PFC, priority flow control, pause frames, headroom, lossless",
        "Routes": "routing, ECMP, multipath",
        "rate-changes": "link failure, variable rate, Mahimahi, cellular link",
        "outages": "link failure, outage",
        "aggregation": "Wi-Fi, aggregation, airtime, 802.11",
        "parameter-changes": "changes during a run",
        "class.NAME": "traffic class, DSCP, Diffserv",
        "marker": "marker, DSCP",
        "Cells and circuits": "ATM, AAL5, cells, virtual circuit",
        "transport": "TCP, congestion window",
        "RoCE": "RoCE, RDMA",
        "[[transfers]]": "workload, incast, traffic matrix, flow size distribution",
        "[[measure]]": "quantile, percentile, median, metrics",
        "[[links]]": "bandwidth, propagation delay",
        "Backward congestion notification": "BCN, QCN, backward congestion notification",
    },
    "study": {
        "A sweep from the command line": "sweep, parameter sweep, grid",
        "A study file": "study file, comparison, baseline",
        "A picture of it": "plot, figure, CDF",
        "Enough runs, and no more": "precision, stopping rule, number of runs",
    },
    "sensitivity": {
        "Which parameters matter": "sensitivity analysis, Sobol, Morris, screening",
        "The best setting": "optimisation, tuning, search",
    },
    "report": {"Reports": "report, HTML"},
    "store": {
        "The store": "store, cache, stored runs",
        "Failed runs": "failed runs, retry",
        "Several machines": "cluster, Slurm",
        "A Dask cluster": "Dask",
    },
    "trace": {
        "Traces": "packet trace, event log",
        "Captures": "pcap, pcapng, Wireshark, tcpdump, capture",
        "As a page": "animation, view",
    },
    "series": {"Time series": "time series, queue length over time, cwnd over time"},
    "schedulers": {
        "Schedulers": "scheduling, fair queueing",
        "What each promises": "delay bound, latency, worst-case fairness",
        "Shapers and policers": "shaping, policing, rate limiter",
    },
    "stepping": {
        "A run step by step, and learning agents": "what-if, snapshot, step",
        "Agents": "Gymnasium, gym, reinforcement learning, agent",
    },
    "plugins": {"Components in a crate of your own": "plug-in, extension, Rust"},
    "contributing/discipline": {"A queue discipline": "new discipline, AQM of your own"},
    "tcp": {"TCP compared with ns-2": "TCP variants, ns-2"},
    "benchmarks": {"Benchmarks": "speed, performance, memory"},
    "reference/metrics": {"Metrics": "metrics, latency, packet loss, jitter, flow completion time, FCT, fairness"},
    "reference/impairment/loss": {"": "random loss, Bernoulli loss, netem"},
    "reference/impairment/delay": {"": "netem"},
    "reference/transport/tcp": {"": "ECN, explicit congestion notification"},
    "studies/congestion-management": {"": "PFC, DCQCN, TIMELY, HPCC, RoCE"},
}
"""Of a page, the heading (all of it where the text is empty) and its terms."""


def _of_component(name: str) -> list[str]:
    """Its name and its second names, unless they mean a metric that has the same name."""
    is_metric = any(metric["name"] == name for metric in catalogue()["metrics"])
    return [name] + [term for term, names in SYNONYMS.items() if name in names and not is_metric]


def _enter(node: nodes.Element, terms: Iterable[str]) -> None:
    """Puts entries in front of `node` that lead to it."""
    target = nodes.make_id(f"term-{next(iter(terms := list(terms)))}")
    index = addnodes.index(entries=[("single", term, target, "main", None) for term in terms])
    anchor = nodes.target("", "", ids=[target])
    node.insert(0, [index, anchor])


def _add(app: Sphinx, doctree: nodes.document) -> None:
    page = app.env.current_document.docname
    if page == "glossary":
        for row in doctree.findall(nodes.row):
            first = row.next_node(nodes.entry)
            if isinstance(row.parent, nodes.tbody) and first is not None:
                _enter(first, first.astext().split(", "))
        return
    if page.startswith("reference/") and page.count("/") == 2 and not page.endswith("/index"):
        section = doctree.next_node(nodes.section)
        assert section is not None, page
        _enter(section, _of_component(page.rpartition("/")[2]))
    wanted = dict(TERMS.get(page, {}))
    for section in doctree.findall(nodes.section):
        title = section.next_node(nodes.title)
        assert title is not None, page
        text = wanted.pop(title.astext(), None) or wanted.pop("", None)
        if text:
            _enter(section, text.split(", "))
    if wanted:
        raise ValueError(f"{page}.md has no heading called {', '.join(map(repr, wanted))}; see docs/index_terms.py")


def setup(app: Sphinx) -> dict[str, bool]:
    """Adds the entries after each page was read."""
    app.connect("doctree-read", _add)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

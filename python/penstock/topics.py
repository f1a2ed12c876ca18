"""Pages about topics other than components: networks, sizes of transfers, studies, runs, and subjects of the field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.topologies.pages import GENERATORS

if TYPE_CHECKING:
    from penstock.topologies.pages import Generator

_SIZES = {
    "web-search": ("a web search cluster", "Alizadeh10", "1.71 MB"),
    "data-mining": ("a data mining cluster", "Greenberg09", "12.7 MB"),
    "hadoop": ("a Hadoop cluster", "Roy15", "120 kB"),
}
"""The included distributions: source, reference and mean."""

_TOPICS = {
    "sweep": """
Several values after `--set`, separated by commas, make a sweep: each combination is a point with its own runs.

    penstock run net.toml --set 'r1-r2.rate=2 Mbit/s,8 Mbit/s' --set 'r1-r2.queue.tail-drop.limit=10 packets,50 packets'

A study file can do the same and more. All points share their random numbers. See also: study, precision, seed.
""",
    "study": """
A TOML file that names a `scenario` and the settings that vary:

    scenario = "net.toml"
    runs = 10
    [grid]                          # every combination
    r1-r2.rate = ["2 Mbit/s", "8 Mbit/s"]
    [[zip]]                         # values that go together; a name without dots is a label
    scheme = ["drop", "manage"]
    r1-r2.queue = [{ tail-drop = {} }, { codel = {} }]
    [compare]                       # paired differences, run by run
    parameter = "scheme"
    baseline = "drop"
    metrics = ["delay"]

Further tables are `[set]`, `[[list]]`, `[derived]`, `[metrics]` and `[precision]`, and `where` leaves points out.
`penstock run`, `plot`, `report`, `check` and `status` accept a study wherever they accept a scenario. See also: sweep,
precision, warm-up.
""",
    "precision": """
The number of runs. A table shows the mean of independent runs and, after ±, half of its 95 % confidence interval.
`--runs N` makes N runs of each point; in a study, a precision target sets the number (Law's sequential procedure):

    [precision]
    metric = "delay[voice, mean]"
    half-width = "5 %"              # of the mean; or a number with its unit
    least = 30
    most = 1000

A point that misses the target is an error; its numbers are shown first. See also: study, seed, warm-up.
""",
    "warm-up": """
The first part of a run, which is not counted: `warm-up = "5 s"` in a scenario. In a study, MSER-5 finds it:

    warm-up = { mser-5 = "queue[r1-r2, mean]" }

See also: scenario, precision.
""",
    "seed": """
Root of all random numbers: `seed` of a scenario, or `--seed N`. Each run of a point has a replication number, counted
from 0, and random streams of its own; points of one seed share their random numbers run by run, so that differences
between them are paired. A run depends only on scenario, seed, replication and model version. See also: precision,
store.
""",
    "store": """
The folder of finished runs, `$PENSTOCK_STORE` or `--store DIR`. A stored run is never repeated, whichever study needs
it. `penstock status` and `penstock runs` show its contents, `penstock verify` checks it, `penstock gc` removes
leftovers, and `penstock export` and `penstock import` move runs to another machine.
""",
    "jobs": """
Runs are made in parallel on all cores; `--jobs N` sets their number. `--threads N` divides one large run between cores.
`--on` sets the workers: threads, processes or a Dask cluster (extra `cluster`). `penstock slurm` writes a job script
for Slurm. The numbers are the same everywhere. See also: store.
""",
    "plot": """
`penstock plot FILE` draws a scenario, a study or a file of results, as SVG, PDF or PNG:

    penstock plot study.toml --x limit --y 'delay[voice]' --by scheme --out delay.pdf

Kinds (`--kind`): line, bar, cdf, series, heatmap and box. `--log x`, `y` or `xy` makes axes logarithmic; `--width page`
is as wide as both columns of a paper. See also: report, study.
""",
    "report": """
`penstock report FILE` writes a scenario or a study and its results as one HTML page that loads nothing from elsewhere.
See also: plot, study.
""",
    "view": """
`penstock view FILE` writes one HTML page that plays a traced run. See also: trace, series.
""",
    "screen": """
`penstock screen FILE --range PATH=LOW..HIGH` shows which parameters matter over ranges of them, by Morris' or Sobol's
method (extra `sensitivity`). See also: search, study.
""",
    "search": """
`penstock search FILE --range PATH=LOW..HIGH --minimise METRIC` finds the best setting within ranges, and repeats the
best ones with fresh random numbers (extra `search`). See also: screen, study.
""",
    "units": """
Quantities are texts with units: `"5 ms"`, `"10 Mbit/s"`, `"64 kB"`, `"60 packets"`, `"20 %"`. Prefixes are decimal:
1 kB is 1000 bytes. Expressions of a study compute with quantities: `"rtt / 2 - 1 ms"`. See also: study.
""",
    "ecmp": """
Routes have minimum weight (`weight` of links), by default the fewest links. If there are several, `routing = "ecmp"` at
the top of a scenario picks one at each node by a hash of the flow; `routing = "first"` picks the one that is earlier in
the scenario. See also: scenario, link, leaf-spine.
""",
    "graph": """
Networks from files: GraphML, GML and DOT, with rates and delays as attributes of their edges.

    penstock new net.toml --topology graph.graphml --set rate='10 Gbit/s'

See also: leaf-spine, fat-tree, waxman.
""",
    "aqm": """
Active queue management: disciplines that drop or mark before a queue is full. `red`, `adaptive-red`, `red-n`, `codel`,
`cobalt`, `pie`, `red-marking` and `step-marking` are queue disciplines; `fq-codel`, `fq-pie` and `cake`
are schedulers. See also: bufferbloat, ecn.
""",
    "bufferbloat": """
Large buffers that stay full and delay all packets. Compare `tail-drop` limits with `codel`, `pie` and `fq-codel`,
and look at `delay` of a thin flow and at `wait` and `queue` of the link. See also: aqm, wait, queue.
""",
    "ecn": """
Explicit congestion notification [RFC3168]: packets are marked instead of dropped. TCP asks for it with `ecn = true`;
`red`, `adaptive-red`, `red-n`, `codel`, `cobalt` and `pie` mark with `ecn = true`, and `red-marking` and
`step-marking` always do. `marks` and `marking-ratio` count. See also: tcp, dctcp, dcqcn, marks.
""",
    "pcn": """
Pre-congestion notification: meters at links mark, and edges admit and end calls by the marks. Meters (`pcn` of a link)
are `threshold`, `excess` and others; `admission` and `termination` of calls are `cle`, `rfc-6661`, `rfc-6662`, `cl`,
`sm` and others. `penstock reproduce pcn` repeats a published study. See also: calls, threshold, excess.
""",
}


def names() -> list[str]:
    """The names of all topics."""
    return [*_TOPICS, *GENERATORS, *_SIZES]


def page(name: str) -> str | None:
    """The Markdown page of a topic; None if there is none."""
    if name in _TOPICS:
        return f"# {name} (topic)\n{_TOPICS[name]}"
    if name in GENERATORS:
        return _topology(name, GENERATORS[name])
    if name in _SIZES:
        return _sizes(name)
    return None


def _topology(name: str, generator: Generator) -> str:
    settings = [f"- `{key}` (default {value})" for key, value in generator.defaults.items()]
    settings += [f"- `{key}` (may be left out)" for key in generator.optional]
    return (
        f"# {name} (topology)\n\n{generator.what}. This writes a scenario with it, to start from:\n\n"
        f"    penstock new net.toml --topology {name}\n\n"
        "`--set KEY=VALUE` changes a setting; in Python, `penstock.topologies` adds it to a network.\n\n"
        "## Settings\n\n" + "\n".join(settings) + "\n"
    )


def _sizes(name: str) -> str:
    of, source, mean = _SIZES[name]
    return (
        f"# {name} (distribution of sizes)\n\nSizes of transfers in {of} [{source}], with a mean of {mean}. In a "
        f'scenario:\n\n    [[transfers]]\n    size.distribution = "{name}"\n\nSee also: transfers, completion-time, '
        "slowdown.\n"
    )

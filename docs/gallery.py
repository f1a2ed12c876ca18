"""The gallery: studies in ``examples/gallery``, their results in ``docs/gallery``, and the page that shows them.

``python docs/gallery.py`` makes the results again (two minutes), ``python docs/gallery.py NAME`` only these; pages are
drawn from the results that are stored, so that building them runs nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from penstock.plots import picture
from penstock.plots.data import from_json
from penstock.plots.request import PlotRequest
from penstock.printable import command_text
from penstock.template import TEMPLATE

HERE = Path(__file__).parent
STUDIES = HERE.parent / "examples" / "gallery"
RESULTS = HERE / "gallery"


@dataclass(frozen=True)
class Entry:
    """A study: its file, title, findings and plot."""

    name: str
    title: str
    says: str
    request: PlotRequest

    def result(self) -> object:
        """Its stored results."""
        return json.loads((RESULTS / f"{self.name}.json").read_text(encoding="utf-8"))

    def svg(self) -> str:
        """Its picture."""
        return picture(from_json(self.result(), self.name), self.request).content("svg").decode()

    def command(self) -> str:
        """The command that draws it."""
        request = self.request
        words = ["penstock", "plot", f"{self.name}.toml"]
        for option, value in (("kind", request.kind), ("x", request.x), ("by", request.by), ("log", request.log)):
            words += [f"--{option}", value] if value else []
        words += [word for each in request.y for word in ("--y", each)]
        for option, value in (("x-label", request.x_label), ("y-label", request.y_label)):
            words += [f"--{option}", value] if value else []
        return command_text(words)


ENTRIES = (
    Entry(
        "dumbbell",
        "Dumbbell: TCP favours who is near",
        "Four transfers from near and four from far share 10 Mbit/s. At the same distance they get the same; twice as "
        "far from the bottleneck, the far ones get a fifth of it, and 160 ms away a fortieth.",
        PlotRequest(y=("goodput",), x="delay", by="of", log="x", x_label="delay of the far links (ms)"),
    ),
    Entry(
        "parking-lot",
        "Parking lot: every further bottleneck costs",
        "A transfer shares one, two, three or four links in a row with one transfer each; all ways are equally long. "
        "Over one it gets half of it. Behind tail drop the second leaves it a seventh of that, for a reason of its own "
        "that follows; RED leaves it nine times as much over four.",
        PlotRequest(
            y=("goodput[long]",), x="bottlenecks", by="discipline", y_label="goodput of the long transfer (Mbit/s)"
        ),
    ),
    Entry(
        "parking-lot-overhead",
        "Phase effects: the same parking lot, out of step",
        "All packets have one size, so what comes from one full link meets the next one always at the same moment "
        "of a transmission. `penstock trace --at r3-r4` shows it for two bottlenecks: packets of the long transfer "
        "come 2.106 ms after one has begun, packets of the other one 1.110 ms after. The one place that a "
        "transmission frees in a full queue is therefore always taken already: the long transfer loses 3.5 % of its "
        "packets there, the other one 0.12 %. Such phase effects come from the model's regularity [Floyd92]. If "
        "each packet waits before it is sent, at random, for up to one transmission (2.4 ms), the long transfer has "
        "four times as much over two bottlenecks, still behind tail drop.",
        PlotRequest(y=("goodput",), x="bottlenecks", by="of", y_label="goodput (Mbit/s)"),
    ),
    Entry(
        "aqm",
        "Active queue management: the same uploads, a fifth of the delay",
        "Four uploads fill a buffer of 200 ms, and a call behind it is 164 ms late. RED, CoDel and PIE bring that to "
        "40 ms or less, 21 of them on the wires, and at most 3 % of the link are lost by it.",
        PlotRequest(kind="bar", y=("delay[mean]", "utilisation"), x="discipline", x_label="queue discipline"),
    ),
    Entry(
        "buffers",
        "Buffer sizing: the rule of the root",
        "The buffer is a multiple of the product of bandwidth and delay over the root of the number of flows "
        "[Appenzeller04]. At the whole of it the link is busy for 94 % of the time or more, whether 1 flow or 64 share "
        "it; half of it costs the many flows more than the one.",
        PlotRequest(
            y=("utilisation",),
            x="factor",
            by="count",
            log="x",
            x_label="buffer, in multiples of the rule",
            y_label="utilisation (%)",
        ),
    ),
    Entry(
        "voice",
        "Weights for voice: the length of a round matters more than the share",
        "Eight calls need a third of a link under weighted round robin, with five, six or eight packets of voice for "
        "each of bulk traffic. The share changes the delay of voice by 5 ms or so; each packet more of bulk traffic in "
        "a round adds 7 ms, nearly the 8 ms that it takes on the wire.",
        PlotRequest(
            y=("delay[quantile=0.99]",),
            x="bulk-weight",
            by="ratio",
            x_label="bulk packets in a round",
            y_label="delay of voice, 99 % (ms)",
        ),
    ),
    Entry(
        "admission",
        "Admission of calls: the load stops at half the link",
        "Calls ask for up to five times the 6.4 Mbit/s that may be admitted. Single-threshold marking holds the load "
        "within 1 % of that from twice on; further calls are refused.",
        PlotRequest(y=("throughput", "blocking"), x="demand", x_label="demand, in multiples of 6.4 Mbit/s"),
    ),
)


FIRST = Entry(
    "first",
    "Goodput of the transfers and of the stream over the length of the queue",
    "",
    PlotRequest(y=("goodput[bulk]", "goodput[stream]")),
)
"""The picture of the tutorial: the scenario of ``penstock new``, and a sweep of its queue."""
FIRST_RUNS = ("--runs", "10", "--set", "r1-r2.queue.tail-drop.limit=5 packets,10 packets,20 packets,50 packets")


def texts() -> dict[str, str]:
    """The page and its pictures, by their paths below ``docs``."""
    made = {f"generated/gallery/{entry.name}.svg": entry.svg() for entry in (*ENTRIES, FIRST)}
    made["generated/first-picture.md"] = f"![{FIRST.title}](/generated/gallery/{FIRST.name}.svg)\n"
    made["generated/gallery.md"] = "\n".join(_section(entry) for entry in ENTRIES)
    return made


def _section(entry: Entry) -> str:
    study = (STUDIES / f"{entry.name}.toml").read_text(encoding="utf-8")
    return (
        f"## {entry.title}\n\n{entry.says}\n\n![{entry.title}](/generated/gallery/{entry.name}.svg)\n\n"
        f"`examples/gallery/{entry.name}.toml`, for the network in `{entry.name}-network.toml`:\n\n"
        f"```toml\n{study}```\n\n```console\n$ {entry.command()}\n```\n"
    )


def renew(names: list[str]) -> None:
    """Runs studies and stores their results."""
    for name in names or [entry.name for entry in (*ENTRIES, FIRST)]:
        with tempfile.TemporaryDirectory() as folder:
            file, more = STUDIES / f"{name}.toml", ()
            if name == FIRST.name:
                file, more = Path(folder) / f"{name}.toml", FIRST_RUNS
                file.write_text(TEMPLATE, encoding="utf-8")
            words = [sys.executable, "-m", "penstock.cli", "run", str(file), *more, "--format", "json"]
            result = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout
        (RESULTS / f"{name}.json").write_text(result, encoding="utf-8")


if __name__ == "__main__":
    renew(sys.argv[1:])

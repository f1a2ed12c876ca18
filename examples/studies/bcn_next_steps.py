"""Backward congestion notification: the next steps that its slides of 2006 name, each as a small study.

    python examples/studies/bcn_next_steps.py results

runs eight small studies of BCN 2.0 (some minutes on two cores) and writes for each a table, `NAME.json`, and a figure,
`NAME.svg`. They are described in docs/studies/bcn-next-steps.md. Finished runs are kept, so a second call only
draws.
"""

import argparse
import json
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl

import penstock as ps
from penstock.plots import plot
from penstock.statistics import interval
from penstock.store import Store

RUNS = 5
GIGABIT = 1000  # Mbit/s
PORT = ps.TailDrop(limit="300 packets")
ROOM = ps.TailDrop(limit="100000 packets")
WITH, WITHOUT = "BCN", "none"
TCP: dict = {"min_rto": "1 ms", "initial_rto": "10 ms", "max_window": "20000 packets"}

Point = dict[str, object]
"""What was varied, by name."""


class Star:
    """Stations that saturate one port, with the parameters in which the studies differ.

    Parameters
    ----------
    rates : sequence of int
        Of the stations' links, in Mbit/s.
    delays : sequence of str
        Of the stations' links.
    rate : int
        Of the congested port, in Mbit/s.
    managed : bool
        Whether with BCN.
    unit : float
        Rate unit of the limiters (R_u), in Mbit/s.
    messages_lost : float
        Probability that what goes back to a station is lost.
    """

    def __init__(self, *, rates, delays, rate=10 * GIGABIT, managed=True, unit=8.0, messages_lost=0.0):
        self.net = ps.Network()
        point: dict = {"congestion_point": ps.BcnCongestionPoint()} if managed else {}
        limiter = ps.BcnReactionPoint(rate_unit=f"{round(unit * 1e6)} bit/s", floor="1 Mbit/s", limit="1000 packets")
        self.net.node("core", **point)
        self.net.node("sink")
        for number, (own, delay) in enumerate(zip(rates, delays, strict=True), 1):
            name = f"st{number}"
            own_point: dict = {"reaction_point": limiter} if managed else {}
            self.net.node(name, **own_point)
            self.net.link(name, "core", rate=f"{own} Mbit/s", delay=delay, queue=ROOM)
            back: dict = {"impairment": ps.Loss(probability=messages_lost)} if messages_lost else {}
            self.net.link("core", name, rate=f"{own} Mbit/s", delay=delay, queue=ROOM, **back)
        self.net.link("core", "sink", rate=f"{rate} Mbit/s", delay="0.5 us", queue=PORT)
        self.net.link("sink", "core", rate=f"{rate} Mbit/s", delay="0.5 us", queue=ROOM)
        self.stations = [f"st{number}" for number in range(1, len(rates) + 1)]

    def bulk(self, count=10, **transport):
        """Endless transfers from every station."""
        for name in self.stations:
            settings: dict = {"variant": "sack", **TCP, **transport}
            tcp = ps.Tcp(**settings)
            self.net.flows(name, name, "sink", count=count, start=("0 s", "1 ms"), source=ps.Ftp(), transport=tcp)

    def datagrams(self, source):
        """Datagrams that listen to nobody, from every station."""
        for name in self.stations:
            self.net.flows(name, name, "sink", source=source, start=("0 s", "1 ms"), transport=ps.Udp())

    def study(self, ms=200):
        """The study, with what all of them measure."""
        self.net.measure("queue", of="core-sink", sample="50 us")
        self.net.measure("utilisation", of="core-sink")
        self.net.measure("loss", of="core-sink")
        self.net.measure("loss", of=self.stations)
        self.net.measure("throughput", of=self.stations)
        self.net.measure("fairness", of=self.stations, between="groups")
        return random_ties(ps.Study(self.net, duration=f"{ms} ms", warm_up=f"{ms // 4} ms"))


def random_ties(study: ps.Study) -> ps.Study:
    """With links of one rate, a fixed order would let one input win every race for the last place in the queue."""
    return study.vary("ties", ["random"])


SAME = ("0.5 us",) * 4


def dimension() -> Iterator[tuple[Point, ps.Study]]:
    """Feedback with its dimension, R_u = 8 Mbit/s, and normalised, R_u in proportion to the rate of the port."""
    for rate in (1, 10, 40, 100):
        for kind, unit in (("8 Mbit/s", 8.0), ("in proportion", 0.8 * rate)):
            star = Star(rates=[rate * GIGABIT] * 4, delays=SAME, rate=rate * GIGABIT, unit=unit)
            star.bulk()
            yield {"rate (Gbit/s)": rate, "rate unit": kind}, star.study(100 if rate > 10 else 400)


def mixed_rates() -> Iterator[tuple[Point, ps.Study]]:
    """Stations with links of 1 and of 10 Gbit/s at one port of 10 Gbit/s."""
    for slow in range(5):
        for how in (WITHOUT, WITH):
            star = Star(rates=[GIGABIT] * slow + [10 * GIGABIT] * (4 - slow), delays=SAME, managed=how == WITH)
            star.bulk()
            yield {"stations of 1 Gbit/s": slow, "management": how}, star.study()


def asymmetric() -> Iterator[tuple[Point, ps.Study]]:
    """One station of four is farther away than the others."""
    for delay in ("0.5 us", "5 us", "50 us", "500 us"):
        for how in (WITHOUT, WITH):
            star = Star(rates=[10 * GIGABIT] * 4, delays=("0.5 us",) * 3 + (delay,), managed=how == WITH)
            star.bulk()
            yield {"delay of the fourth station": delay, "management": how}, star.study()


def delay_product() -> Iterator[tuple[Point, ps.Study]]:
    """All stations at a distance: the product of bandwidth and delay grows."""
    for delay in (0.5, 5, 50, 500):
        for how in (WITHOUT, WITH):
            star = Star(rates=[10 * GIGABIT] * 4, delays=(f"{delay} us",) * 4, managed=how == WITH)
            star.bulk()
            yield {"delay (us)": delay, "management": how}, star.study()


def bottlenecks() -> Iterator[tuple[Point, ps.Study]]:
    """A station whose frames pass several congested ports, next to stations that pass one each."""
    for hops in (1, 2, 3, 4):
        for how in (WITHOUT, WITH):
            net = ps.Network()
            point: dict = {"congestion_point": ps.BcnCongestionPoint()} if how == WITH else {}
            limiter = ps.BcnReactionPoint(floor="1 Mbit/s", limit="1000 packets")
            own: dict = {"reaction_point": limiter} if how == WITH else {}
            for number in range(hops + 1):
                net.node(f"s{number}", **(point if number < hops else {}))
            rate: dict = {"rate": "10 Gbit/s", "delay": "0.5 us"}
            for number in range(hops):
                net.link(f"s{number}", f"s{number + 1}", queue=PORT, **rate)
                net.link(f"s{number + 1}", f"s{number}", queue=ROOM, **rate)
            ends = [("long", 0, hops)] + [(f"short{number}", number, number + 1) for number in range(hops)]
            for name, begin, end in ends:
                net.node(name, **own)
                net.node(f"{name}-sink")
                for left, right in ((name, f"s{begin}"), (f"s{end}", f"{name}-sink")):
                    net.link(left, right, queue=ROOM, **rate)
                    net.link(right, left, queue=ROOM, **rate)
                tcp = ps.Tcp(variant="sack", **TCP)
                net.flows(name, name, f"{name}-sink", count=10, start=("0 s", "1 ms"), source=ps.Ftp(), transport=tcp)
            net.measure("throughput", of=["long", "short0"])
            net.measure("queue", of="s0-s1", sample="50 us")
            net.measure("utilisation", of="s0-s1")
            net.measure("loss", of="s0-s1")
            study = random_ties(ps.Study(net, duration="200 ms", warm_up="50 ms"))
            yield {"congested ports": hops, "management": how}, study


def bursts() -> Iterator[tuple[Point, ps.Study]]:
    """Datagrams without any congestion control of their own: 120 % of the port, evenly and in bursts of so long."""
    for on in ("even", "10 us", "100 us", "1 ms", "10 ms"):
        for how in (WITHOUT, WITH):
            star = Star(rates=[10 * GIGABIT] * 4, delays=SAME, managed=how == WITH)
            if on == "even":
                star.datagrams(ps.Cbr(rate="3 Gbit/s", packet="1500 bytes", spacing_jitter="10 %"))
            else:
                star.datagrams(ps.OnOff(packet="1500 bytes", spacing="2 us", on=on, off=on))
            yield {"bursts": on, "management": how}, star.study()


def with_tcp() -> Iterator[tuple[Point, ps.Study]]:
    """The congestion control of transports, and none, with and without BCN."""
    kinds: dict[str, dict] = {
        "Reno": {},
        "CUBIC": {"variant": None, "recovery": "sack", "congestion_control": ps.Cubic()},
        "Vegas": {"variant": None, "recovery": "sack", "congestion_control": ps.Vegas()},
    }
    for name, transport in kinds.items():
        for how in (WITHOUT, WITH):
            star = Star(rates=[10 * GIGABIT] * 4, delays=SAME, managed=how == WITH)
            star.bulk(**transport)
            yield {"congestion control": name, "management": how}, star.study()
    for how in (WITHOUT, WITH):
        star = Star(rates=[10 * GIGABIT] * 4, delays=SAME, managed=how == WITH)
        star.datagrams(ps.Cbr(rate="9 Gbit/s", packet="1500 bytes", spacing_jitter="10 %"))
        yield {"congestion control": "none (datagrams)", "management": how}, star.study()


def lost_messages() -> Iterator[tuple[Point, ps.Study]]:
    """Messages get lost: datagrams, so that nothing else goes back to the stations."""
    for lost in (0.0, 0.1, 0.3, 0.5, 0.9, 0.99):
        star = Star(rates=[10 * GIGABIT] * 4, delays=SAME, messages_lost=lost)
        star.datagrams(ps.Cbr(rate="9 Gbit/s", packet="1500 bytes", spacing_jitter="10 %"))
        yield {"messages lost (%)": round(100 * lost)}, star.study()


STUDIES: dict[str, tuple[Callable[[], Iterator[tuple[Point, ps.Study]]], str, str]] = {
    "dimension": (dimension, "deviation (packets)", "line"),
    "mixed-rates": (mixed_rates, "utilisation (%)", "line"),
    "asymmetric": (asymmetric, "Jain's index", "line"),
    "delay-product": (delay_product, "utilisation (%)", "line"),
    "bottlenecks": (bottlenecks, "share of the long way (%)", "line"),
    "bursts": (bursts, "loss (%)", "bar"),
    "with-tcp": (with_tcp, "queue (packets)", "bar"),
    "lost-messages": (lost_messages, "queue (packets)", "line"),
}
"""Each with its points, and what its figure shows."""


def numbers(study: ps.Study, runs: int, jobs: int | None, store: Store) -> dict[str, list[float]]:
    """What the runs of a point gave, by name, a value a run."""
    found: dict[str, list[float]] = {}
    rates: dict[str, list[float]] = {}
    losses = []
    for number in study.runs(runs).result(jobs=jobs, store=store).summaries():
        values, statistic = number.values, number.labels.get("statistic")
        if number.metric == "queue" and statistic == "sampled-mean":
            found["queue (packets)"] = values
        elif number.metric == "queue" and statistic == "sampled-deviation":
            found["deviation (packets)"] = values
        elif number.metric == "utilisation":
            found["utilisation (%)"] = [100 * value for value in values]
        elif number.metric == "loss" and number.labels["of"].startswith("st"):
            losses.append(values)
        elif number.metric == "loss":
            found["loss at the port (%)"] = [100 * value for value in values]
        elif number.metric == "fairness":
            found["Jain's index"] = values
        elif number.metric == "throughput":
            rates[number.labels["of"]] = values
    if "long" in rates:
        both = zip(rates["long"], rates["short0"], strict=True)
        found["share of the long way (%)"] = [100 * long / (long + short) for long, short in both]
    else:
        # What the limiters' queues have no room for is lost too.
        found["loss (%)"] = [100 * statistics.fmean(run) for run in zip(*losses, strict=True)]
        found["least over mean rate"] = [min(run) / statistics.fmean(run) for run in zip(*rates.values(), strict=True)]
    return found


def rows(name: str, runs: int, jobs: int | None, store: Store) -> tuple[list[dict], list[dict]]:
    """The table of a study, a row a point, each number with half its interval; and every number of every run."""
    made, single = [], []
    for point, study in STUDIES[name][0]():
        row = dict(point)
        found = numbers(study, runs, jobs, store)
        for what, values in found.items():
            around = interval(values)
            row |= {what: around.mean, f"{what} half": around.half}
        made.append(row)
        for what, values in found.items():
            own = {**point, "metric": what, "unit": "1"}
            single += [{**own, "replication": number, "value": value} for number, value in enumerate(values)]
    return made, single


def draw(name: str, single: list[dict], folder: Path) -> None:
    """The figure of a study, with 95 % intervals."""
    _, y, kind = STUDIES[name]
    x, *by = next(iter(STUDIES[name][0]()))[0]
    figure = plot(pl.DataFrame(single), x=x, y=y, by=by[0] if by else None, kind=kind)
    figure.savefig(folder / f"{name}.svg")
    figure.savefig(folder / f"{name}.png")


def as_json(table: list[dict]) -> str:
    """A line a row, numbers to four digits."""
    short = [{k: float(f"{v:.4g}") if isinstance(v, float) else v for k, v in row.items()} for row in table]
    return "[\n" + ",\n".join(json.dumps(row) for row in short) + "\n]\n"


def main() -> None:
    """Makes the runs, and writes tables and figures."""
    parser = argparse.ArgumentParser(description="The next steps of backward congestion notification.")
    parser.add_argument("folder", type=Path, help="where tables and figures go")
    parser.add_argument("--only", choices=STUDIES, action="append", help="a study (all)")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"independent runs of each point ({RUNS})")
    parser.add_argument("--jobs", type=int, help="runs at the same time (all cores)")
    parser.add_argument("--store", type=Path, help="where finished runs are kept (FOLDER/runs)")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    store = Store(given.store or given.folder / "runs")
    for name in given.only or STUDIES:
        table, single = rows(name, given.runs, given.jobs, store)
        (given.folder / f"{name}.json").write_text(as_json(table), encoding="utf-8")
        draw(name, single, given.folder)
        print(name, flush=True)
        with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=160):
            print(pl.DataFrame(table).select([c for c in table[0] if not c.endswith(" half")]))


if __name__ == "__main__":
    main()

"""Which simulations the cells of a row stand for."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from penstock.reproductions.reading import Settings
from penstock.reproductions.tables import Row, Table

ADMISSION, FAIRNESS, TERMINATION = "admission", "fairness", "termination"
SINGLE, RTT, PLT = "single", "rtt", "plt"
BEST = 6
"""The case of table B.1 that all tables but B.2 use."""
ALL_CASES = range(1, 7)
TRAFFIC = {"B.4": "CBR", "B.5": "VBR", "B.6": "SVD", "B.8": "CBR", "C.2": "CBR", "C.3": "VBR", "C.4": "SVD"}
"""Of the tables that are about one kind of traffic."""


@dataclass(frozen=True)
class Case:
    """One simulation of the document."""

    kind: str  # `admission`, `fairness` (admission, seen from the start) or `termination`
    traffic: str  # `CBR`, `VBR` or `SVD`
    topology: str  # `single`, `rtt` or `plt`
    size: int = 1  # ingresses of RTT, bottlenecks of PLT
    scheme: str = "STM"  # `STM`, `CL`, or another that mechanisms knows
    parameters: int = BEST  # which case of table B.1 gives STM its CLE threshold and weight
    randomized: bool = False  # whether each packet gets a random extra delay at its source
    load: float = 0.0  # of a termination run, over the supportable rate

    @property
    def phase(self) -> str:
        """Which part of the document's settings is about it: `admission` or `termination`."""
        return TERMINATION if self.kind == TERMINATION else ADMISSION


def cases(settings: Settings, table: Table, row: Row) -> Mapping[str, Case]:
    """The simulations of a row, by the names that its scenarios have; none for table B.1, which has no results."""
    key = row.key
    if table.id == "B.2":
        return _extremes(settings, str(key["traffic"]), str(key["topology"]))
    traffic = TRAFFIC.get(table.id) or str(key.get("traffic"))
    if table.id == "B.3":
        return _pair(Case(ADMISSION, traffic, SINGLE))
    if table.id in ("B.4", "B.5", "B.6"):
        case = Case(ADMISSION, traffic, RTT, int(key["ingresses"]))
        more = {"stm_randomized": replace(case, randomized=True)} if table.id == "B.4" else {}
        return {**_pair(case), **more}
    if table.id.startswith("C."):
        return _overload(settings, table, row, traffic)
    scheme = str(key.get("algorithm"))
    if table.id == "B.7":
        return {"": Case(ADMISSION, traffic, PLT, 5, scheme)}
    bottlenecks = int(str(key["topology"]).removeprefix("PLT")) if table.id == "B.8" else 0
    return {"": Case(FAIRNESS, traffic, PLT, bottlenecks, scheme)} if bottlenecks else {}


def _pair(case: Case) -> dict[str, Case]:
    return {"stm": case, "cl": replace(case, scheme="CL")}


def _extremes(settings: Settings, traffic: str, topology: str) -> dict[str, Case]:
    """The six cases of table B.1, and CL if it counts among them."""
    if topology == "S.Link":
        case = Case(ADMISSION, traffic, SINGLE)
    elif topology == "PLT(c)":
        case = Case(ADMISSION, traffic, PLT, 5)
    else:
        case = Case(ADMISSION, traffic, RTT, int(topology.removeprefix("RTT")))
    named = {f"case{n}": replace(case, parameters=n) for n in ALL_CASES}
    return {**named, "cl": replace(case, scheme="CL")} if settings["extremes.with_cl"] else named


def _overload(settings: Settings, table: Table, row: Row, traffic: str) -> dict[str, Case]:
    printed = float(row.key["load_over_sr"])
    low = min(settings["termination.load_over_supportable_rate"])
    load = settings["termination.low_load"] if printed == low else printed
    case = Case(TERMINATION, traffic, SINGLE, randomized=settings["termination.traffic_randomized"], load=load)
    if table.id == "C.1":
        return _pair(case)
    if table.id in ("C.5", "C.6"):
        return {"": replace(case, topology=PLT, size=5, scheme=str(row.key["algorithm"]))}
    return _pair(replace(case, topology=RTT, size=int(row.key["ingresses"])))

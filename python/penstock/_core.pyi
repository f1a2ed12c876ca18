"""The simulator's core, compiled from Rust."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Final, NotRequired, Self, TypedDict, final, type_check_only

__all__ = [
    "LARGEST_SCENARIO",
    "MODEL_VERSION",
    "PLUGIN_INTERFACE",
    "Cancel",
    "Cancelled",
    "ComponentError",
    "Emulation",
    "Fault",
    "Run",
    "Scenario",
    "ScenarioError",
    "Series",
    "SteppedRun",
    "Trace",
    "catalogue",
    "check",
    "component_functions",
    "component_parameter_kinds",
    "component_views",
    "emulate",
    "emulation_mistakes",
    "escaped",
    "json_schema",
    "key_lines",
    "metrics_with",
    "nearest",
    "scenarios",
    "switch_offloads_off",
    "version",
    "with_arrivals",
]

LARGEST_SCENARIO: Final[int]
PLUGIN_INTERFACE: Final[int]
"""The version of the interface to plug-ins."""
MODEL_VERSION: Final[str]
"""A digest of every crate's sources and of the versions they are built with, in hexadecimal."""

def version() -> str:
    """The version of the core, e.g. "0.1.0"."""

@type_check_only
class Mistake(TypedDict):
    """One mistake in a scenario."""

    file: str
    line: int | None
    path: str
    message: str

@type_check_only
class Counters(TypedDict):
    """Totals of a run between the warm-up and the end."""

    delivered: int
    drops: int
    goodput_bps: float

class ScenarioError(ValueError):
    """A scenario with mistakes."""

    mistakes: list[Mistake]

class Cancelled(Exception):  # noqa: N818
    """A run that was told to stop."""

@final
class Cancel:
    """A flag that stops the runs it was given to."""

    def __new__(cls) -> Self: ...
    def set(self) -> None: ...

@type_check_only
class Division(TypedDict):
    """How a run is divided between cores, and what bounds that."""

    parts: int
    speedup: float
    clusters: int
    most: int
    busiest: str
    share: float

@final
class Run:
    """What one run gave."""

    digest: str
    packet_hops: int
    metrics: list[tuple[str, list[tuple[str, str]], str, float]]
    measured: list[int]
    counters: Counters
    delivered: int
    drops: int
    goodput_bps: float
    threads: int
    events: dict[str, int]
    ports: dict[str, int]
    decided: list[tuple[str, str, str, float]]
    def metrics_from(self, first: int, count: int) -> list[tuple[str, list[tuple[str, str]], str, float]]: ...

@final
class Scenario:
    """A valid scenario."""

    def __new__(
        cls,
        text: str,
        name: str = ...,
        sets: list[tuple[str, str]] = ...,
        folder: str | None = None,
        leave_out: bool = False,
    ) -> Self: ...
    left_out: list[Mistake]
    real_nodes: list[str]
    description: str | None
    canonical: str
    measures: list[str]
    unidentified_components: list[str]
    seed: int
    sizes: tuple[int, int, int]
    memory: int
    window: tuple[float, float]
    has_series: bool
    warnings: list[str]
    headrooms: list[tuple[str, str, int, int | None]]
    def run(
        self,
        seed: int,
        replication: int,
        cancel: Cancel | None = None,
        executor: str = "horizon",
        threads: int = 1,
    ) -> Run: ...
    def division(self, threads: int) -> Division: ...
    def build(self, seed: int, replication: int, threads: int = 1) -> None: ...
    def rows(self) -> list[tuple[str, list[tuple[str, str]], str, bool]]: ...

class ComponentError(ValueError):
    """A component of the user's own that failed during a run."""

@final
class Fault:
    """A call of a hook that failed."""

    @property
    def component(self) -> tuple[str, str]: ...
    @property
    def file(self) -> str: ...
    @property
    def identity(self) -> str: ...
    @property
    def site(self) -> str: ...
    @property
    def packet(self) -> str | None: ...
    @property
    def hook(self) -> str: ...
    @property
    def what(self) -> str: ...
    @property
    def arguments(self) -> list[int]: ...
    @property
    def words(self) -> list[int]: ...
    @property
    def views(self) -> list[list[int]]: ...

@final
class SteppedRun:
    """A run that is advanced step by step."""

    def __new__(
        cls,
        text: str,
        name: str,
        observe: list[tuple[str, str]],
        sets: list[tuple[str, str]] = ...,
        folder: str | None = None,
        seed: int | None = None,
        replication: int = 0,
    ) -> Self: ...
    now: int
    end: int
    units: list[str]
    def run_until(self, until: int) -> None: ...
    def values(self) -> list[float]: ...
    def set(self, path: str, value: str) -> None: ...
    def another(self, seed: int | None, replication: int) -> SteppedRun: ...
    def copy(self) -> SteppedRun: ...
    def finish(self) -> Run: ...

@final
class Series:
    """A run that hands over its time series in batches."""

    def __new__(
        cls,
        scenario: Scenario,
        seed: int,
        replication: int,
        options: list[tuple[str, str | bool | list[str]]],
        cancel: Cancel | None = None,
        executor: str = "horizon",
        threads: int = 1,
        constants: list[tuple[str, int | float | str]] = ...,
    ) -> Self: ...
    columns: list[tuple[str, str, list[str]]]
    def next_batch(self, count: int) -> tuple[int, list[bytes]] | None: ...
    def next_row_group(self, count: int) -> tuple[int, bytes] | None: ...
    def end_parquet(self, metadata: list[tuple[str, str]]) -> bytes: ...

@final
class Trace:
    """A run that hands over its trace in batches."""

    def __new__(
        cls,
        scenario: Scenario,
        seed: int,
        replication: int,
        options: list[tuple[str, str | bool | list[str]]],
        cancel: Cancel | None = None,
        executor: str = "horizon",
        threads: int = 1,
        constants: list[tuple[str, int | float | str]] = ...,
    ) -> Self: ...
    columns: list[tuple[str, str, list[str]]]
    def next_batch(self, count: int) -> tuple[int, list[bytes]] | None: ...
    def next_row_group(self, count: int) -> tuple[int, bytes] | None: ...
    def end_parquet(self, metadata: list[tuple[str, str]]) -> bytes: ...
    def next_captures(self, size: int) -> list[tuple[str, int, bytes]]: ...

@type_check_only
class Choice(TypedDict):
    """An allowed word of a parameter."""

    word: str
    doc: str

@type_check_only
class Type(TypedDict):
    """The type of a value.

    `items` is the type of a list's items; `of` is the kind of thing that a name names, or the kind of a component, and
    `names` has the components of this kind.
    """

    kind: str
    of: NotRequired[str]
    names: NotRequired[list[str]]
    example: NotRequired[str]
    choices: NotRequired[list[Choice]]
    items: NotRequired[Type]

@type_check_only
class Parameter(Type):
    """A parameter of a component, or a key of a section."""

    key: str
    doc: str
    required: bool
    default: NotRequired[str]
    range: NotRequired[str]
    changeable: NotRequired[bool]

@type_check_only
class Variable(TypedDict):
    """A state variable of a component, for time series."""

    name: str
    unit: str
    doc: str

@type_check_only
class Classes(TypedDict):
    """The parameters of a scheduler's classes."""

    doc: str
    parameters: list[Parameter]

@type_check_only
class Setting(TypedDict):
    """A parameter that a profile sets; `unless` has the `path` and the `value` that exclude it."""

    path: str
    value: str
    unless: NotRequired[dict[str, str]]

@type_check_only
class Profile(TypedDict):
    """A named set of parameters."""

    name: str
    settings: list[Setting]

@type_check_only
class Component(TypedDict):
    """A component, as the core declares it."""

    name: str
    summary: str
    doc: str
    parameters: list[Parameter]
    state: NotRequired[list[Variable]]
    classes: NotRequired[Classes]
    profiles: NotRequired[list[Profile]]

@type_check_only
class Part(TypedDict):
    """A key of a section that holds components or further sections."""

    key: str
    doc: str
    takes: str
    of: str
    required: bool

@type_check_only
class Section(Component):
    """A table of a scenario."""

    path: str
    parts: list[Part]

_Metric = TypedDict(
    "_Metric",
    {
        "name": str,
        "unit": str,
        "doc": str,
        "applies-to": list[str],
        "take": list[str],
        "default-take": list[str],
        "quantiles": bool,
        "by": list[str],
    },
)
"""A metric: its name, unit and documentation, and what its measurement accepts."""

@type_check_only
class Catalogue(TypedDict):
    """Everything that a scenario can contain; components by kind."""

    components: dict[str, list[Component]]
    metrics: list[_Metric]
    state: list[Component]
    sections: list[Section]

def check(text: str, name: str = ..., sets: list[tuple[str, str]] = ..., folder: str | None = None) -> list[Mistake]:
    """All mistakes of a scenario; none if it is sound."""

def catalogue(file: str | PathLike[str] | None = None) -> str:
    """Every component, metric and section, as JSON; with the components of a Python file if it is given."""

def metrics_with(kind: str) -> list[str]:
    """The names of the metrics of a kind: `ratio`, `part`, `of-finished`, or `counts-finished`."""

def nearest(name: str, allowed: list[str]) -> str | None:
    """The allowed name nearest to one that does not exist, if one is near enough."""

def escaped() -> list[tuple[str, str]]:
    """Ranges of the characters that are shown escaped, each with its first and last character."""

def key_lines(text: str) -> list[tuple[list[str], int]]:
    """The keys of a TOML text with their lines, counted from 1; nothing if the text is not TOML."""

def json_schema(file: str | PathLike[str] | None = None) -> str:
    """The JSON Schema of a scenario; with the components of a Python file if it is given."""

def scenarios(
    text: str, name: str, sets: Sequence[Sequence[tuple[str, str]]], folder: str | None = None
) -> list[Scenario | list[Mistake]]:
    """What many settings make of one scenario, in their order: scenarios, with `left_out`, or their mistakes."""

def component_functions() -> list[tuple[str, str, int]]:
    """The functions that hooks may call: symbol, signature, and address of each."""

def component_parameter_kinds() -> list[str]:
    """The kinds of parameters that a component may declare."""

def component_views() -> list[tuple[str, list[tuple[str, str, int, bool]]]]:
    """The views of hooks; of each field the name, ``f`` or ``i``, how many words it has, and whether hooks write it."""

def with_arrivals(scenario: Scenario, groups: list[str], mtu: int, log: str | None) -> Scenario:
    """The scenario whose `groups` send only packets from outside, of up to `mtu` bytes; `log` is CSV of known ones."""

def emulation_mistakes(scenario: Scenario, real: list[str], groups: list[str]) -> list[str]:
    """Why flows of `groups` cannot carry packets between the nodes `real`; empty if they can."""

@final
class Emulation:
    """An emulation that has ended; lateness in seconds at the quantiles 0.5, 0.99 and 0.999, and its maximum."""

    run: Run
    injected: int
    copied: int
    delivered: int
    marked: int
    dropped: int
    in_flight: int
    unsent: int
    not_carried: int
    unread: int
    lateness: list[float] | None
    late: int
    overloaded_at: float | None
    log: str | None

def emulate(
    scenario: Scenario,
    seed: int,
    replication: int,
    real: list[str],
    groups: list[str],
    namespace: PathLike[str],
    interfaces: list[str],
    ends_on_overload: bool,
    keeps_log: bool,
    cancel: Cancel,
    started: Callable[[], object],
) -> Emulation:
    """Runs an emulation in real time, and calls `started` at its beginning; only on Linux."""

def switch_offloads_off(namespace: PathLike[str], name: str) -> list[str]:
    """Switches offloads of an interface off; returns those that it does not have. Only on Linux."""

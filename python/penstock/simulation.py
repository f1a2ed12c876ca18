"""A run that is advanced step by step, for what-if studies, optimisation and learning agents."""

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from penstock import _core, toml
from penstock.errors import ArgumentError, InputError, core_faults, numbers_of_run
from penstock.memory import require
from penstock.printable import printable_lines, quoted, utf8
from penstock.records import Metric, RunRequest, RunResult
from penstock.studies.expression import ARITHMETIC, RELATIONS, Expression, parse
from penstock.studies.quantity import ExpressionError, Quantity, dimension_of, read_quantity

Function = Callable[[Sequence[float]], float]

_OBSERVED = re.compile(
    r"\s*(?P<what>[\w.-]+)\s*\[(?P<of>[^\[\]]+(?:\[\d+\])?[^\[\]]*)\]\s*(?P<step>per\s+step)?\s*", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Observation:
    """A variable of a link, node or group of flows."""

    of: str  # name of a link, node or group of flows, as in `[[series]]`
    what: str  # variable, such as `"queue"` or `"queue.red.average"`
    per_step: bool = False  # whether to take its increase since the step before

    @classmethod
    def read(cls, text: str) -> Self:
        """Reads ``"queue[r1-r2]"`` or ``"drops[r1-r2] per step"``; raises InputError."""
        found = _OBSERVED.fullmatch(text)
        if found is None:
            raise InputError(
                f"observation {quoted(text)}: write a variable and of what, such as 'queue[r1-r2]', "
                "or 'drops[r1-r2] per step' for the increase of a counter."
            )
        return cls(found["of"].strip(), found["what"], found["step"] is not None)


def read_observations(given: Sequence[str] | Mapping[str, str]) -> dict[str, Observation]:
    """Returns observations by name; in a sequence each is its own name."""
    listed = [given] if isinstance(given, str) else given
    texts = listed if isinstance(listed, Mapping) else {text: text for text in listed}
    return {name: Observation.read(text) for name, text in texts.items()}


def reward_function(text: str, units: Mapping[str, str]) -> tuple[tuple[str, ...], Function]:
    """Compiles an expression of observations; returns the names in it, in order, and a function of their values.

    The function returns the reward in base units (s, bit, bit/s, packets); `units` has the unit of each observation.
    Raises InputError if the text cannot be read, its units do not match, or a name is not observed.
    """
    try:
        expression = parse(text)
        names = tuple(dict.fromkeys(expression.names()))
        for name in names:
            if name not in units:
                raise InputError(f"reward: {quoted(name)} is not observed; one of {', '.join(units)}.")
        one = {name: Quantity(*dimension_of(units[name])) for name in names}
        # Any value shows whether units match; zero differences would be divided by.
        trial = {name: Quantity(value.value * (3 + i), value.dimension) for i, (name, value) in enumerate(one.items())}
        try:
            expression.evaluate(trial.__getitem__)
        except ExpressionError as error:
            if "division by zero" not in str(error) and "square root" not in str(error):
                raise
    except ExpressionError as error:
        raise InputError(f"reward: {error}.") from None
    positions = {name: (i, float(one[name].value)) for i, name in enumerate(names)}
    return names, _compiled(expression, positions)


def _compiled(node: Expression, positions: Mapping[str, tuple[int, float]]) -> Function:
    """A function of plain numbers in base units; conditions are 1 and 0."""
    if node.kind == "value":
        if not isinstance(node.value, Quantity):
            raise InputError("reward: a text is no number.")
        constant = float(node.value.value)
        return lambda _: constant
    if node.kind == "name":
        place, scale = positions[node.what]
        return (lambda values: values[place]) if scale == 1 else (lambda values: values[place] * scale)
    function = _FUNCTIONS[node.what or node.kind]
    parts = [_compiled(operand, positions) for operand in node.operands]
    return lambda values: float(function(*(part(values) for part in parts)))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **RELATIONS,
    **ARITHMETIC,
    "/": lambda above, below: above / below if below else math.nan,
    "and": lambda left, right: bool(left) and bool(right),
    "or": lambda left, right: bool(left) or bool(right),
    "minus": operator.neg,
    "not": operator.not_,
    "min": lambda *values: min(values),
    "max": lambda *values: max(values),
    "sqrt": lambda value: math.sqrt(value) if value >= 0 else math.nan,
    "abs": abs,
    "round": lambda value: math.floor(value + 0.5),
    "floor": math.floor,
    "ceil": math.ceil,
}
_SECOND = 10**12


class Snapshot:
    """The state of a simulation at an instant; see :meth:`Simulation.snapshot`."""

    __slots__ = ("_before", "_of", "_run", "_values", "now")

    def __init__(self, run: _core.SteppedRun, before: list[float], values: list[float], of: object) -> None:
        self._run = run
        self._before = before
        self._values = values
        self._of = of
        self.now: float = run.now / _SECOND
        """Simulated time in seconds."""

    def __reduce__(self) -> Any:
        raise ArgumentError(
            "a snapshot cannot be pickled or copied: restore it as often as wanted, in the process that made it."
        )


class Simulation:
    """One run of a scenario, advanced step by step.

    Stopping, reading and snapshots change no number: the digest is that of the same run in one go. Setting a
    parameter makes another run, which depends only on scenario, seed, replication, and the settings with their times.
    Counting begins at the start; the scenario's warm-up is ignored.

    `name`, `folder`, `sets`, `seed` and `replication` are as for :class:`penstock.rows.RowStream`.

    Parameters
    ----------
    scenario : str
        TOML text of the scenario, such as that of :meth:`penstock.network.Network.toml`.
    observe : sequence of str, or mapping of str to str
        What :meth:`state` returns, such as ``["queue[r1-r2]", "drops[r1-r2] per step"]``, or names for these. Variables
        are as in ``[[series]]``. Amounts are added up over members, classes and queues, times and shares averaged.
        Rates are averages over the step.

    Attributes
    ----------
    end : float, s
        End of the run in simulated time.
    units : dict of str to str
        Unit of each observation.

    Raises
    ------
    ScenarioError
        If the scenario has mistakes.
    InputError
        If an observation does not exist.

    Examples
    --------
    >>> import penstock as ps
    >>> net = ps.Network()
    >>> a, b = net.node("a"), net.node("b")
    >>> red = ps.Red(limit="50 packets", min_threshold="5 packets", max_threshold="15 packets", max_probability=0.1)
    >>> net.link(a, b, rate="1 Mbit/s", delay="10 ms", queue=red)
    >>> net.flows("voice", a, b, count=12, source=ps.PoissonSource(rate="90 kbit/s", packet="500 bytes"))
    >>> sim = ps.Simulation(net.toml(duration="10 s"), observe=["queue[a-b]", "drops[a-b] per step"])
    >>> sim.step_until("1.5 s")
    >>> before = sim.snapshot()
    >>> sim.set("a-b.queue.red.max-probability", 0.5)
    >>> sim.step_until("3 s")
    >>> sim.restore(before)
    >>> sim.now
    1.5
    """

    def __init__(
        self,
        scenario: str,
        *,
        observe: Sequence[str] | Mapping[str, str] = (),
        name: str = "scenario",
        folder: str | None = None,
        sets: Sequence[tuple[str, str]] = (),
        seed: int | None = None,
        replication: int = 0,
    ) -> None:
        self._observations = read_observations(observe)
        self._run, seed = started(scenario, self._observations.values(), name, folder, sets, seed, replication)
        self._request = RunRequest(scenario, tuple(sets), seed, replication, Path(name).stem, folder=folder)
        self.end: float = self._run.end / _SECOND
        self.units: dict[str, str] = dict(zip(self._observations, self._run.units, strict=True))
        advance(self._run, 0)
        self._before = self._run.values()
        self._values = [0.0 if each.per_step else value for each, value in self._pairs(self._before)]

    @property
    def now(self) -> float:
        """Simulated time in seconds, up to which all events have happened."""
        return self._run.now / _SECOND

    def step_until(self, time: str | float) -> None:
        """Runs up to and including `time`, a text such as ``"1.5 s"`` or a number of seconds; never beyond the end.

        If Ctrl-C interrupts it, :attr:`now` is `time` already, and the next step or result finishes the rest.
        """
        until = picoseconds("time", time)
        if until < self._run.now:
            raise ArgumentError(
                f"time: {time} is before {self.now:g} s, up to where the run has come; restore a snapshot."
            )
        self._advance(until)

    def _advance(self, until: int) -> None:
        advance(self._run, min(until, self._run.end))
        values = self._run.values()
        self._values = [
            value - before if each.per_step else value
            for (each, value), before in zip(self._pairs(values), self._before, strict=True)
        ]
        self._before = values

    def step(self, duration: str | float) -> None:
        """Runs for `duration`, a text such as ``"10 ms"`` or a number of seconds; never beyond the end."""
        self._advance(self._run.now + picoseconds("duration", duration))

    def state(self) -> dict[str, float]:
        """Returns the value of each observation at :attr:`now`, in :attr:`units`; NaN where there is none yet."""
        return dict(zip(self._observations, self._values, strict=True))

    def set(self, parameter: str, value: str | float) -> None:
        """Sets a parameter that may change during a run, from the next instant on.

        It is a path such as ``"r1-r2.queue.red.max-probability"`` or
        ``"web.transport.tcp.congestion-control.cubic.beta"``, which ``penstock explain`` marks; `value` has its unit if
        it has one. Raises ArgumentError if it does not exist, may not change, or the value is not allowed; then nothing
        has changed.
        """
        if self._run.now >= self._run.end:
            raise ArgumentError(f"{quoted(parameter)}: the run is at its end; restore a snapshot.")
        try:
            self._run.set(utf8(parameter), utf8(value if isinstance(value, str) else toml.value(value)))
        except ValueError as error:
            raise ArgumentError(f"{quoted(parameter)}: {printable_lines(str(error))}.") from None

    def snapshot(self) -> Snapshot:
        """Returns the present state, which :meth:`restore` goes back to as often as wanted."""
        return Snapshot(self._run.copy(), self._before, self._values, self._of)

    def restore(self, snapshot: Snapshot) -> None:
        """Goes back to a state; raises ArgumentError if it is of another run or of other observations."""
        if snapshot._of != self._of:
            raise ArgumentError("snapshot: is of another run, or of other observations.")
        self._run, self._before, self._values = snapshot._run.copy(), snapshot._before, snapshot._values

    def result(self) -> RunResult:
        """Runs to the end, and returns the numbers of the run and its digest."""
        self._advance(self._run.end)
        with core_faults():
            made = self._run.finish()
        metrics = [Metric(name, dict(labels), unit, value) for name, labels, unit, value in made.metrics]
        return RunResult(self._request, metrics, made.digest, made.packet_hops, threads=1, window=(0.0, self.end))

    def __reduce__(self) -> Any:
        raise ArgumentError(
            "a simulation cannot be pickled or copied: make it again from its scenario, or go back to a snapshot."
        )

    @property
    def _of(self) -> object:
        """What snapshots must have in common with the simulation."""
        return self._request, list(self._observations.values())

    def _pairs(self, values: Sequence[float]) -> list[tuple[Observation, float]]:
        return list(zip(self._observations.values(), values, strict=True))


def started(
    scenario: str,
    observations: Iterable[Observation],
    name: str = "scenario",
    folder: str | None = None,
    sets: Sequence[tuple[str, str]] = (),
    seed: int | None = None,
    replication: int = 0,
) -> tuple[_core.SteppedRun, int]:
    """Returns a run of the core at its beginning, and its seed; see :class:`Simulation`."""
    observed = list(observations)
    asked = [(each.of, each.what) for each in observed]
    try:
        with core_faults():
            read = _core.Scenario(scenario, utf8(name), list(sets), folder)
            require([(name, read.memory)], 1)
            seed, replication = numbers_of_run(read.seed if seed is None else seed, replication)
            run = _core.SteppedRun(scenario, utf8(name), asked, list(sets), folder, seed, replication)
        return run, seed
    except LookupError as error:
        position, why = error.args
        each = observed[position]
        raise InputError(f"observation {quoted(f'{each.what}[{each.of}]')}: {printable_lines(why)}.") from None


def advance(run: _core.SteppedRun, until: int) -> None:
    """Runs up to and including `until`, in picoseconds; raises PenstockError if a component of the user's own fails."""
    with core_faults():
        run.run_until(until)


def picoseconds(what: str, time: str | float) -> int:
    """Returns a time as an integer, from a text with a unit or a number of seconds."""
    if isinstance(time, str):
        quantity = read_quantity(time)
        if quantity is None or quantity.dimension != (("s", 1),) or quantity.value < 0:
            raise ArgumentError(
                f"{what}: {quoted(time)} is no time; write a number and a unit, such as '1.5 s' or '10 ms'."
            )
        return round(quantity.value * _SECOND)
    if not 0 <= time < float("inf"):
        raise ArgumentError(f"{what}: {time} is no time in seconds; it is a number from 0 on.")
    # Beyond any run; a float of picoseconds must stay finite.
    return round(min(time, 1e20) * _SECOND)

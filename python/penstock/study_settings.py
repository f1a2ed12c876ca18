"""Settings of a study: its network, what varies and its aims."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from penstock.arguments import named
from penstock.drawing import summary_html
from penstock.errors import ArgumentError
from penstock.network import Network
from penstock.printable import quoted, things
from penstock.records import MOST_RUNS
from penstock.short_values import short_values, value_text
from penstock.studies.definition import Definition
from penstock.studies.derived import When
from penstock.toml import native

_VALUES = 6  # maximum number of values of a parameter that a notebook shows


@dataclass(frozen=True, init=False)
class StudySettings:
    """The settings of a study; its methods return changed copies.

    Parameters
    ----------
    network : Network
        The network to simulate.
    duration : str, s
        Length of a run, such as ``"100 s"``.
    warm_up : str, s, optional
        Beginning of a run that is not counted; none by default.
    seed : int, optional
        Root of the random streams; 1 by default.
    description : str, optional
        One sentence for readers.
    name : str
        Name of the study in results.
    replications : int
        Number of independent runs; see :meth:`runs`.
    definition : Definition, optional
        What varies; see :meth:`vary`.
    aims : dict, optional
        Precision target, warm-up rule and metrics; see :meth:`precision`, :meth:`find_warm_up` and :meth:`metric`.
    """

    network: Network
    duration: str
    warm_up: str | None
    seed: int | None
    description: str | None
    name: str
    replications: int
    definition: Definition
    aims: dict[str, Any]

    @named(of="Study")
    def __init__(
        self,
        network: Network,
        duration: str,
        warm_up: str | None = None,
        seed: int | None = None,
        description: str | None = None,
        name: str = "study",
        replications: int = 5,
        definition: Definition | None = None,
        aims: Mapping[str, Any] | None = None,
    ) -> None:
        if replications < 1:
            raise ValueError(f"a study needs at least one run, not {replications}")
        if replications > MOST_RUNS:
            raise ValueError(f"a study has at most {MOST_RUNS} runs, not {replications}")
        self.__dict__.update(network=network, duration=duration, warm_up=warm_up, seed=seed, description=description)
        self.__dict__.update(name=name, replications=replications, definition=definition or Definition())
        self.__dict__.update(aims=dict(aims or {}))

    def __repr__(self) -> str:
        varies = [*self.definition.grid, *(name for table in self.definition.zips for name in table)]
        parts = [self.duration, *([f"warm-up {self.warm_up}"] if self.warm_up else [])]
        parts += [things(self.replications, "run"), *([f"varies {', '.join(varies)}"] if varies else [])]
        return f"<Study {self.name!r}: {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        definition = self.definition
        axes = {**definition.grid, **{name: values for table in definition.zips for name, values in table.items()}}
        rows = [
            ("duration", self.duration),
            ("warm-up", self.warm_up or "none"),
            ("seed", "1" if self.seed is None else str(self.seed)),
            ("runs of each point", "as its precision takes" if "precision" in self.aims else str(self.replications)),
            *((name, _some(list(short_values(map(value_text, values)).values()))) for name, values in axes.items()),
            *((name, f"= {expression}") for name, expression in definition.derived.items()),
            *(("where", condition) for condition in definition.where),
            *((f"when {each.condition}", ", ".join(name for name, _ in each.names())) for each in definition.when),
            *([("points", things(len(definition.entries), "line"))] if definition.entries else []),
        ]
        title = self.name if self.description is None else f"{self.name}: {self.description}"
        return f"{summary_html(title, (), rows)}{self.network._repr_html_()}"

    def scenario(self) -> str:
        """Returns the scenario's TOML text, for ``penstock run`` and for reading."""
        return self.network.toml(
            description=self.description, duration=self.duration, warm_up=self.warm_up, seed=self.seed
        )

    def runs(self, count: int) -> Self:
        """Sets the number of runs of each point. Raises ValueError if it is not from 1 to :data:`MOST_RUNS`."""
        return replace(self, replications=count)

    def vary(self, name: str, values: Sequence[Any]) -> Self:
        """Combines every point of the study with each of these values of a setting.

        Parameters
        ----------
        name : str
            Path of a setting, such as ``"r1-r2.queue.red.limit"``, or a name for :meth:`derive`.
        values : sequence of str, number, bool, list or dict
            As a scenario writes them; a single text raises ArgumentError.
        """
        return self._changed(grid={**self.definition.grid, name: _listed("vary", name, values)})

    def vary_together(self, values: Mapping[str, Sequence[Any]]) -> Self:
        """Varies settings in step: all first values, then all second ones. Raises ArgumentError for a single text."""
        table = {name: _listed("vary_together", name, each) for name, each in values.items()}
        return self._changed(zips=[*self.definition.zips, table])

    def points(self, points: Iterable[Mapping[str, Any]]) -> Self:
        """Adds explicit points, each with values by name. Raises ArgumentError if there are none."""
        entries = [{name: native(value) for name, value in point.items()} for point in points]
        if not entries:
            raise ArgumentError("points: the list is empty, so there would be no point")
        return self._changed(entries=[*self.definition.entries, *entries])

    def where(self, *conditions: str) -> Self:
        """Removes the points that do not meet conditions such as ``"flows * rate <= 1 Gbit/s"``."""
        return self._changed(where=[*self.definition.where, *conditions])

    def when(
        self,
        condition: str,
        *,
        vary: Mapping[str, Sequence[Any]] | None = None,
        fix: Mapping[str, Any] | None = None,
        derive: Mapping[str, str] | None = None,
    ) -> Self:
        """Adds settings that hold only at the points that meet a condition.

        Parameters
        ----------
        condition : str
            Condition on the parameters of all points, such as ``"discipline == 'tail drop'"``.
        vary : mapping of str to sequence, optional
            Values of settings, as for :meth:`vary`; these points are combined with each of them.
        fix : mapping of str to value, optional
            Settings that are equal at all of these points.
        derive : mapping of str to str, optional
            Settings that follow from others, as for :meth:`derive`.

        Raises
        ------
        ArgumentError
            If nothing is set, or the values of a varying setting are a single text.
        """
        grid = {name: _listed("when", name, values) for name, values in (vary or {}).items()}
        if not (grid or fix or derive):
            raise ArgumentError("when: sets nothing; give vary, fix or derive")
        added = When(condition, {name: native(value) for name, value in (fix or {}).items()}, grid, dict(derive or {}))
        return self._changed(when=[*self.definition.when, added])

    def derive(self, name: str, expression: str) -> Self:
        """Adds a setting by its path, or a helper by another name: arithmetic such as ``"0.5 * a-b.rate / flows"``."""
        return self._changed(derived={**self.definition.derived, name: expression})

    def precision(self, metric: str, half_width: str, *, least: int = 30, most: int = 1000) -> Self:
        """Runs each point until a precision is reached, instead of a fixed number of :meth:`runs`.

        Parameters
        ----------
        metric : str
            The number, such as ``"goodput[near]"``.
        half_width : str
            Half the width of its 95 % interval: a share of the mean (``"5 %"``), or a number with its unit.
        least, most : int
            Minimum and maximum number of runs; see :class:`~penstock.studies.precision.Precision`.
        """
        target = {"metric": metric, "half-width": half_width, "least": least, "most": most}
        return replace(self, aims={**self.aims, "precision": target})

    def find_warm_up(self, metric: str, windows: int = 100) -> Self:
        """Sets the warm-up to the longest of any point, by MSER-5 of a metric in `windows` equal windows of a run."""
        return replace(self, aims={**self.aims, "warm-up": {"mser-5": metric, "windows": windows}})

    def metric(self, name: str, expression: str) -> Self:
        """Adds a number that is computed in each run, such as ``"goodput[near] / goodput[far]"``."""
        return replace(self, aims={**self.aims, "metrics": {**self.aims.get("metrics", {}), name: expression}})

    def _changed(self, **parts: Any) -> Self:
        return replace(self, definition=replace(self.definition, **parts))


def _listed(method: str, name: str, values: Sequence[Any]) -> list[Any]:
    """The values of a setting; a single text is refused, not split into letters."""
    if isinstance(values, str):
        raise ArgumentError(f"{method}: {name} needs a list of values, such as [{quoted(values)}]")
    return [native(value) for value in values]


def _some(values: Sequence[str]) -> str:
    return ", ".join([*values[:_VALUES], *[f"... ({len(values)} values)"] * (len(values) > _VALUES)])

"""Gymnasium environments over scenarios, for agents that learn to set parameters. Needs the extra ``gym``."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import inf, isnan
from typing import TYPE_CHECKING, Any

from penstock import toml
from penstock.errors import ArgumentError, InputError, advice
from penstock.printable import printable_lines, quoted
from penstock.simulation import Observation, advance, picoseconds, read_observations, reward_function, started
from penstock.studies.expression import parse
from penstock.studies.quantity import ExpressionError, Quantity, read_quantity, setting_text

try:
    import gymnasium
    import numpy as np
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise InputError(f"penstock.gym: {error}; install it with: {advice('gym')}.") from None

from collections.abc import Mapping, Sequence

from penstock import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["VectorEnv"]


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Environments that each advance one run of a scenario in fixed steps.

    An episode is a run. It is truncated at the end of the scenario, never terminated, and the step after that begins
    the next one (Gymnasium's *next step* autoreset). Environment i of ``reset(seed=s)`` has seed s + i, and its
    episodes are the replications 0, 1, 2, ... of it; equal seeds and actions give equal numbers on every machine.

    `scenario`, `name`, `folder` and `sets` are as for :class:`penstock.simulation.Simulation`.

    Parameters
    ----------
    num_envs : int
        Number of environments. They run in this process, one after the other.
    step : str or float
        Simulated time of a step, such as ``"10 ms"`` or a number of seconds.
    observe : sequence of str, or mapping of str to str
        Observations of the agent as for :class:`penstock.simulation.Simulation`; a value that does not exist yet is 0.
    actions : mapping of str to tuple or list
        Parameters that the agent sets before each step: path, and either the bounds (low, high) of a number, or a list
        of at least two values to choose from. All are of one form: bounds make a ``Box`` in base units (s, bit/s, bit,
        packets; whole packets and bits are rounded), lists a ``MultiDiscrete``.
    reward : str
        Expression over observations after each step: names of `observe`, or variables such as ``queue[r1-r2]``; with
        units, as in a study's ``[derived]``. The reward is its value in base units.

    Raises
    ------
    ScenarioError
        If the scenario has mistakes.
    InputError
        If an observation does not exist, a parameter may not change, or the reward cannot be computed.

    Examples
    --------
    >>> import penstock as ps
    >>> from penstock.gym import VectorEnv
    >>> net = ps.Network()
    >>> a, b = net.node("a"), net.node("b")
    >>> red = ps.Red(limit="50 packets", min_threshold="5 packets", max_threshold="15 packets", max_probability=0.1)
    >>> net.link(a, b, rate="1 Mbit/s", delay="10 ms", queue=red)
    >>> net.flows("voice", a, b, count=12, source=ps.PoissonSource(rate="90 kbit/s", packet="500 bytes"))
    >>> envs = VectorEnv(
    ...     net.toml(duration="10 s"),
    ...     num_envs=2,
    ...     step="100 ms",
    ...     observe=["queue[a-b]", "drops[a-b] per step"],
    ...     actions={"a-b.queue.red.max-probability": (0.01, 0.5)},
    ...     reward="-queue[a-b] / (10 packets)",
    ... )
    >>> observations, _ = envs.reset(seed=7)
    >>> observations, rewards, terminated, truncated, _ = envs.step(envs.action_space.sample())
    >>> observations.shape, rewards.shape
    ((2, 2), (2,))
    """

    def __init__(
        self,
        scenario: str,
        *,
        num_envs: int = 1,
        step: str | float,
        observe: Sequence[str] | Mapping[str, str],
        actions: Mapping[str, Sequence[Any]],
        reward: str,
        name: str = "scenario",
        folder: str | None = None,
        sets: Sequence[tuple[str, str]] = (),
    ) -> None:
        if num_envs < 1:
            raise ArgumentError(f"num_envs: {num_envs} is no number of environments; at least 1.")
        self._step = picoseconds("step", step)
        if self._step == 0:
            raise ArgumentError("step: must be longer than 0 s.")
        seen = read_observations(observe)
        if not seen:
            raise ArgumentError("observe: names nothing; write such as ['queue[r1-r2]'].")
        everything = {**seen, **_of_reward(reward, seen)}
        self._first, _ = started(scenario, everything.values(), name, folder, sets)
        units = dict(zip(everything, self._first.units, strict=True))
        self._per_step = [each.per_step for each in everything.values()]
        names, self._reward = reward_function(reward, units)
        self._rewarded = [list(everything).index(name) for name in names]
        self._seen = len(seen)
        self._setters = [_Setter(path, values) for path, values in actions.items()]
        self._check_actions()
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}
        self.single_observation_space = gymnasium.spaces.Box(-inf, inf, (self._seen,), np.float64)
        self.single_action_space = self._action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._runs: list[_core.SteppedRun] = []
        self._before: list[list[float]] = []
        self._seeds: list[int | None] = [None] * num_envs
        self._episodes = [0] * num_envs
        self._is_over = np.zeros(num_envs, bool)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002  (part of Gymnasium's interface)
    ) -> tuple[NDArray[np.float64], dict[str, Any]]:
        """Begins an episode of every environment; without `seed`, the next one."""
        if seed is not None or not self._runs:
            given = [seed + i for i in range(self.num_envs)] if isinstance(seed, int | np.integer) else seed
            seeds: list[int | None] = list(given) if given is not None else [None] * self.num_envs
            if len(seeds) != self.num_envs:
                raise ArgumentError(f"seed: {len(seeds)} seeds for {self.num_envs} environments.")
            if any(each is not None and not 0 <= each < 2**64 for each in seeds):
                raise ArgumentError(f"seed: {seed} is not from 0 to 2^64 - {self.num_envs}.")
            self._seeds = seeds
            # Without seeds, the environments take different replications of the scenario's own.
            self._episodes = [0] * self.num_envs if given is not None else list(range(self.num_envs))
            self._stride = 1 if given is not None else self.num_envs
        self._runs, self._before = [self._first] * self.num_envs, [[]] * self.num_envs
        self._is_over[:] = False
        return np.array([self._begin(i) for i in range(self.num_envs)]), {}

    def step(
        self, actions: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Sets the parameters of each environment and advances it by a step."""
        if not self._runs:
            raise ArgumentError("step: call reset first.")
        try:
            actions = np.asarray(actions)
        except ValueError as error:  # rows of different lengths
            raise ArgumentError(f"actions: {error}; the shape must be {self.action_space.shape}.") from None
        if actions.dtype.kind not in "biuf":
            raise ArgumentError(f"actions: are of the type {actions.dtype}; they must be numbers.")
        if actions.shape != self.action_space.shape:
            raise ArgumentError(f"actions: the shape is {actions.shape}; it must be {self.action_space.shape}.")
        if not np.isfinite(actions).all():
            raise ArgumentError("actions: not all of them are finite numbers.")
        observations, rewards = np.empty((self.num_envs, self._seen)), np.zeros(self.num_envs)
        truncated = np.zeros(self.num_envs, bool)
        # All are set before any run advances: after an error, the step can be repeated.
        for i, run in enumerate(self._runs):
            for setter, action in zip(self._setters, [] if self._is_over[i] else actions[i].tolist(), strict=False):
                self._set(run, setter, action)
        for i, run in enumerate(self._runs):
            if self._is_over[i]:
                observations[i] = self._begin(i)
                continue
            advance(run, run.now + self._step)
            values, before = run.values(), self._before[i]
            self._before[i] = values
            found = [
                value - old if per_step else value
                for value, old, per_step in zip(values, before, self._per_step, strict=True)
            ]
            numbers = [0.0 if isnan(value) else value for value in found]
            observations[i] = numbers[: self._seen]
            rewards[i] = self._reward([numbers[place] for place in self._rewarded])
            truncated[i] = run.now >= run.end
        self._is_over = truncated.copy()
        return observations, rewards, np.zeros(self.num_envs, bool), truncated, {}

    def _begin(self, i: int) -> list[float]:
        """Begins the next episode of environment `i`, and returns its first observation."""
        run = self._first.another(self._seeds[i], self._episodes[i])
        self._episodes[i] += self._stride
        advance(run, 0)
        self._runs[i], self._before[i] = run, run.values()
        values = zip(self._before[i], self._per_step, strict=True)
        return [0.0 if per_step or isnan(value) else value for value, per_step in values][: self._seen]

    def _set(self, run: _core.SteppedRun, setter: _Setter, action: float) -> None:
        text = setter.text(action)
        try:
            run.set(setter.path, text)
        except ValueError as error:
            raise ArgumentError(f"actions: {quoted(setter.path)}: {printable_lines(str(error))}.") from None

    def _check_actions(self) -> None:
        """Tries the bounds, or all values, of each parameter on a run of its own."""
        if not self._setters:
            raise ArgumentError("actions: names no parameter; write such as {'r1-r2.queue.red.weight': (0.001, 0.1)}.")
        if len({setter.is_choice for setter in self._setters}) > 1:
            raise ArgumentError("actions: some have bounds and some lists of values; give all of them one form.")
        trial = self._first.another(None, 0)
        advance(trial, 0)
        for setter in self._setters:
            for action in setter.extremes:
                self._set(trial, setter, action)

    def _action_space(self) -> gymnasium.Space[Any]:
        if self._setters[0].is_choice:
            return gymnasium.spaces.MultiDiscrete([len(setter.values) for setter in self._setters])
        low, high = zip(*(setter.extremes for setter in self._setters), strict=True)
        return gymnasium.spaces.Box(np.array(low), np.array(high), dtype=np.float64)


def _of_reward(reward: str, seen: Mapping[str, Observation]) -> dict[str, Observation]:
    """What a reward names beyond the agent's observations."""
    try:
        names = dict.fromkeys(parse(reward).names())
    except ExpressionError as error:
        raise InputError(f"reward: {error}.") from None
    return {name: Observation.read(name) for name in names if name not in seen and "[" in name}


class _Setter:
    """How the actions for one parameter are written as values of a scenario."""

    def __init__(self, path: str, values: Sequence[Any]) -> None:
        self.path = path
        self.is_choice = isinstance(values, list)
        self.values: list[str] = []
        if self.is_choice:
            self.values = [value if isinstance(value, str) else toml.value(value) for value in values]
            self.extremes = [float(i) for i in range(len(values))]
            if len(values) < 2:
                raise ArgumentError(
                    f"actions: {quoted(path)}: {len(values)} values leave no choice; write at least two."
                )
            return
        quantities = [_quantity(path, value) for value in values]
        if len(quantities) != 2 or quantities[0].dimension != quantities[1].dimension:
            raise ArgumentError(
                f"actions: {quoted(path)}: write the bounds as (low, high) with one unit, or a list of values to "
                "choose from."
            )
        self.extremes = [float(quantity.value) for quantity in quantities]
        if self.extremes[0] >= self.extremes[1]:
            raise ArgumentError(f"actions: {quoted(path)}: the lower bound must be below the upper one.")
        self._dimension = quantities[0].dimension
        setting_text(Quantity(Fraction(0), self._dimension))  # refuses units that no setting has

    def text(self, action: float) -> str:
        """The value of an action, as after ``--set``."""
        if self.is_choice:
            if action not in range(len(self.values)):
                raise ArgumentError(
                    f"actions: {quoted(self.path)}: {action:g} is no choice; from 0 to {len(self.values) - 1}."
                )
            return self.values[int(action)]
        low, high = self.extremes
        # The float32 that is nearest to a bound, as agents give it, may be beyond it.
        rounding = 1e-7 * max(abs(low), abs(high))
        if not low - rounding <= action <= high + rounding:
            raise ArgumentError(f"actions: {quoted(self.path)}: {action:g} is not from {low:g} to {high:g}.")
        value = Fraction(min(max(action, low), high))
        whole = Fraction(round(value)) if self._dimension == (("packet", 1),) else value
        return setting_text(Quantity(whole, self._dimension))


def _quantity(path: str, value: Any) -> Quantity:
    # Text without an exponent, and all digits.
    quantity = read_quantity(value if isinstance(value, str) else format(Decimal(toml.value(value)), "f"))
    if quantity is None:
        raise ArgumentError(f"actions: {quoted(path)}: {quoted(str(value))} is no number with a unit.")
    return quantity

"""Gymnasium environments over scenarios."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from test_simulation import PARAMETER, network

import penstock as ps
from penstock.errors import ArgumentError, InputError
from penstock.gym import VectorEnv

EXAMPLES = Path(__file__).parents[2] / "examples"


def environments(**changed):
    options = {
        "num_envs": 3,
        "step": "500 ms",
        "observe": {"queue": "queue[r-b]", "lost": "drops[r-b] per step", "rtt": "srtt[web]"},
        "actions": {PARAMETER: (0.01, 0.9)},
        "reward": "utilisation[r-b] - queue / (20 packets)",
    }
    return VectorEnv(network(), **{**options, **changed})


def episodes(envs, seed, steps):
    """Observations, rewards and ends of `steps` steps with the same actions each time."""
    actions = np.random.default_rng(3).uniform(0.01, 0.9, (steps, envs.num_envs, 1))
    seen = [envs.reset(seed=seed)[0]]
    for action in actions:
        observations, rewards, terminated, truncated, _ = envs.step(action)
        assert not terminated.any()
        seen += [observations, rewards, truncated]
    return seen


def test_equal_seeds_and_actions_give_equal_episodes():
    one, two = episodes(environments(), 7, 20), episodes(environments(), 7, 20)
    assert data_equivalence(one, two, exact=True)
    assert not data_equivalence(one, episodes(environments(), 8, 20), exact=True)


def test_spaces_hold_what_is_seen_and_done():
    envs = environments()
    observations, _ = envs.reset(seed=1)
    assert observations in envs.observation_space
    assert envs.action_space.shape == (3, 1)
    assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    assert envs.single_action_space.low.tolist() == [0.01]
    assert (observations == 0).all()


def test_an_episode_ends_with_the_scenario_and_the_next_step_begins_another():
    envs = environments(num_envs=2)
    seen = episodes(envs, 5, 18)
    truncated = [each.all() for each in seen[3::3]]
    assert truncated == [i in (7, 16) for i in range(18)]
    # The step after the end resets: nothing is rewarded, and nothing has been sent.
    assert (seen[1 + 3 * 8] == 0).all()
    assert (seen[2 + 3 * 8] == 0).all()
    first, second = seen[1 + 3 * 3], seen[1 + 3 * 12]
    assert not np.array_equal(first, second)


def test_a_run_of_an_environment_is_that_of_a_simulation():
    envs = environments(num_envs=2)
    envs.reset(seed=11)
    sim = ps.Simulation(network(), observe={"queue": "queue[r-b]", "utilisation": "utilisation[r-b]"}, seed=12)
    for probability in (0.1, 0.7, 0.3):
        observations, rewards, *_ = envs.step(np.full((2, 1), probability))
        sim.set(PARAMETER, probability)
        sim.step("500 ms")
        state = sim.state()
        assert observations[1, 0] == state["queue"]
        assert rewards[1] == pytest.approx(state["utilisation"] - state["queue"] / 20)


def test_choices_and_bounds_with_units():
    envs = environments(actions={"r-b.queue.red.min-threshold": ["2 packets", "4 packets"], PARAMETER: [0.1, 0.5, 0.9]})
    envs.reset(seed=1)
    assert envs.single_action_space.nvec.tolist() == [2, 3]
    envs.step(envs.action_space.sample())
    envs = environments(actions={"r-b.queue.red.max-threshold": ("10 packets", "20 packets")})
    envs.reset(seed=1)
    envs.step(np.full((3, 1), 14.6))


def test_bounds_have_all_digits_and_numbers_may_be_of_numpy():
    for low in (1e-7, 1 / 3, np.float64(1e-7)):
        assert environments(actions={PARAMETER: (low, 0.9)}).single_action_space.low.tolist() == [low]
    envs = environments(actions={PARAMETER: [np.float64(0.1), 0.2]})
    assert data_equivalence(envs.reset(seed=np.int64(3)), environments().reset(seed=3))


@pytest.mark.parametrize("bound", [0.01, 0.1])
def test_a_bound_may_be_a_float32(bound):
    envs, same = environments(actions={PARAMETER: (0.01, 0.1)}), environments()
    envs.reset(seed=1)
    same.reset(seed=1)
    actions = np.full((3, 1), bound)
    assert data_equivalence(envs.step(actions.astype(np.float32)), same.step(actions), exact=True)


def test_a_step_that_is_refused_can_be_repeated():
    tried, envs = environments(), environments()
    actions = np.full((3, 1), 0.5)
    for each in (tried, envs):
        each.reset(seed=1)
    with pytest.raises(ArgumentError, match=f"^actions: '{PARAMETER}': 2 is not from"):
        tried.step([[0.5], [0.5], [2.0]])
    assert data_equivalence(tried.step(actions), envs.step(actions), exact=True)
    with pytest.raises(ArgumentError, match="seed: -1 is not from 0"):
        tried.reset(seed=-1)
    tried.reset()


def test_without_seeds_environments_differ():
    envs = environments()
    envs.reset()
    for _ in range(3):
        observations, *_ = envs.step(np.full((3, 1), 0.5))
    assert len({tuple(row) for row in observations}) == 3


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"num_envs": 0}, "num_envs: 0 is no number of environments"),
        ({"step": "0 s"}, "step: must be longer"),
        ({"step": "1 packet"}, "step: '1 packet' is no time"),
        ({"observe": []}, "observe: names nothing"),
        ({"observe": ["cue[r-b]"]}, "unknown variable 'cue'"),
        ({"reward": "delay"}, "reward: 'delay' is not observed; one of queue, lost, rtt"),
        ({"reward": "queue[r-c]"}, r"observation 'queue\[r-c\]': unknown link"),
        ({"reward": "queue + rtt"}, "reward: .* cannot be added to"),
        ({"actions": {}}, "actions: names no parameter"),
        ({"actions": {"r-b.queue.red.limit": ("50 packets", "90 packets")}}, "'limit' cannot be changed during a run"),
        ({"actions": {PARAMETER: (0.5, 1.5)}}, "1.5 is out of range"),
        ({"actions": {PARAMETER: (0.5, 0.1)}}, "the lower bound must be below the upper one"),
        ({"actions": {PARAMETER: (0.5, "1 s")}}, "write the bounds as"),
        ({"actions": {PARAMETER: [0.5]}}, "1 values leave no choice"),
        ({"actions": {PARAMETER: (0.1, "x")}}, "'x' is no number with a unit"),
        (
            {"actions": {PARAMETER: (0.1, 0.2), "r-b.queue.red.min-threshold": ["1 packet", "2 packets"]}},
            "give all of them one form",
        ),
    ],
)
def test_mistakes_say_what_is_allowed(changed, message):
    with pytest.raises(InputError, match=message):
        environments(**changed)


def test_actions_that_cannot_be_done_are_refused():
    envs = environments()
    with pytest.raises(ArgumentError, match="call reset first"):
        envs.step(np.full((3, 1), 0.5))
    envs.reset(seed=1)
    for actions, message in (
        (np.full((2, 1), 0.5), r"the shape is \(2, 1\); it must be \(3, 1\)"),
        (np.full((3, 1), np.nan), "not all of them are finite"),
        (np.full((3, 1), 2.0), "2 is not from 0.01 to 0.9"),
        ([["a"], ["b"], ["c"]], "are of the type <U1; they must be numbers"),
        ([[None], [0.5], [0.5]], "are of the type object; they must be numbers"),
        ([[0.5], [0.5, 0.1], [0.5]], r"inhomogeneous .*; the shape must be \(3, 1\)"),
    ):
        with pytest.raises(ArgumentError, match=message):
            envs.step(actions)
    with pytest.raises(ArgumentError, match="seed: 2 seeds for 3 environments"):
        envs.reset(seed=[1, 2])
    envs = environments(actions={PARAMETER: [0.1, 0.5]})
    envs.reset(seed=1)
    for action in (0.5, -1, 2):
        with pytest.raises(ArgumentError, match=f"{action:g} is no choice; from 0 to 1"):
            envs.step(np.full((3, 1), action))


def test_the_example_trains_and_compares():
    program = [sys.executable, str(EXAMPLES / "agents" / "red_agent.py"), "--generations", "1", "--runs", "2"]
    told = subprocess.run(program, capture_output=True, text=True, timeout=300, check=True).stdout
    assert "generation 1: mean reward" in told
    assert [line.split()[0] for line in told.splitlines()[-3:]] == ["agent", "RED", "CoDel"]

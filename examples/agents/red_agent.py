"""Trains an agent that sets RED's maximum probability, and compares it with RED and CoDel.

Four transfers share a 10 Mb/s link, and twenty more join them for a while. Every 100 ms the agent reads the queue and
the utilisation, and sets ``max-probability``. Its policy is linear in what it reads, on a logarithmic scale; the
cross-entropy method (Rubinstein and Kroese, 2004) finds its weights. Training takes about a minute of CPU time.

Run it with ``python examples/agents/red_agent.py``; ``--generations 2 --runs 3`` is a quick look.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

import penstock as ps
from penstock.gym import VectorEnv
from penstock.statistics import interval

STEP = "100 ms"
BOUNDS = (0.002, 1.0)
PARAMETER = "r1-r2.queue.red.max-probability"
OBSERVE = {"queue": "queue[r1-r2]", "average": "queue.red.average[r1-r2]", "utilisation": "utilisation[r1-r2]"}
REWARD = "utilisation - queue / (60 packets)"


def network(queue: ps.Red | ps.Codel) -> str:
    """Returns the scenario with this queue discipline at the shared link."""
    net = ps.Network()
    senders, r1, r2, sinks = net.nodes("senders", 24), net.node("r1"), net.node("r2"), net.nodes("sinks", 24)
    net.link(senders, r1, rate="100 Mbit/s", delay="2 ms", both_ways=True)
    net.link(r1, r2, rate="10 Mbit/s", delay="10 ms", both_ways=True, queue=queue)
    net.link(r2, sinks, rate="100 Mbit/s", delay="2 ms", both_ways=True)
    for name, first, last, start, stop in (
        ("few", 0, 3, ("0 s", "1 s"), None),
        ("many", 4, 23, ("10 s", "11 s"), "20 s"),
    ):
        net.flows(
            name,
            f"senders[{first}-{last}]",
            f"sinks[{first}-{last}]",
            start=start,
            stop=stop,
            source=ps.Ftp(),
            transport=ps.Tcp(profile="linux-6"),
        )
    net.measure("utilisation", of="r1-r2")
    net.measure("queue", of="r1-r2")
    return net.toml(duration="30 s")


RED = ps.Red(
    limit="100 packets", min_threshold="5 packets", max_threshold="50 packets", max_probability=0.1, gentle=True
)
DISCIPLINES = {"RED": RED, "CoDel": ps.Codel()}


def policy(weights: np.ndarray, observations: np.ndarray) -> np.ndarray:
    """Returns the maximum probability of each environment for its observation (queue, average, utilisation)."""
    queue, average, utilisation = observations.T
    score = (
        weights[..., 0] + weights[..., 1] * queue / 50 + weights[..., 2] * average / 50 + weights[..., 3] * utilisation
    )
    low, high = np.log(BOUNDS)
    return np.exp(low + (high - low) / (1 + np.exp(-score)))[:, None]


def train(generations: int, population: int = 16, elite: int = 4, seed: int = 1) -> np.ndarray:
    """Returns the weights with the largest reward that the cross-entropy method finds."""
    envs = VectorEnv(
        network(RED), num_envs=population, step=STEP, observe=OBSERVE, actions={PARAMETER: BOUNDS}, reward=REWARD
    )
    random = np.random.default_rng(seed)
    mean, spread = np.zeros(4), np.full(4, 3.0)
    for generation in range(generations):
        weights = mean + spread * random.standard_normal((population, 4))
        # Every candidate of a generation meets the same random numbers.
        observations, _ = envs.reset(seed=[seed + generation] * population)
        rewards, over = np.zeros(population), False
        while not over:
            observations, reward, _, truncated, _ = envs.step(policy(weights, observations))
            rewards += reward
            over = bool(truncated.all())
        best = weights[np.argsort(rewards)[-elite:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.1
        print(f"generation {generation + 1}: mean reward {rewards.mean():.1f}, best {rewards.max():.1f}")
    return mean


def controlled(weights: np.ndarray, seed: int, replication: int) -> ps.RunResult:
    """Returns the result of a run in which the agent sets the parameter."""
    sim = ps.Simulation(network(RED), observe=OBSERVE, seed=seed, replication=replication)
    while sim.now < sim.end:
        state = np.array([list(sim.state().values())])
        sim.set(PARAMETER, float(policy(weights, np.nan_to_num(state))[0, 0]))
        sim.step(STEP)
    return sim.result()


def main() -> None:
    """Trains, and prints utilisation and queue of the agent, RED and CoDel on runs that it has not met."""
    parser = argparse.ArgumentParser(description="Train an agent that sets RED's maximum probability, and compare it.")
    parser.add_argument("--generations", type=int, default=12, help="of the search (default 12)")
    parser.add_argument("--runs", type=int, default=10, help="to compare on (default 10)")
    asked = parser.parse_args()
    weights = train(asked.generations)
    print("weights:", ", ".join(f"{weight:.2f}" for weight in weights))
    fresh = 1000
    results = {"agent": [controlled(weights, fresh, run) for run in range(asked.runs)]}
    for name, queue in DISCIPLINES.items():
        requests = [ps.RunRequest(network(queue), (), fresh, run) for run in range(asked.runs)]
        results[name] = ps.run_all(requests)
    for name, runs in results.items():
        told = []
        for metric in ("utilisation", "queue"):
            values = [next(it.value for it in run.metrics if it.name == metric) for run in runs]
            found = interval(values)
            told.append(f"{metric} {found.mean:.3f} ±{math.nan if found.half is None else found.half:.3f}")
        print(f"{name:6} {', '.join(told)}")


if __name__ == "__main__":
    main()

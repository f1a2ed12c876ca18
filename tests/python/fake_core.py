"""A core with scripted failures, panics and slow runs, for tests of the code around it."""

from __future__ import annotations

import json
import threading
import time
import tomllib
from typing import Any

MODEL_VERSION = "fake"
LARGEST_SCENARIO = 1 << 20


def version() -> str:
    return "0.0.0"


class ScenarioError(ValueError):
    def __init__(self, mistakes: list[dict[str, Any]]) -> None:
        super().__init__(f"{len(mistakes)} mistakes")
        self.mistakes = mistakes


class Cancelled(Exception):  # noqa: N818
    pass


class PanicException(BaseException):
    """Named as PyO3 names its own, which is no Exception either."""


class Cancel:
    def __init__(self) -> None:
        self.event = threading.Event()

    def set(self) -> None:
        self.event.set()


class Run:
    def __init__(self, seed: int, replication: int, rate: float) -> None:
        self.digest = f"{seed:08x}{replication:08x}"
        self.packet_hops = 1000
        self.threads = 1
        self.events = {"plain": 10, "sweeps": 0, "windows": 30}
        self.ports = {
            "tail-drop-fifo": 2,
            "precomputed": 0,
            "event-driven-loop": 0,
            "event-driven": 0,
            "of-switches": 0,
        }
        self.decided = []
        value = rate + seed + replication / 10
        self.metrics = [
            ("goodput", [("flow", "bulk")], "bit/s", value),
            ("drops", [("link", "a-b"), ("cause", "overflow")], "packets", float(replication)),
        ]
        self.measured = [len(self.metrics), 0]
        self.counters = {"delivered": 900, "drops": replication, "goodput_bps": value}

    def metrics_from(self, first: int, count: int) -> list[Any]:
        return self.metrics[first : first + count]


class Scenario:
    """Reads `fake.*` keys: `fail`, `panic` and `slow` list replications; `rate` is the result."""

    runs = 0

    def __init__(
        self,
        text: str,
        name: str = "scenario",
        sets: list[tuple[str, str]] | None = None,
        folder: str | None = None,
        leave_out: bool = False,  # noqa: ARG002
    ) -> None:
        mistakes = check(text, name, sets or [])
        if mistakes:
            raise ScenarioError(mistakes)
        data = tomllib.loads(text)
        self.description = data.get("description")
        self.folder = folder
        self.seed = data.get("seed", 1)
        self.sizes, self.window = (3, 2, 1), (0.5, 20.0)
        self.memory = 1000
        self.headrooms: list[tuple[str, str, int, int | None]] = []
        self.warnings: list[str] = data.get("warnings", [])
        self.has_series = False
        self.unidentified_components: list[str] = []
        self.fake = data.get("fake", {})
        for path, value in sets or []:
            self.fake[path] = json.loads(value)
        self.measures, self.left_out = ["default", "always"], []
        self.canonical = json.dumps([data, self.fake], sort_keys=True)

    def run(
        self,
        seed: int,
        replication: int,
        cancel: Cancel | None = None,
        executor: str = "horizon",
        threads: int = 1,
    ) -> Run:
        type(self).runs += 1
        assert executor in ("horizon", "plain")
        assert threads >= 1
        if replication in self.fake.get("fail", []):
            raise ValueError("the queue is unstable")
        if replication in self.fake.get("panic", []):
            raise PanicException("index out of bounds")
        if replication in self.fake.get("slow", []):
            end = time.monotonic() + 10
            while time.monotonic() < end:
                if cancel is not None and cancel.event.wait(0.005):
                    raise Cancelled
        return Run(seed, replication, self.fake.get("rate", 1.0))

    def rows(self) -> list[tuple[str, list[tuple[str, str]], str, bool]]:
        return [(*row[:3], True) for row in Run(1, 0, 1.0).metrics]


def scenarios(
    text: str, name: str, sets: list[list[tuple[str, str]]], folder: str | None = None
) -> list[Scenario | list[dict[str, Any]]]:
    def read(own: list[tuple[str, str]]) -> Scenario | list[dict[str, Any]]:
        try:
            return Scenario(text, name, own, folder)
        except ScenarioError as error:
            return error.mistakes

    return [read(own) for own in sets]


def check(text: str, name: str, _sets: list[tuple[str, str]]) -> list[dict[str, Any]]:
    known = {"description", "seed", "fake", "duration"}
    try:
        keys = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return [{"file": name, "line": 1, "path": "", "message": str(error)}]
    return [
        {"file": name, "line": 1, "path": key, "message": f"unknown key '{key}'; did you mean 'duration'?"}
        for key in keys
        if key not in known
    ]


def catalogue() -> str:
    probability = {
        "key": "max-probability",
        "doc": "Dropping probability at the upper threshold (max_p).",
        "kind": "number",
        "required": False,
        "default": "0.1",
        "range": "between 0 and 1",
    }
    red = {
        "name": "red",
        "summary": "Random early detection.",
        "doc": "Random early detection.\n\n## Decides\nWhat is dropped.\n\n## State\nAn average.",
        "parameters": [probability],
    }
    link = {
        **{"name": "link", "path": "links[]", "summary": "A link.", "doc": "A link.", "parameters": []},
        "parts": [
            {"key": "queue", "doc": "What it takes.", "takes": "one component", "of": "discipline", "required": False}
        ],
    }
    metric = {"name": "goodput", "unit": "bit/s", "doc": "Payload delivered once.", "applies-to": ["flows"]}
    metric |= {"take": ["sum"], "default-take": ["sum"], "quantiles": False, "by": []}
    return json.dumps({"components": {"discipline": [red]}, "metrics": [metric], "state": [], "sections": [link]})


def json_schema() -> str:
    return "{}"

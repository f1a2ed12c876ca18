"""Random networks of components written in Python: all ways to run them give the same numbers."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from penstock import _core
from penstock.own import files

EXAMPLES = Path(__file__).parents[2] / "examples" / "own"
CLASSES = ("gold", "silver")
USED = ("my-red", "my-codel", "my-wrr", "my-srtcm", "my-video", "my-cubic", "fast", "mos")
NETWORKS = range(12)


def queue(draw: random.Random) -> str:
    """The queue, scheduler or marker of a link."""
    red = f'queue.my-red = {{ limit = "{draw.randint(10, 40)} packets", min-threshold = "{draw.randint(1, 4)} packets"'
    kinds = [
        f'{red}, max-threshold = "{draw.randint(5, 9)} packets", max-probability = {draw.choice([0.05, 0.3])} }}',
        f'queue.my-codel = {{ limit = "{draw.randint(10, 40)} packets", target = "{draw.randint(1, 8)} ms" }}',
        "scheduler.my-wrr = {}\n" + "\n".join(f"class.{each}.weight = {draw.randint(1, 5)}" for each in CLASSES),
        'marker.my-srtcm = { committed-rate = "1 Mbit/s", committed-burst = "6 kB", excess-burst = "9 kB" }\n'
        f'queue.my-codel = {{ limit = "{draw.randint(5, 20)} packets" }}',
    ]
    return draw.choice(kinds)


def network(draw: random.Random) -> str:
    """A line of routers with hosts at its ends and in between, and flows of all kinds between them."""
    routers, hosts = draw.randint(2, 4), draw.randint(1, 3)
    nodes = [*(f"r{i} = {{}}" for i in range(routers)), f"hosts = {{ count = {hosts} }}", "sink = {}"]
    ends = [("hosts", "r0"), *((f"r{i}", f"r{i + 1}") for i in range(routers - 1)), (f"r{routers - 1}", "sink")]
    parts = ['use = "all.py"', 'duration = "1500 ms"', 'warm-up = "200 ms"', "[nodes]", *nodes]
    for one, other in ends:
        for pair, of in (((one, other), queue(draw)), ((other, one), "")):
            rate = draw.randint(20, 60) if "hosts" in pair else draw.randint(2, 6)
            parts += ["[[links]]", f'from = "{pair[0]}"', f'to = "{pair[1]}"', f'rate = "{rate} Mbit/s"']
            parts += [f'delay = "{draw.randint(1, 9)} ms"', of]
    for i in range(draw.randint(2, 5)):
        packet = f'packet = "{draw.randint(300, 1400)} bytes"'
        keys = f"congestion-control.CONTROL = {{}}, recovery.sack = {{}}, {packet}"
        tcp = f"transport.tcp = {{ {keys} }}\nsource.ftp = {{}}"
        kinds = [
            f'source.my-video = {{ rate = "{draw.randint(300, 1500)} kbit/s" }}',
            tcp.replace("CONTROL", "my-cubic"),
            tcp.replace("CONTROL", "fast"),
            f'source.poisson = {{ rate = "{draw.randint(200, 900)} kbit/s", packet = "400 bytes" }}',
        ]
        parts += ["[[flows]]", f'name = "f{i}"', 'from = "hosts"', 'to = "sink"', f'class = "{CLASSES[i % 2]}"']
        parts += [f'start = "{draw.randint(0, 100)} ms"', draw.choice(kinds)]
    parts += ["[[measure]]", 'metric = "mos"', 'of = "f0"', "[[measure]]", 'metric = "goodput"', 'of = "f0"']
    return "\n".join(parts) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file that has the components of all examples."""
    made = tmp_path_factory.mktemp("all")
    (made / "all.py").write_text("\n".join(file.read_text() for file in sorted(EXAMPLES.glob("*.py"))))
    return made


def numbers(run: _core.Run) -> tuple[str, list[str]]:
    return run.digest, [repr(value) for *_, value in run.metrics]


@pytest.mark.parametrize("number", NETWORKS)
def test_all_executors_and_gears_give_the_same_numbers(
    folder: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = network(random.Random(number))

    def scenario() -> _core.Scenario:
        return _core.Scenario(text, "random.toml", [], str(folder))

    compiled = scenario()
    expected = compiled.run(number, 0)
    assert expected.packet_hops > 300, text
    ways = [("horizon", 1), ("plain", 1), ("horizon", 2), ("horizon", 3)]
    for executor, threads in ways:
        run = compiled.run(number, 0, None, executor, threads)
        assert numbers(run) == numbers(expected), (executor, threads, text)
        assert run.threads == 1 or threads > 1
    monkeypatch.setenv(files.DEBUG, "1")
    interpreted = scenario()
    for executor, threads in [("horizon", 1), ("plain", 1), ("horizon", 2)]:
        run = interpreted.run(number, 0, None, executor, threads)
        assert numbers(run) == numbers(expected), ("interpreted", executor, threads, text)


def test_every_component_is_drawn_and_runs_are_divided(folder: Path) -> None:
    drawn = [network(random.Random(number)) for number in NETWORKS]
    assert [name for name in USED if not any(name in text for text in drawn)] == []
    threads = [
        _core.Scenario(text, "random.toml", [], str(folder)).run(1, 0, None, "horizon", 3).threads for text in drawn
    ]
    assert max(threads) == 3

"""Files that feed a scenario: found next to it by every worker, and part of a run's identity."""

import json
import struct
import subprocess
import sys
from pathlib import Path

import polars
import pytest

import penstock as ps
from penstock import _core, feed
from penstock.store import Store, run_key

EXAMPLE = Path(__file__).parents[2] / "examples" / "trace.toml"
PACKETS = [(0.0, 1500), (0.001, 40), (0.5, 576)]


@pytest.fixture
def scenario(tmp_path):
    """The example with a trace of three packets, in a folder that is not the current one."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    file = folder / "trace.toml"
    file.write_text(EXAMPLE.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "trace.csv").write_text("time,size\n" + "".join(f"{at},{size}\n" for at, size in PACKETS))
    return file


def pcap(packets):
    """A capture in nanoseconds; its clock begins at any time."""
    header = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1)
    stamps = ((10**15 + round(at * 1e9), size) for at, size in packets)
    return header + b"".join(struct.pack("<IIII", ns // 10**9, ns % 10**9, 0, size) for ns, size in stamps)


def delays(penstock, scenario, *more):
    code, out, err = penstock("run", scenario, "--format", "json", "--runs", "2", *more)
    assert code == 0, err
    return {metric["labels"]["statistic"]: metric["mean"] for metric in json.loads(out)["metrics"]}


def test_csv_parquet_and_captures_give_the_same(penstock, scenario):
    first = delays(penstock, scenario)
    # 12 ms for the large packet, 0.32 ms more for the small one a millisecond later; the third finds no other.
    assert first["max"] == pytest.approx(0.022, rel=1e-12)
    assert first["mean"] == pytest.approx(0.01 + (0.012 + 0.01132 + 0.004608) / 3, rel=1e-12)
    columns = {"size": [size for _, size in PACKETS], "time": [at for at, _ in PACKETS]}
    polars.DataFrame(columns).write_parquet(scenario.parent / "t.parquet")
    (scenario.parent / "t.pcap").write_bytes(pcap(PACKETS))
    for other in ("t.parquet", "t.pcap"):
        assert delays(penstock, scenario, "--set", f"video.source.trace.file='{other}'") == first


def offered(penstock, scenario, file):
    """How many packets of a trace are received."""
    more = ["--set", f"video.source.trace.file='{file}'", "--set", "measure=[{metric='goodput',of='video'}]"]
    code, out, err = penstock("run", scenario, "--format", "json", "--runs", "1", *more)
    assert code == 0, err
    (metric,) = json.loads(out)["metrics"]
    return metric["mean"]


def test_parquet_reads_only_the_columns_that_it_needs(penstock, scenario):
    columns = {"time": [at for at, _ in PACKETS], "size": [size for _, size in PACKETS]}
    expected = offered(penstock, scenario, "trace.csv")
    # Commas, marks of comments, lists, and 60 MB that compress to some kilobytes.
    others = {"note": ["#1, a", "#", None], "lists": [[1], [], [2]], "large": ["y" * 20_000_000] * 3}
    for name, table in (("first", others | columns), ("last", columns | others)):
        polars.DataFrame(table).write_parquet(scenario.parent / f"{name}.parquet")
        assert (scenario.parent / f"{name}.parquet").stat().st_size < 100_000
        assert offered(penstock, scenario, f"{name}.parquet") == expected


def test_parquet_may_not_become_arbitrarily_large(tmp_path, monkeypatch):
    polars.DataFrame({"time": ["9" * 1_000_000] * 9}).write_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr(feed, "LARGEST", 5 * 2**20)
    with pytest.raises(ValueError, match="becomes more than 5 MiB of rows, which is the most that is read"):
        feed.parquet_as_csv(tmp_path / "t.parquet", [("time", True)])


def test_rows_of_parquet_are_counted_and_texts_are_texts(penstock, scenario):
    table = {"from": ["#1", "a"], "start": ["0", "0,5"], "to": ["b", "b"], "bytes": [1000, 1000]}
    polars.DataFrame(table).write_parquet(scenario.parent / "jobs.parquet")
    jobs = "\n[[transfers]]\nname = 'jobs'\nfile = 'jobs.parquet'\n"
    scenario.write_text(scenario.read_text(encoding="utf-8") + jobs, encoding="utf-8")
    code, _, err = penstock("check", scenario)
    assert code == 2
    assert "jobs.parquet: row 1: " in err
    assert "jobs.parquet: row 2: '0,5' is not a number of seconds" in err


def test_what_parquet_lacks_is_told(penstock, scenario):
    polars.DataFrame({"time": [0.0], "bytes": [3]}).write_parquet(scenario.parent / "t.parquet")
    code, _, err = penstock("check", scenario, "--set", "video.source.trace.file='t.parquet'")
    assert code == 2
    assert "t.parquet: has no column 'size' but 'time', 'bytes'; it needs time, size" in err
    polars.DataFrame({"time": [[0.0]], "size": [3]}).write_parquet(scenario.parent / "u.parquet")
    code, _, err = penstock("check", scenario, "--set", "video.source.trace.file='u.parquet'")
    assert code == 2
    assert "u.parquet: holds lists or tables in the column 'time', which must be numbers or texts" in err


def test_damage_of_parquet_prints_no_backtrace(scenario):
    polars.DataFrame({"time": [0.0, 0.1], "size": [9, 9]}).write_parquet(scenario.parent / "t.parquet")
    content = (scenario.parent / "t.parquet").read_bytes()
    refused = 0
    # Headers of the first page, its data, the metadata and their length.
    for position in (5, 9, 17, 60, len(content) // 2, len(content) - 7):
        changed = content[:position] + bytes([content[position] ^ 0xFF]) + content[position + 1 :]
        (scenario.parent / "t.parquet").write_bytes(changed)
        words = ["check", str(scenario), "--set", "video.source.trace.file='t.parquet'"]
        ended = subprocess.run([sys.executable, "-P", "-m", "penstock", *words], check=False, capture_output=True)
        refused += ended.returncode == 2
        assert ended.returncode in {0, 2}
        assert len((ended.stdout + ended.stderr).splitlines()) <= 3
    assert refused >= 3


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_workers_find_the_files(penstock, scenario, workers):
    assert delays(penstock, scenario, "--on", workers)["max"] == pytest.approx(0.022, rel=1e-12)


def test_other_content_is_another_run(penstock, scenario):
    before = delays(penstock, scenario)
    (scenario.parent / "trace.csv").write_text("time,size\n0,40\n")
    after = delays(penstock, scenario)
    assert before["max"] == pytest.approx(0.022, rel=1e-12)
    assert after["max"] == pytest.approx(0.01032, rel=1e-12)


def test_files_that_are_wrong_are_named(penstock, scenario):
    (scenario.parent / "t.parquet").write_bytes(b"no parquet")
    code, _, err = penstock("check", scenario, "--set", "video.source.trace.file='t.parquet'")
    assert code == 2
    assert "t.parquet: cannot be read as Parquet" in err
    (scenario.parent / "trace.csv").write_text("time,size\n0,40\nx,40\n")
    code, _, err = penstock("check", scenario)
    assert code == 2
    assert "trace.csv:3: 'x' is not a number of seconds" in err


def test_a_network_in_python_reads_files_too(scenario):
    net = ps.Network()
    a, b = net.node("a"), net.node("b")
    net.link(a, b, rate="1 Mbit/s", delay="10 ms")
    net.flows("video", a, b, source=ps.Trace(file=str(scenario.parent / "trace.csv")))
    assert "trace.csv" in _core.Scenario(net.toml(duration="1 s")).canonical


def test_a_list_of_a_hundred_thousand_transfers_over_a_fat_tree_fits(tmp_path):
    net = ps.Network()
    tree = ps.topologies.fat_tree(net, 8, rate="10 Gbit/s", delay="1 us")
    count, hosts = 100_000, len(tree.hosts)
    assert hosts == 128
    ends = [(i % hosts, (i * 7 + 1 + i // hosts) % hosts) for i in range(count)]
    rows = [f"{i * 1e-6:.6f},host[{a}],host[{b}],{1000 + i}" for i, (a, b) in enumerate(ends) if a != b]
    (tmp_path / "jobs.csv").write_text("\n".join(["start,from,to,bytes", *rows]))
    net.transfers("jobs", file="jobs.csv")
    scenario = _core.Scenario(net.toml(duration="1 s"), "jobs", [], str(tmp_path))
    assert scenario.sizes[2] == len(rows) > 0.95 * count
    # The estimate is 0.8 to 1.5 of the measured peak.
    assert scenario.memory < 300e6 / 1.25


def test_transfers_of_a_network_in_python(penstock, tmp_path):
    net = ps.Network()
    hosts, sink = net.nodes("hosts", 4), net.node("sink")
    net.link(hosts, sink, rate="100 Mbit/s", delay="1 ms", both_ways=True)
    law = {"pareto": {"shape": 1.5, "mean": "20 kB"}}
    net.transfers("jobs", hosts, sink, size=law, count=50, load="20 Mbit/s", transport=ps.Tcp(min_rto="20 ms"))
    net.measure("completion-time", of="jobs", take=["mean"], quantiles=[0.5])
    (tmp_path / "jobs.toml").write_text(net.toml(duration="2 s"))
    code, out, err = penstock("run", "jobs.toml", "--format", "json", "--set", "jobs.count=60")
    assert code == 0, err
    mean, median, *counts = (metric["mean"] for metric in json.loads(out)["metrics"])
    assert counts == [60, 60, 0]
    # Two ways of 1 ms or more; a heavy tail has its mean above its median.
    assert mean > median > 0.002


def test_stored_runs_are_checked_with_the_files_beside_their_scenario(penstock, scenario, monkeypatch):
    delays(penstock, scenario)
    other = scenario.parent / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    code, out, err = penstock("verify")
    assert (code, out.splitlines()) == (0, ["2 runs read, 2 made again: 0 differ, 0 damaged and set aside."]), err
    # Settings that were not given come from the scenario, which is read with its files.
    rate = json.loads(penstock("runs", "--where", "a-b.rate=1 Mbit/s", "--format", "json")[1])
    assert [Path(run["made"]["folder"]) for run in rate] == [scenario.parent] * 2
    (scenario.parent / "trace.csv").write_text("time,size\n0,40\n")
    code, out, _ = penstock("verify")
    assert code == 0
    assert "2 runs read, 0 made again: 0 differ" in out
    assert "2 whose scenarios name files that are gone or have changed" in out


def test_runs_without_files_have_no_folder(penstock, tmp_path):
    file = tmp_path / "plain.toml"
    file.write_text((EXAMPLE.parent / "packets.toml").read_text(encoding="utf-8"), encoding="utf-8")
    assert penstock("run", file)[0] == 0
    runs = json.loads(penstock("runs", "--format", "json")[1])
    assert runs
    assert all("folder" not in run["made"] for run in runs)


def test_failed_runs_with_files_are_tried_again(penstock, scenario, tmp_path, monkeypatch):
    text = scenario.read_text(encoding="utf-8")
    request = ps.RunRequest(text, name="trace", folder=str(scenario.parent))
    canonical = _core.Scenario(text, "trace", [], request.folder).canonical
    store = Store(tmp_path / "store")
    store.prepare([request])
    store.keep_failed(run_key(canonical, 1, 0), request, "stopped")
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    code, out, err = penstock("retry-failed")
    assert code == 0, out + err
    assert store.has(run_key(canonical, 1, 0))
    assert not list(store.failures())


def test_archives_of_runs_with_files_say_what_they_lack(penstock, scenario):
    delays(penstock, scenario)
    assert penstock("export", "runs.tar")[0] == 0
    assert penstock("import", "runs.tar", "--store", "new")[0] == 0
    (scenario.parent / "trace.csv").unlink()
    code, _, err = penstock("import", "runs.tar", "--store", "newer")
    assert code != 0
    assert "needs files that are not in" in err

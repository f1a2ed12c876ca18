from __future__ import annotations

import copy
import pickle
import tomllib

import pytest

import penstock as ps


def voice() -> ps.Network:
    net = ps.Network()
    hosts, sinks = net.nodes("hosts", 24), net.nodes("sinks", 24)
    r1, r2 = net.node("r1"), net.node("r2")
    net.link(hosts, r1, rate="10 Mbit/s", delay="1 us", both_ways=True)
    red = ps.Red(limit="60 packets", min_threshold="20 packets", max_threshold="40 packets", max_probability="1/30")
    net.link(
        r1,
        r2,
        rate="1.5 Mbit/s",
        delay="30 ms",
        scheduler=ps.Priority(order=["ef", "default"]),
        queues={"default": red},
        marker=ps.TokenBucket(rate="1 Mbit/s", burst="10 KiB"),
        marker_at="departure",
        impairments=[ps.Loss(probability=0.01), ps.Delay(added="1 ms")],
    )
    net.link("r2", sinks, rate="10 Mbit/s", delay="1 us", both_ways=True)
    cbr = ps.Cbr(rate="56 kbit/s", packet="160 bytes", spacing_jitter=0.1)
    net.flows("voice", hosts, sinks, traffic_class="ef", source=cbr, start=("0 s", "1 s"))
    net.flows(
        "bulk", hosts[0], sinks[23], transport=ps.Tcp(variant="new-reno"), source=ps.Ftp(), route=[hosts[0], r1, "r2"]
    )
    net.measure("jitter", of="voice", quantiles=[0.5, 0.99])
    return net


def test_a_way_back_and_lists_of_nodes():
    net = ps.Network()
    hosts, a, b = net.nodes("hosts", 2), net.node("a"), net.node("b")
    back = {"rate": "1 Mbit/s", "queue": ps.Codel(limit="20 ms")}
    net.link(
        [hosts, a], b, name="access", rate="10 Mbit/s", delay="1 ms", both_ways=True, back=back, min_frame="84 bytes"
    )
    net.flows("f", hosts, b, source=ps.Cbr(rate="64 kbit/s", packet="160 bytes"))
    link = tomllib.loads(net.toml(duration="1 s"))["links"][0]
    assert (link["from"], link["min-frame"]) == (["hosts", "a"], "84 bytes")
    assert link["back"] == {"rate": "1 Mbit/s", "queue": {"codel": {"limit": "20 ms"}}}
    assert ps.Study(net, duration="1 s").runs(1).run().height > 0
    with pytest.raises(ps.errors.ArgumentError, match="delay"):
        net.link(a, b, rate="1 Mbit/s", delay="1 ms", both_ways=True, back={"delay": "2 ms"})


def test_the_page_that_a_network_writes():
    page = tomllib.loads(voice().toml(duration="100 s", warm_up="10 s", seed=None))
    assert (page["duration"], page["warm-up"]) == ("100 s", "10 s")
    assert "seed" not in page
    assert page["nodes"] == {"hosts": {"count": 24}, "sinks": {"count": 24}, "r1": {}, "r2": {}}
    access, core, _ = page["links"]
    assert access == {"from": "hosts", "to": "r1", "rate": "10 Mbit/s", "delay": "1 us", "both-ways": True}
    assert core["scheduler"] == {"priority": {"order": ["ef", "default"]}}
    assert core["class"]["default"]["queue"]["red"]["max-probability"] == "1/30"
    assert core["marker"] == {"token-bucket": {"rate": "1 Mbit/s", "burst": "10 KiB"}, "at": "departure"}
    assert core["impairment"] == {"loss": {"probability": 0.01}, "delay": {"added": "1 ms"}}
    voice_flows, bulk = page["flows"]
    assert voice_flows["source"] == {"cbr": {"rate": "56 kbit/s", "packet": "160 bytes", "spacing-jitter": 0.1}}
    assert (voice_flows["class"], voice_flows["start"]) == ("ef", {"uniform": ["0 s", "1 s"]})
    assert (bulk["from"], bulk["to"], bulk["route"]) == ("hosts[0]", "sinks[23]", ["hosts[0]", "r1", "r2"])
    assert (bulk["source"], bulk["transport"]) == ({"ftp": {}}, {"tcp": {"variant": "new-reno"}})
    assert page["measure"] == [{"metric": "jitter", "of": "voice", "quantiles": [0.5, 0.99]}]


def test_classes_say_what_their_scheduler_reads():
    net = ps.Network()
    a, b = net.node("a"), net.node("b")
    below = {"web": {"quantum": "1500 bytes"}, "bulk": {"quantum": "3 kB", "queue": ps.TailDrop(limit="9 packets")}}
    net.link(
        a,
        b,
        rate="1 Mbit/s",
        delay="1 ms",
        scheduler=ps.Priority(order=["voice", "data"]),
        classes={
            "voice": {
                "rate_limit": {"rate": "300 kbit/s", "burst": "2 kB"},
                "policer": ps.TokenBucketPolicer(rate="400 kbit/s", burst="3 kB"),
            },
            "data": {"scheduler": ps.Drr(), "classes": below},
        },
        shaper=ps.TokenBucketShaper(rate="900 kbit/s", burst="1500 bytes"),
    )
    for name in ("voice", "web", "bulk"):
        net.flows(name, a, b, traffic_class=name, source=ps.Cbr(rate="200 kbit/s", packet="500 bytes"))
    text = net.toml(duration="1 s")
    [link] = tomllib.loads(text)["links"]
    voice, data = link["class"]["voice"], link["class"]["data"]
    assert voice["rate-limit"] == {"rate": "300 kbit/s", "burst": "2 kB"}
    assert voice["policer"] == {"token-bucket": {"rate": "400 kbit/s", "burst": "3 kB"}}
    assert data["class"]["bulk"] == {"quantum": "3 kB", "queue": {"tail-drop": {"limit": "9 packets"}}}
    assert data["scheduler"] == {"drr": {}}
    assert link["shaper"] == {"token-bucket": {"rate": "900 kbit/s", "burst": "1500 bytes"}}
    ps._core.Scenario(text, "classes", [])


def atm() -> ps.Network:
    net = ps.Network()
    hosts, sinks = net.nodes("hosts", 2), net.nodes("sinks", 2)
    net.nodes("in", 1)
    switch, out = net.node("s", cell_switch=True), net.node("out")
    net.link(hosts, "in", rate="100 Mbit/s", delay="10 us", both_ways=True)
    marker = ps.FGcra(burst="100 cells")
    net.link("in", switch, rate="149.76 Mbit/s", delay="1 ms", both_ways=True, cells=True, marker=marker)
    dfba = ps.Dfba(limit="3000 cells", low="1000 cells", high="2000 cells", z={"vc": 0.5})
    net.link(switch, out, rate="150 kcells/s", delay="1 ms", both_ways=True, cells=True, queue=dfba)
    net.link(out, sinks, rate="100 Mbit/s", delay="10 us", both_ways=True)
    net.flows("tcp", hosts, sinks, transport=ps.Tcp(packet="1064 bytes"), source=ps.Ftp())
    net.circuit("vc", ["tcp"], mcr="50 kcells/s", max_frame="1064 bytes")
    net.measure("goodput", of="tcp")
    net.measure("queue", of="s-out", by=["circuit"])
    return net


def test_cells_cell_switches_and_circuits():
    text = atm().toml(duration="1 s")
    page = tomllib.loads(text)
    assert page["nodes"] == {
        "hosts": {"count": 2},
        "sinks": {"count": 2},
        "in": {"count": 1},
        "s": {"cell-switch": True},
        "out": {},
    }
    assert [link.get("cells", False) for link in page["links"]] == [False, True, True, False]
    assert page["circuits"] == [{"name": "vc", "flows": ["tcp"], "mcr": "50 kcells/s", "max-frame": "1064 bytes"}]
    # 150,000 cells/s carry at most 150,000 / 23 segments of 1,024 bytes, and the circuit has the link for itself.
    result = ps.Study(atm(), "2 s", warm_up="1 s").runs(1).run()
    found = {row["metric"]: row["mean"] for row in result.iter_rows(named=True)}
    most = 150_000 / 23 * 1024 * 8
    assert 0.5 * most < found["goodput"] <= 1.001 * most


def test_wrong_keys_of_circuits_are_named():
    net = atm()
    with pytest.raises(TypeError, match="'mrc'"):
        net.circuit("other", "tcp", mrc="1 kcells/s")
    with pytest.raises(TypeError, match="flows"):
        net.circuit("other")
    net.circuit("second", "tcp")
    with pytest.raises(ps.ScenarioError, match="'tcp' is on a circuit already"):
        ps.Study(net, "1 s").run()


def test_the_page_of_calls():
    net = ps.Network()
    edges, core, _ = net.nodes("edges", 3), net.node("core"), net.node("far")
    net.link(edges, core, rate="unlimited", delay=("1 ms", "100 ms"))
    meters = [ps.VirtualQueue(admissible_rate="4 Mbit/s"), ps.PreEmption(supportable_rate="8 Mbit/s")]
    net.link(core, "far", rate="10 Mbit/s", delay="1 ms", pcn=meters, pcn_at="departure")
    net.calls(
        "voice",
        edges,
        "far",
        source=ps.OnOff(packet="160 bytes", spacing="20 ms", on="340 ms", off="660 ms"),
        arrivals=ps.PoissonArrival(interval="12 ms"),
        holding=ps.Exponential(mean="60 s"),
        initial=100,
        spread="20 ms",
        admission=ps.Cle(threshold=0.05),
        termination=ps.Cl(),
        processing="1 ms",
        request_packet="100 bytes",
        count=6,
        traffic_class="ef",
        precedence=1,
        start=("0 s", "1 s"),
        stop="9 s",
        route=[edges, core, "far"],
    )
    net.calls("more", edges[0], "far", source=ps.CodecMix(), initial=1)
    page = tomllib.loads(net.toml(duration="10 s"))
    access, link = page["links"]
    assert (access["rate"], access["delay"]) == ("unlimited", {"uniform": ["1 ms", "100 ms"]})
    assert list(link["pcn"]) == ["virtual-queue", "pre-emption"]
    assert link["pcn-at"] == "departure"
    voice, more = page["calls"]
    assert voice == {
        "name": "voice",
        "from": "edges",
        "to": "far",
        "count": 6,
        "class": "ef",
        "precedence": 1,
        "start": {"uniform": ["0 s", "1 s"]},
        "stop": "9 s",
        "route": ["edges", "core", "far"],
        "initial": {"calls": 100, "spread": "20 ms"},
        "signalling": {"processing": "1 ms", "packet": "100 bytes"},
        "source": {"on-off": {"packet": "160 bytes", "spacing": "20 ms", "on": "340 ms", "off": "660 ms"}},
        "arrivals": {"poisson": {"interval": "12 ms"}},
        "holding": {"exponential": {"mean": "60 s"}},
        "admission": {"cle": {"threshold": 0.05}},
        "termination": {"cl": {}},
    }
    assert more == {
        "name": "more",
        "from": "edges[0]",
        "to": "far",
        "initial": {"calls": 1},
        "source": {"codec-mix": {}},
    }


def test_names_that_toml_would_misread_are_quoted():
    net = ps.Network()
    net.node('odd "name".x')
    assert tomllib.loads(net.toml(description='say "ä"\n\x7f'))["nodes"] == {'odd "name".x': {}}


def test_a_component_may_be_made_with_scenario_keys():
    red = {"limit": "9 packets", "min-threshold": "1 packet", "max_threshold": "3 packets", "max-probability": 0.1}
    assert ps.Red(**red).min_threshold == "1 packet"
    assert ps.Red(**red).table().keys() == {each.replace("_", "-") for each in red}


def test_components_are_values():
    made = ps.TailDrop(limit="3 packets")
    assert made == ps.TailDrop(limit="3 packets") != ps.TailDrop(limit="4 packets")
    assert len({made, ps.TailDrop(limit="3 packets")}) == 1
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == made
    assert repr(made) == "TailDrop(limit='3 packets', counts='waiting')"
    with pytest.raises(AttributeError, match="TailDrop cannot be changed"):
        made.limit = "4 packets"


def test_groups_have_members():
    hosts = ps.Network().nodes("hosts", 2)
    assert (len(hosts), hosts[1].name) == (2, "hosts[1]")
    with pytest.raises(IndexError, match="members 0 to 1, not 2"):
        hosts[2]
    with pytest.raises(TypeError, match="has no members"):
        ps.Network().node("a")[0]


def test_members_in_a_row_are_a_group():
    hosts = ps.Network().nodes("hosts", 6)
    assert (hosts[2:5].name, len(hosts[2:5])) == ("hosts[2-4]", 3)
    assert (hosts[4:].name, hosts[:1].name, hosts[-2:].name) == ("hosts[4-5]", "hosts[0-0]", "hosts[4-5]")
    for wrong in (slice(3, 3), slice(0, 6, 2), slice(6, 9)):
        with pytest.raises(IndexError, match="members 0 to 5; take some in a row"):
            hosts[wrong]
    with pytest.raises(TypeError, match="take others from the group"):
        hosts[2:5][1]


def test_aggregates_may_have_calls_of_their_own():
    net = ps.Network()
    edges, sink = net.nodes("edges", 5), net.node("sink")
    net.link(edges, sink, rate="10 Mbit/s", delay="1 ms")
    cbr = ps.Cbr(rate="64 kbit/s", packet="160 bytes")
    net.calls("voice", edges[1:4], sink, source=cbr, initial=[3, 0, 2], spread="0 s")
    net.measure("calls", of="voice", per="flow")
    (result,) = ps.run_all([ps.RunRequest(net.toml(duration="1 s"))])
    live = {m.labels["flow"]: m.value for m in result.metrics if m.labels["what"] == "live"}
    assert live == {"voice[0]": 3, "voice[1]": 0, "voice[2]": 2}


def test_a_name_is_given_once():
    net = ps.Network()
    net.node("a")
    with pytest.raises(ps.InputError, match="a node called 'a' already"):
        net.nodes("a", 2)


@pytest.mark.parametrize(
    ("twice", "key"),
    [
        ({"impairments": [ps.Loss(probability=0.1), ps.Loss(probability=0.2)]}, "impairment.loss"),
        ({"impairments": [ps.Loss(probability=0.1)], "impairment": ps.Loss(probability=0.2)}, "impairment.loss"),
        ({"pcn": [ps.Excess(rate="1 Mbit/s", size="9 kB")] * 2}, "pcn.excess"),
        ({"queues": {"ef": ps.TailDrop()}, "classes": {"ef": {"queue": ps.TailDrop()}}}, "class.ef.queue.tail-drop"),
        ({"from": "b"}, "from"),
    ],
)
def test_no_part_of_a_link_replaces_another(twice, key):
    net = ps.Network()
    net.nodes("a", 2)
    net.node("b")
    with pytest.raises(ps.errors.ArgumentError, match=f"'{key}' is given twice"):
        net.link("a", "b", rate="1 Mbit/s", delay="1 ms", **twice)


def test_what_toml_cannot_say_is_refused():
    net = ps.Network()
    net.measure("goodput", of={1, 2})
    with pytest.raises(TypeError, match="cannot be written in a scenario"):
        net.toml()


def test_a_study_without_runs_is_refused():
    with pytest.raises(ValueError, match="at least one run, not 0"):
        ps.Study(voice(), duration="1 s").runs(0)


def test_unknown_names_of_the_package():
    for name in ("Nothing", "nothing", "_nothing"):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'$"):
            getattr(ps, name)
    with pytest.raises(AttributeError, match=r"no attribute 'Taildrop'; did you mean 'TailDrop'\?$"):
        ps.Taildrop  # noqa: B018


@pytest.mark.usefixtures("core")
def test_a_study_gives_a_frame(tmp_path, monkeypatch):
    study = ps.Study(ps.Network(), duration="1 s", description="A study").runs(3)
    monkeypatch.setattr(ps.Network, "toml", lambda _self, **top: f"description = '{top['description']}'")
    frame = study.run(store=ps.Store(tmp_path))
    assert frame["runs"].to_list() == [3, 3]
    assert study.replications == 3


def test_switches_may_have_a_latency():
    net = ps.Network()
    net.node("s1", latency="1 us")
    net.nodes("edge", 2, latency="2 us")
    nodes = tomllib.loads(net.toml(duration="1 s"))["nodes"]
    assert nodes == {"s1": {"latency": "1 us"}, "edge": {"count": 2, "latency": "2 us"}}


def test_nodes_may_share_a_buffer_and_pause_what_feeds_them():
    net = ps.Network()
    a = net.node("a")
    s = net.node("s", buffer=ps.DynamicThreshold(size="1 MB", alpha=2), pause={"xoff": "90 kB", "xon": "60 kB"})
    net.nodes("edge", 2, buffer=ps.StaticShares(size="9 packets", shares={"edge-s": "4 packets"}))
    net.link(a, s, rate="1 Mbit/s", delay="1 ms", both_ways=True)
    net.link("edge", s, rate="1 Mbit/s", delay="1 ms", both_ways=True)
    net.flows("f", a, s, source=ps.Cbr(rate="64 kbit/s", packet="160 bytes"))
    page = net.toml(duration="1 s")
    buffer = 'buffer = { dynamic-threshold = { size = "1 MB", alpha = 2.0 } }'
    assert f's = {{ {buffer}, pause = {{ xoff = "90 kB", xon = "60 kB" }} }}' in page
    buffer = 'buffer = { static-shares = { size = "9 packets", shares = { edge-s = "4 packets" } } }'
    assert f"edge = {{ count = 2, {buffer} }}" in page
    assert ps._core.check(page, "page", []) == []


def test_values_that_a_program_changes_later_change_no_network():
    law, classes, size = {"exponential": {"mean": "100 bytes"}}, ["ef"], {"uniform": ["1 kB", "2 kB"]}
    back, events = {"class": {"ef": {"weight": 2}}}, ["drop"]
    net = ps.Network()
    net.node("a", pause={"xoff": "100 kB", "xon": "50 kB", "classes": classes})
    net.node("b")
    net.link("a", "b", rate="1 Mbit/s", delay="1 ms", back=back)
    source = ps.PoissonSource(rate="1 Mbit/s", packet=law)
    net.flows("f", "a", "b", source=source)
    net.transfers("t", "a", "b", size=size, interval="1 s")
    net.trace(events=events)
    text = net.toml(duration="1 s")
    law["exponential"]["mean"] = "9 bytes"
    classes.append("be")
    size["uniform"][0] = "9 kB"
    back["class"]["ef"]["weight"] = 9
    events.append("mark")
    assert source.packet == {"exponential": {"mean": "100 bytes"}}
    assert net.toml(duration="1 s") == text

"""Names that do not exist, and components where another kind is taken, are refused where they are written."""

from __future__ import annotations

import inspect

import pytest

import penstock as ps
from penstock.arguments import _section
from penstock.reference import catalogue

LINK = {"rate": "1 Mbit/s", "delay": "1 ms"}
ARGUMENTS = "(origin, destination, rate, delay, name, "
DISCIPLINES = "(TailDrop, Red, AdaptiveRed, RedN, "
CBR = ps.Cbr(rate="1 kbit/s", packet="100 bytes")
RED = {"limit": "9 packets", "min_threshold": "1 packet", "max_probability": 0.1}


def made(call):
    net = ps.Network()
    return call(net, net.node("a"), net.node("b"))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: ps.Cbr(rate="1 Mbit/s", pakcet="160 bytes"),
            "Cbr: unknown parameter 'pakcet'; did you mean 'packet'? (rate, packet, phase, spacing_jitter)",
        ),
        (
            lambda: ps.Red(**RED, max_treshold="2 packets"),
            "Red: unknown parameter 'max_treshold'; did you mean 'max_threshold'? (limit, ",
        ),
        (
            lambda: ps.Cbr(rate="1 Mbit/s"),
            'Cbr: packet is missing and has no default; write packet="576 bytes".',
        ),
        (lambda: ps.Cbr("1 Mbit/s"), "Cbr takes parameters by name: Cbr(rate=...)."),
        (
            lambda: ps.Cbr(rate=5, packet=160),
            'Cbr.rate: 5 has no unit; write "5 Mbit/s".\nCbr.packet: 160 has no unit; write "160 bytes".',
        ),
        (lambda: ps.Cbr(rate=True, packet=-1), 'Cbr.packet: -1 has no unit; write "576 bytes".'),
        (
            lambda: ps.TailDrop(counts="wating"),
            "TailDrop.counts: 'wating' is not one of waiting, in-system; did you mean 'waiting'?",
        ),
        (
            lambda: ps.Tcp(congestion_control=ps.Ftp()),
            "Tcp.congestion_control: takes a congestion-control (RenoCongestionControl, Cubic, ",
        ),
        (lambda: ps.Tcp(congestion_control="cubi"), "not 'cubi'; did you mean 'cubic'?"),
        (lambda: ps.Study(ps.Network(), duraton="1 s"), "Study: unknown argument 'duraton'; did you mean 'duration'?"),
        (lambda: ps.Study(ps.Network()), "Study: duration is missing and has no default."),
    ],
)
def test_a_component_says_what_is_wrong_with_its_parameters(call, said):
    with pytest.raises(ps.ArgumentError) as raised:
        call()
    assert said in str(raised.value)
    assert not str(raised.value).startswith("\n")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda net, a, b: net.link(a, b, que=ps.TailDrop(), **LINK),
            f"Network.link: unknown argument 'que' {ARGUMENTS}",
        ),
        (
            lambda net, a, b: net.link(a, b, rat="1 Mbit/s", delay="1 ms"),
            f"Network.link: unknown argument 'rat'; did you mean 'rate'? {ARGUMENTS}",
        ),
        (lambda net, a, b: net.link(a, b, rate="1 Mbit/s"), "Network.link: delay is missing and has no default."),
        (
            lambda net, a, b: net.link(a, b, queue=ps.Wrr(), **LINK),
            f"Network.link: queue takes a discipline {DISCIPLINES}",
        ),
        (lambda net, a, b: net.link(a, b, queue=ps.Wrr(), **LINK), ", and Wrr is a scheduler; scheduler takes it."),
        (lambda net, a, b: net.link(a, b, queue=ps.Wrr, **LINK), ", and Wrr is a scheduler; scheduler takes it."),
        (lambda net, a, b: net.link(a, b, queue=ps.TailDrop, **LINK), "; write TailDrop(...) with its parameters."),
        (lambda net, a, b: net.link(a, b, queue="red-n", **LINK), ", not the text 'red-n'; write RedN(...)."),
        (lambda net, a, b: net.link(a, b, queue=5, **LINK), ", not '5'."),
        (
            lambda net, a, b: net.link(a, b, queues={"ef": ps.Ftp()}, **LINK),
            f"Network.link: queues['ef'] takes a discipline {DISCIPLINES}",
        ),
        (
            lambda net, a, b: net.link(a, b, impairments=[ps.TailDrop()], **LINK),
            "Network.link: impairments takes an impairment (Loss, ",
        ),
        (
            lambda net, a, b: net.link(a, b, classes={"ef": {"wieght": 3}}, **LINK),
            "classes['ef']: unknown key 'wieght'; did you mean 'weight'? (rate_limit, weight, quantum, ",
        ),
        (
            lambda net, a, b: net.link(a, b, classes={"ef": {"rate_limit": {"rat": "1 Mbit/s"}}}, **LINK),
            "classes['ef'].rate_limit: unknown key 'rat'; did you mean 'rate'? (rate, burst, exceeding)",
        ),
        (
            lambda net, a, b: net.link(a, b, classes={"ef": {"queue": ps.Ftp()}}, **LINK),
            f"classes['ef']: queue takes a discipline {DISCIPLINES}",
        ),
        (lambda net, a, b: net.flows("f", a, b, sorce=ps.Ftp()), "unknown argument 'sorce'; did you mean 'source'?"),
        (
            lambda net, a, b: net.flows("f", a, b, source=ps.Tcp()),
            "and Tcp is a transport; transport takes it.",
        ),
        (lambda net, a, b: net.flows("f", a, b, source=ps.Ftp(), shft=1), "'shft'; did you mean 'shift'?"),
        (lambda net, a, b: net.calls("c", a, b, source=ps.Ftp(), arrivals=ps.Ftp()), "Network.calls: arrivals takes"),
        (
            lambda net, a, _: net.link(a, "bb", **LINK),
            "Network.link: destination: unknown node 'bb'; did you mean 'b'? (a, b)",
        ),
        (lambda net, *_: net.link("x[2]", "b", **LINK), "Network.link: origin: unknown node 'x' (a, b)"),
        (lambda net, a, _: net.flows("f", a, "c", source=CBR), "Network.flows: destination: unknown node 'c' (a, b)"),
        (
            lambda net, a, b: net.flows("f", a, b, source=CBR, route=[a, "c", b]),
            "Network.flows: route: unknown node 'c'",
        ),
        (lambda net, a, _: net.transfers("t", a, "c", size="1 kB"), "Network.transfers: destination: unknown node 'c'"),
        (lambda net, a, _: net.calls("v", "c", a, source=CBR), "Network.calls: origin: unknown node 'c' (a, b)"),
        (lambda net, *_: net.measure("goodputt"), "unknown metric 'goodputt'; did you mean 'goodput'? (thr"),
        (
            lambda net, *_: net.measure("goodput", off="f"),
            "unknown argument 'off'; did you mean 'of'? (metric, of,",
        ),
        (
            lambda net, *_: net.node("x", bufer=None),
            "Network.node: unknown argument 'bufer'; did you mean 'buffer'?",
        ),
        (
            lambda net, *_: net.nodes("x", 2, buffer=ps.Ftp()),
            "Network.nodes: buffer takes a buffer (StaticShares, ",
        ),
        (lambda net, *_: net.node("x", pause={"xof": "1 kB"}), "pause: unknown key 'xof'; did you mean 'xoff'"),
        (
            lambda net, *_: net.toml(duraton="1 s"),
            "Network.toml: unknown argument 'duraton'; did you mean 'duration'",
        ),
    ],
)
def test_a_network_says_what_it_does_not_take(call, said):
    with pytest.raises(ps.ArgumentError) as raised:
        made(call)
    assert said in str(raised.value)


def test_nothing_is_added_where_something_is_refused():
    net = ps.Network()
    with pytest.raises(ps.ArgumentError):
        net.node("x", buffer=ps.Ftp())
    net.node("x")


def test_keys_without_an_argument_of_their_own_are_taken():
    def call(net, a, b):
        net.link(a, b, rate_changes=[{"at": "1 s", "rate": "2 Mbit/s"}], **LINK)
        net.link(b, a, **LINK)
        net.calls("c", a, b, transport=ps.Udp(), source=ps.Cbr(rate="64 kbit/s", packet="160 bytes"), initial=1)
        return net.toml(duration="3 s")

    text = made(call)
    assert ps._core.check(text, "page", []) == []
    assert "transport.udp" in text


@pytest.mark.parametrize(
    ("function", "path"),
    [(ps.Network.link, "links[]"), (ps.Network.flows, "flows[]"), (ps.Network.calls, "calls[]")],
)
def test_every_component_that_a_table_takes_is_an_argument_or_a_key(function, path):
    arguments = {name.replace("_", "-") for name in inspect.signature(function).parameters}
    others = {"pcn", "impairment", "transport"}  # lists, and what calls take among their other keys
    of_components = {key for key, kind in _section(path).items() if kind is not None}
    assert of_components - others <= arguments
    assert {section["path"] for section in catalogue()["sections"]} >= {path, "links[].class.NAME", "nodes.NAME.pause"}

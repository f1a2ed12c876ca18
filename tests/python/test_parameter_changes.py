"""Parameters of congestion and rate controls that change during a run, from Python."""

from __future__ import annotations

import pytest

import penstock as ps
from penstock.errors import ScenarioError
from penstock.running import RunRequest, run_all


def network(transport, changes):
    net = ps.Network()
    a, b = net.node("a"), net.node("b")
    net.link(a, b, rate="10 Mbit/s", delay="1 ms", both_ways=True, queue=ps.TailDrop(limit="20 packets"))
    net.flows("f", a, b, source=ps.Ftp(), transport=transport, parameter_changes=changes)
    net.measure("goodput", of="f")
    return net.toml(duration="4 s")


def run(transport, *changes):
    """Goodput in bit/s, and the digest of the run."""
    [result] = run_all([RunRequest(network(transport, list(changes)), name="changes")])
    return result.metrics[0].value, result.digest


def change(at, parameter, value):
    return {"at": at, "parameter": f"transport.{parameter}", "value": value}


def test_a_rate_changes_when_it_is_said_to():
    fixed = ps.Roce(rate_control=ps.FixedRateControl(rate="2 Mbit/s"), packet="1000 bytes", ack_every=1, timeout="1 s")
    path = "roce.rate-control.fixed.rate"
    slow, _ = run(fixed)
    # One second at 2 Mbit/s and three at 6: five times 4 s at 1 Mbit/s. A packet is 2 per mille of the first second.
    faster, _ = run(fixed, change("1 s", path, "6 Mbit/s"))
    assert faster / slow == pytest.approx((1 * 2 + 3 * 6) / (4 * 2), rel=2e-3)
    # Changed twice: two seconds at 2 Mbit/s in all, and two at 6.
    both, _ = run(fixed, change("1 s", path, "6 Mbit/s"), change("3 s", path, "2 Mbit/s"))
    assert both / slow == pytest.approx((2 * 2 + 2 * 6) / (4 * 2), rel=2e-3)


@pytest.mark.parametrize(
    ("made", "name", "parameter", "values"),
    [
        (lambda beta: ps.Cubic(beta=beta), "cubic", "beta", (0.6, 0.4)),
        (lambda decrease: ps.RenoCongestionControl(decrease=decrease), "reno", "decrease", (0.5, 0.8)),
    ],
)
def test_a_change_before_the_first_loss_is_as_good_as_a_setting(made, name, parameter, values):
    first, other = (ps.Tcp(congestion_control=made(value)) for value in values)
    path = f"tcp.congestion-control.{name}.{parameter}"
    _, from_the_start = run(other)
    assert run(first, change("1 ps", path, values[1]))[1] == from_the_start
    later = run(first, change("1 s", path, values[1]))[1]
    assert later not in (from_the_start, run(first)[1])


CUBIC = ps.Tcp(congestion_control=ps.Cubic(beta=0.6))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            [change("1 s", "tcp.congestion-control.cubic.hystart", True)],
            "flows[0].parameter-changes[0].parameter: transport: 'hystart' cannot be changed during a run; one of c,",
        ),
        (
            [change("1 s", "tcp.packet", "500 bytes")],
            "flows[0].parameter-changes[0].parameter: transport: 'packet' cannot be changed during a run; one of ",
        ),
        (
            [change("1 s", "tcp.congestion-control.vegas.alpha", 2)],
            "is not written, since 'transport.tcp.congestion-control' has no 'vegas'",
        ),
        (
            [change("1 s", "tcp.congestion-control.cubic.beta", 1.5)],
            "flows[0].transport.tcp.congestion-control.cubic.beta: 1.5 is out of range; between 0 and 1",
        ),
        (
            [change("0 s", "tcp.congestion-control.cubic.beta", 0.5)],
            "flows[0].parameter-changes[0].at: 0 s is too early",
        ),
        (
            [change(at, "tcp.congestion-control.cubic.beta", 0.5) for at in ("2 s", "1 s")],
            "flows[0].parameter-changes[1].at: 1 s is too early",
        ),
    ],
)
def test_a_change_that_cannot_be_is_refused_at_its_place(changes, said):
    with pytest.raises(ScenarioError) as refused:
        run(CUBIC, *changes)
    assert said in str(refused.value)

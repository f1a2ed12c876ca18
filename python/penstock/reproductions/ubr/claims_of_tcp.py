"""Claims about TCP itself: its buffers, its window in integers, its retransmissions and its starts.

Margins stand in the claims' ``test`` texts in the document's data, with the same numbers.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from penstock.reproductions.evidence import Estimate, above, below, difference, within
from penstock.reproductions.ubr.averages import less, told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.reproductions.finding import ClaimTest, Finding
    from penstock.reproductions.outcome import Outcome
    from penstock.reproductions.tables import Cell

__all__ = ["CLAIMS"]

WINDOWS, RESENT, STARTS, BUFFERS, SAWTOOTH = "26-27", "28", "25", "12-13", "35"
STALL = 512 * 512 / 1000
"""kB beyond which an MSS of 512 adds nothing in integers."""
SEGMENT = 0.512
ROUND_TRIPS = {"wan": 0.030, "satellite-512": 0.570}


def half_a_round_trip_is_enough(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c12."""
    tests = []
    for row in outcome.rows(BUFFERS):
        if row.key["buffer"] == "half-rtt":
            name = f"{row.key['network']}, {row.key['sources']} sources, {row.key['switch']}"
            tests.append(above(name, Estimate.of(outcome.values(BUFFERS, "efficiency", row.key)), 0.98))
    return told(tests, "Efficiency of SACK with 0.5 RTT of buffer")


def zero_loss_needs_all_windows(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c13."""
    tests = []
    for row in outcome.rows(BUFFERS):
        name = f"{row.key['network']}, {row.key['sources']} sources"
        losses = outcome.values(BUFFERS, "loss_share", row.key)
        if row.key["buffer"] == "windows":
            # Less than one cell of any run.
            tests.append(below(f"{name}, all windows", Estimate.of(losses), 1e-9))
        elif row.key["buffer"] == "half-windows":
            tests.append(above(f"{name}, half of them", Estimate.of(losses), 0))
    return told(tests, "Cells lost in per cent")


def starting_together_matters(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c23."""
    tests = []
    for network, tcp in {(row.key["network"], row.key["tcp"]): None for row in outcome.rows(STARTS)}:
        for metric in ("efficiency", "fairness"):
            together, apart = (
                outcome.values(STARTS, metric, {"network": network, "tcp": tcp, "start": start})
                for start in ("together", "1 s")
            )
            moved = [abs(a - b) for a, b in zip(together, apart, strict=True)]
            tests.append(above(f"{metric}, {network}, {tcp}", Estimate.of(moved), 0.02))
    return told(tests, "How far starting together moves it")


def integers_stall(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c24."""
    tests = []
    for network in ROUND_TRIPS:
        last = _windows(outcome, network, "integer")[-1]
        tests.append(within(f"{network}, kB", Estimate.of(last), 0.98 * STALL, 1.02 * STALL))
        tests.append(within(f"{network}, growth", Estimate.of(_growth(outcome, network, "integer")), -0.05, 0.05))
        floating = Estimate.of(_growth(outcome, network, "floating"))
        tests.append(within(f"{network}, growth in floating point", floating, 0.9, 1.1))
    return told(tests, "Window at the end, and segments that it grows by per round trip")


def n_acks_cure(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c25."""
    tests = [within(network, Estimate.of(_growth(outcome, network, "n-acks")), 0.9, 1.1) for network in ROUND_TRIPS]
    note = (
        "With the smallest N the increase is one or two whole bytes of up to three, so that rounding slows growth down."
    )
    return told(tests, "Segments that the window grows by per round trip", note)


def larger_segments_cure(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c26."""
    tests = []
    for place, at in enumerate(_times(outcome, "satellite")):
        key: dict[str, Cell] = {"network": "satellite", "at": at}
        integer, floating = (
            outcome.values(WINDOWS, "window", {**key, "arithmetic": arithmetic})
            for arithmetic in ("integer", "floating")
        )
        share = [a / b for a, b in zip(integer, floating, strict=True)]
        tests.append(within(f"over that in floating point, {at} s", Estimate.of(share), 0.97, 1.03))
        if place:
            tests.append(above(f"above 512 x 512, {at} s, kB", Estimate.of(integer), STALL))
    return told(tests, "Window with an MSS of 9180")


def delay_does_not_help(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c27."""
    tests = []
    for key in _settings(outcome):
        own, plain = (outcome.values(RESENT, "efficiency", {**key, "tcp": tcp}) for tcp in ("sack1-delayed", "sack1"))
        tests.append(below(f"{key['network']}, {key['switch']}", difference(own, plain), 0.02))
    return told(tests, "Efficiency that the delay adds")


def sack_needs_its_retransmissions(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c28."""
    gains, lost = [], []
    for key in _settings(outcome):
        sack, reno = (outcome.values(RESENT, "efficiency", {**key, "tcp": tcp}) for tcp in ("sack1", "reno"))
        gains.append(less(sack, reno))
        lost.append(outcome.values(RESENT, "lost", {**key, "tcp": "sack1"}))
    ranks = [_rank_correlation(*pair) for pair in zip(zip(*lost, strict=True), zip(*gains, strict=True), strict=True)]
    tests = [below("rank correlation", Estimate.of(ranks), 0)]
    return told(
        tests, "SACK's gain over Reno against the share of its retransmissions that are lost, over all settings"
    )


def window_over_round_trip(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c35."""
    tests = [
        within(f"every {row.key['period']}th", Estimate.of(outcome.values(SAWTOOTH, "ratio", row.key)), 0.9, 1.1)
        for row in outcome.rows(SAWTOOTH)
    ]
    note = "What is missing is the round trip of each recovery, in which little is sent: one of n."
    return told(tests, "Goodput over mean window / RTT", note)


def _times(outcome: Outcome, network: str) -> list[Cell]:
    return list(dict.fromkeys(row.key["at"] for row in outcome.rows(WINDOWS) if row.key["network"] == network))


def _windows(outcome: Outcome, network: str, arithmetic: str) -> list[list[float]]:
    """In kB, by time and run."""
    key = {"network": network, "arithmetic": arithmetic}
    return [outcome.values(WINDOWS, "window", {**key, "at": at}) for at in _times(outcome, network)]


def _growth(outcome: Outcome, network: str, arithmetic: str) -> list[float]:
    """Segments per round trip between the last two times, by run."""
    before, last = _windows(outcome, network, arithmetic)[-2:]
    first, second = (float(at) for at in _times(outcome, network)[-2:])
    rounds = (second - first) / ROUND_TRIPS[network]
    return [grown / SEGMENT / rounds for grown in less(last, before)]


def _settings(outcome: Outcome) -> list[dict[str, Cell]]:
    keys = ((row.key["network"], row.key["switch"]) for row in outcome.rows(RESENT))
    return [{"network": network, "switch": switch} for network, switch in dict.fromkeys(keys)]


def _rank_correlation(left: Sequence[float], right: Sequence[float]) -> float:
    """Spearman's; none where one of them is always the same."""
    if len(set(left)) == 1 or len(set(right)) == 1:
        return 0.0
    return statistics.correlation(_ranks(left), _ranks(right))


def _ranks(values: Sequence[float]) -> list[float]:
    """Equal ones share the mean of their places."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]


CLAIMS: Mapping[str, ClaimTest] = {
    "ubr-c12": half_a_round_trip_is_enough,
    "ubr-c13": zero_loss_needs_all_windows,
    "ubr-c23": starting_together_matters,
    "ubr-c24": integers_stall,
    "ubr-c25": n_acks_cure,
    "ubr-c26": larger_segments_cure,
    "ubr-c27": delay_does_not_help,
    "ubr-c28": sack_needs_its_retransmissions,
    "ubr-c35": window_over_round_trip,
}

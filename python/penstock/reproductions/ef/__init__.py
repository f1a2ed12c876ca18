"""RFC 2598, appendix A.3: jitter of Expedited Forwarding under WRR and PQ, and TCP over leased lines (1999)."""

import math
from collections.abc import Mapping

from penstock.reproductions.ef.scenario import DEDICATED, EF, SIZES, VLL, build, experiments, most_flows
from penstock.reproductions.evidence import Finding, between
from penstock.reproductions.outcome import Outcome, numbers, total
from penstock.reproductions.packaged import packaged
from penstock.reproductions.reading import Settings
from penstock.reproductions.tables import Row, Table
from penstock.running import RunResult

PERCENTILES = {"p50": "0.5", "p90": "0.9"}


def measure(settings: Settings, table: Table, row: Row, results: Mapping[str, RunResult]) -> Mapping[str, float]:
    """The printed columns, and the further values that claims need.

    Jitter in percent of a packet time, rates in kb/s; ``ef_drops`` in packets; ``received_share`` of what EF sources
    sent; ``used``, the utilisation of the bottleneck; ``spread`` between the best and the worst pair, and
    ``shaper_drops`` and ``path_drops`` of table 4.
    """
    if table.id == "4":
        counts = settings["vll.counts"]
        pairs = [rate / 1000 for rate in numbers(results[VLL], counts, of="vll")]
        return {
            "dedicated_kbps": numbers(results[DEDICATED], counts, of="vll")[0] / 1000,
            "vll_kbps": math.fsum(pairs) / len(pairs),
            "spread": max(pairs) - min(pairs),
            "subscribed": float(row.key["subscribed_kbps"]),
            "shaper_drops": total(results[VLL], "drops", of="senders-n0"),
            "path_drops": total(results[VLL], "drops", **{"class": EF}),
        }
    found = {f"{name}_{size}": value for size, result in results.items() for name, value in jitter(result).items()}
    found["ef_drops"] = math.fsum(total(result, "drops", **{"class": EF}) for result in results.values())
    shares = [received(result) for result in results.values()]
    found |= {"least_received": min(shares), "most_received": max(shares)}
    found["used"] = min(total(result, "utilisation") for result in results.values())
    return found


def jitter(result: RunResult) -> dict[str, float]:
    """The median and the 90th percentile of the target's jitter in percent of its packet time."""
    return {name: 100 * total(result, "jitter", quantile=share) for name, share in PERCENTILES.items()}


def received(result: RunResult) -> float:
    """What arrived of what the EF sources sent."""
    return total(result, "throughput") / total(result, "sent")


def nothing_dropped(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c13: in no run of tables 1 to 3 and with 36 flows an EF packet is lost."""
    rows = [(table, row.key) for table in ("1", "2", "3") for row in outcome.rows(table)]
    most = [run for size in SIZES for run in outcome.experiments[most_flows(size)]]
    drops = sum(sum(outcome.values(table, "ef_drops", key)) for table, key in rows)
    drops += sum(total(run, "drops", **{"class": EF}) for run in most)
    columns = ("least_received", "most_received")
    shares = [value for table, key in rows for column in columns for value in outcome.values(table, column, key)]
    shares += [received(run) for run in most]
    sound = drops == 0 and all(abs(share - 1) <= 0.01 for share in shares)
    return Finding.certain(
        sound,
        f"{drops:.0f} EF packets were dropped in all runs of tables 1 to 3 and with 36 flows; {between(shares)} of "
        "what EF sources sent was received while counting.",
    )


def lost_in_the_shaper(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c15: what VLLs lose they lose in front of the shapers."""
    path, shaper = (
        sum(sum(outcome.values("4", column, row.key)) for row in outcome.rows("4"))
        for column in ("path_drops", "shaper_drops")
    )
    return Finding.certain(
        path == 0 and shaper > 0,
        f"{path:.0f} packets of VLLs were dropped on the path and {shaper:.0f} in front of the shapers.",
    )


STUDY = packaged(
    __package__,
    build=build,
    measure=measure,
    others={"ef-c13": nothing_dropped, "ef-c15": lost_in_the_shaper},
    experiments=experiments,
)

"""How the claims are tested: one function a claim, on the runs of all rows and of the experiments.

Margins stand in the claims' ``test`` texts in the document's data, with the same numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.reproductions.pcn import claims_of_admission, claims_of_marking, claims_of_termination

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.finding import ClaimTest

__all__ = ["CLAIMS"]

CLAIMS: Mapping[str, ClaimTest] = {
    "pcn-c01": claims_of_admission.almost_as_good,
    "pcn-c02": claims_of_admission.first_case_worst,
    "pcn-c03": claims_of_admission.single_link,
    "pcn-c04": claims_of_admission.randomized_alike,
    "pcn-c05": claims_of_admission.vbr_alike,
    "pcn-c06": claims_of_admission.svd_close,
    "pcn-c07": claims_of_admission.parking_lot,
    "pcn-c08": claims_of_admission.fair,
    "pcn-c09": claims_of_admission.ratio_rises,
    "pcn-c10": claims_of_admission.small_aggregates,
    "pcn-c11": claims_of_termination.low_overload,
    "pcn-c12": claims_of_termination.high_overload,
    "pcn-c13": claims_of_termination.equal_at_all,
    "pcn-c14": claims_of_termination.worse_upstream,
    "pcn-c15": claims_of_termination.slower,
    "pcn-c16": claims_of_termination.cbr_low,
    "pcn-c17": claims_of_termination.cbr_high,
    "pcn-c18": claims_of_termination.vbr_low,
    "pcn-c19": claims_of_termination.vbr_high,
    "pcn-c20": claims_of_termination.svd_less,
    "pcn-c21": claims_of_termination.svd_low_time,
    "pcn-c22": claims_of_termination.svd_high_time,
    "pcn-c23": claims_of_termination.parking_lot_low_time,
    "pcn-c24": claims_of_termination.parking_lot_high_time,
    "pcn-c25": claims_of_marking.three_states,
    "pcn-c26": claims_of_marking.little,
    "pcn-c27": claims_of_marking.limit_at_admissible_rate,
    "pcn-c28": claims_of_marking.no_flow_all_marked,
    "pcn-c29": claims_of_marking.fewer_without_marks,
    "pcn-c30": claims_of_marking.switch_alternates,
    "pcn-c31": claims_of_marking.drops_do_not_matter,
    "pcn-c32": claims_of_marking.slow_without_drops,
    "pcn-c33": claims_of_marking.speed_against_accuracy,
    "pcn-c34": claims_of_marking.marks_do_not_add_up,
    "pcn-c35": claims_of_marking.faster_links,
    "pcn-c36": claims_of_admission.few_calls_synchronise,
    "pcn-c37": claims_of_marking.two_steps,
    "pcn-c38": claims_of_termination.whole_intervals,
}

"""The claims of the ATM study, on numbers that are made up."""

import pytest
from test_reproductions_ubr import DOCUMENT, OWN, STUDY, result

from penstock.reproductions.claims import judge
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.ubr import NUMBERS
from penstock.reproductions.ubr.scenario import LOSSES, MSS, ROUND_TRIP, random_loss


def made_up(number):
    """An outcome whose columns come from `number`, with a little noise from run to run."""
    outcome = Outcome(DOCUMENT, Readings(DOCUMENT), OWN, 5)
    for table in OWN:
        for turn, row in enumerate(table.rows):
            for n, noise in enumerate((-0.002, -0.001, 0.0, 0.001, 0.002)):
                names = [column.name for column in table.compared] + ["retransmissions", "timeouts", "clp0_loss"]
                own = {name: number(table.id, row.key, name) for name in names}
                jitter = 1 if table.id in STEADY else 1 + noise * (1 + (turn + n) % 3)
                outcome.add(table, row, {name: value * jitter for name, value in own.items()}, {"": result([])})
    for name, probability in LOSSES.items():
        # The law with a constant of 1.22, and 1 % of noise from run to run.
        rates = [8 * MSS * 1.22 / (ROUND_TRIP * probability**0.5) * (1 + 0.01 * n) for n in (-1, 0, 1, 0, 0)]
        outcome.experiments[random_loss(name)] = [result([("goodput", {"of": "tcp"}, rate)]) for rate in rates]
    return outcome


def of_circuit(key, name):
    mcr = 10.0 * key["vc"]
    relative = 0.5 if key["slide"] == 59 else 0.6 - 0.1 * key["vc"]
    goodput, excess = mcr * (1 + relative), relative * mcr
    numbers = {"mcr": mcr, "relative_excess": relative, "excess": excess, "goodput": goodput, "queue": 100 * mcr}
    return numbers.get(name, 0.0)


def of_group(key, name):
    far = {0.05: 0.05, 0.95: 0.06}.get(key["utilisation"], 0.01) * (key["group"] - 3) / 2
    share = key["group"] / 15
    timeouts = 9.0 if key["utilisation"] == 0.05 else 1.0
    numbers = {"buffer_share": share, "output_share": share, "ratio": 1 + far, "wait": 20.0, "timeouts": timeouts}
    return numbers.get(name, 0.0)


def of_setting(key, name):
    wide, best = (0.3, (0.8, 0.5)) if key["policy"] == "fba" else (0.1, (0.8, 0.9))
    place = 0.5 if (key["z"], key["r"]) == best else 0.4 * key["z"] + 0.1 * key["r"]
    return 0.8 + wide * (0.5 - place) if name == "efficiency" else 0.7 + wide * place


def of_reservation(key, _name):
    gain = {"lan": 0.01, "wan": 0.3, "satellite": 0.1}[key["network"]]
    return 0.4 + 0.05 * (key["switch"] != "plain") + gain * (key["reserved"] == 10) + 0.2 * (key["tcp"] == "sack1")


def of_option(key, name):
    if name == "clp0_loss":
        return 0.05 if key.get("management") == "one-threshold" else 0.001
    return 0.7 if key.get("condition", "none") != "none" else 1.1


def of_policy(network, key, name):
    policy = POLICIES.index(key.get("switch", "epd"))
    if name == "fairness":
        return (0.6, 0.6, 0.601, 0.9, 0.92)[policy]
    if name == "retransmissions":
        return 900.0 if key.get("tcp") == "sack1" else 500.0
    switch = (0.70, 0.70, 0.70, 0.71, 0.712) if network == "satellite" else (0.5, 0.6, 0.7, 0.84, 0.85)
    return switch[policy] + FLAVOURS.get(network, {"vanilla": 0.02}).get(key.get("tcp"), 0.0)


def of_buffer(key, name):
    return 0.99 if name == "efficiency" else 0.0 if key["buffer"] == "windows" else 0.5


def of_start(key, _name):
    return 0.8 if key["start"] == "together" else 0.9


def of_window(key, _name):
    if key["network"] != "satellite" and key["arithmetic"] == "integer":
        return 262.144
    segment, round_trip = {"wan": (0.512, 0.03), "satellite": (9.18, 0.57), "satellite-512": (0.512, 0.57)}[
        key["network"]
    ]
    return 240 + segment * key["at"] / round_trip


def of_retransmission(key, name):
    lost = (
        0.1 * ("plain", "epd", "fba").index(key["switch"])
        + {"lan": 0.0, "wan": 0.03, "satellite": 0.06}[key["network"]]
    )
    return lost if name == "lost" else 0.5 if key["tcp"] == "reno" else 0.9 - lost


POLICIES = ("plain", "ppd", "epd", "selective-drop", "fba")
FLAVOURS = {"lan": {"vanilla": -0.01, "sack1": -0.02}, "satellite": {"vanilla": 0.05, "reno": -0.1, "sack1": 0.15}}
TABLES = {"53-59-results": of_circuit, "36": of_group, "21-23": of_setting, "11-12": of_reservation}
TABLES |= {"12-13": of_buffer, "25": of_start, "26-27": of_window, "28": of_retransmission, "35": lambda *_: 0.97}
STEADY = ("26-27", "35")
"""One source, which loses nothing at random: its runs differ in nothing but the start."""


def as_claimed(table, key, name):
    """Numbers that behave as the slides say."""
    if table.startswith("19-20-") or ("network" in key and table not in TABLES):
        return of_policy(key.get("network", table.removeprefix("19-20-")), key, name)
    return TABLES.get(table, of_option)(key, name)


class TestClaims:
    def test_what_the_slides_say_is_confirmed_where_numbers_are_as_they_say(self):
        found = {each.claim: each for each in judge(STUDY, made_up(as_claimed))}
        tested = {claim.id for claim in DOCUMENT.claims if claim.tables}
        assert {name for name, each in found.items() if each.finding.verdict != "confirmed"} == set(found) - tested
        assert "ubr-a01" in found["ubr-c01"].readings
        assert "ubr-a02" not in found["ubr-c01"].readings
        assert {"ubr-a02", "ubr-a03", "ubr-a21"} <= set(found["ubr-c37"].readings)

    def test_settings_of_selective_drop_are_held_against_the_axes_that_are_left(self):
        # Within them where R = 0.9 K, a third of the settings; too unfair with 0.5 K, too inefficient with 0.1 K.
        fair = {0.1: (0.6, 0.95), 0.5: (0.9, 0.9), 0.9: (0.9, 0.95)}

        def number(table, key, name):
            return fair[key["r"]][name == "fairness"] if table == "21-23" else as_claimed(table, key, name)

        (found,) = judge(STUDY, made_up(number), only=["ubr-c20"])
        expected = "(efficiency 0.7 to 1, fairness 0.93 to 1): LAN 4 of 12 settings, WAN 4 of 12 settings."
        assert expected in found.finding.note

    @pytest.mark.parametrize(
        ("excesses", "verdict"),
        [
            # Two neighbours are alike, and the trend is clear; the mirror image; no trend; one circuit below its MCR.
            ((1.8, 1.2, 0.9, 0.85, 0.87), "confirmed"),
            ((0.87, 0.85, 0.9, 1.2, 1.8), "refuted"),
            ((0.9, 1.1, 1.0, 1.1, 0.9), "undecided"),
            ((1.8, 1.2, 0.9, 0.85, -0.2), "refuted"),
        ],
    )
    def test_lower_guarantees_get_more_excess_if_it_falls_over_the_circuits(self, excesses, verdict):
        def number(table, key, name):
            is_excess = table == "53-59-results" and name == "relative_excess"
            return excesses[key["vc"] - 1] if is_excess else as_claimed(table, key, name)

        found = judge(STUDY, made_up(number), only=["ubr-c37", "ubr-c38", "ubr-c41"])
        assert {each.finding.verdict for each in found} == {verdict}

    def test_the_slope_of_excess_by_hand(self):
        # MCRs of 1 to 5 times the first: the slope of 5, 4, 3, 2, 1 is -1, that of 1, 0, 0, 0, 1 is 0.
        def number(table, key, name):
            if table != "53-59-results" or name != "relative_excess":
                return 0.0
            return 6 - key["vc"] if key["slide"] == 53 else float(key["vc"] in (1, 5))

        outcome = made_up(number)
        assert NUMBERS["excess_slope"](outcome, {"slide": "53"}) == pytest.approx([-1.0] * 5, rel=0.02)
        assert NUMBERS["excess_slope"](outcome, {"slide": "54"}) == pytest.approx([0.0] * 5, abs=0.002)

    def test_null_models_are_told_apart(self):
        found = {each.claim: each for each in judge(STUDY, made_up(as_claimed))}
        assert found["ubr-c17"].null["policies-swapped"] == "refuted"
        assert found["ubr-c06"].null["flavours-swapped"] == "refuted"
        assert found["ubr-c37"].null["circuits-reversed"] == "refuted"
        assert found["ubr-c40"].null["circuits-reversed"] == "refuted"
        assert found["ubr-c32"].null["groups-reversed"] == found["ubr-c32"].null["constant"] == "refuted"
        constant = {name: each.null["constant"] for name, each in found.items() if "constant" in each.null}
        # One number for all rows has no ranges and no gains; that it is within a margin may still hold.
        assert {constant[name] for name in ("ubr-c06", "ubr-c11.b", "ubr-c19")} <= {"refuted", "undecided"}

    def test_nothing_is_confirmed_where_every_row_has_one_number(self):
        found = {each.claim: each.finding.verdict for each in judge(STUDY, made_up(lambda *_: 0.5))}
        kept = {name for name, verdict in found.items() if verdict == "confirmed"}
        # These say that something moves little.
        assert kept <= {"ubr-c02", "ubr-c07", "ubr-c27", "ubr-c39", "ubr-c42"}

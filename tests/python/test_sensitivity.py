"""Sensitivity: the estimators against the Ishigami function, and studies whose answer follows from theory."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from one_link import one_link
from SALib.analyze import morris
from SALib.test_functions import Ishigami

import penstock as ps
from penstock import _core
from penstock.errors import InputError, ScenarioError
from penstock.sensitivity.indices import DELTA, LEVELS, Design, Index, elementary_effects, indices, noise, problem_of
from penstock.studies.ranges import read_range

LOAD = one_link(
    {
        "one": 'cbr = { rate = "2 Mbit/s", packet = "1000 bytes" }',
        "two": 'poisson = { rate = "1 Mbit/s", packet = "500 bytes" }',
    },
    [("utilisation", 'of = "a-b"'), ("delay", 'of = "two"')],
    duration="5 s",
    warm_up="1 s",
)
RATES = (
    *("--range", "one.source.cbr.rate=1 Mbit/s..5 Mbit/s"),
    *("--range", "two.source.poisson.rate=1 Mbit/s..3 Mbit/s"),
    *("--range", "a-b.delay=1 ms..9 ms"),
)


@pytest.fixture
def scenario(tmp_path):
    file = tmp_path / "load.toml"
    file.write_text(LOAD, encoding="utf-8")
    return file


def screened(command, *words):
    """What the command has to say."""
    done = command("screen", *map(str, words), "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def values_of(page, metric, index):
    (own,) = [each for each in page["metrics"] if each["metric"] == metric]
    return {each["parameters"][0]: each for each in own["indices"] if each["index"] == index}


def ishigami(shares):
    return Ishigami.evaluate(math.pi * (2 * shares - 1))


class TestEstimators:
    """Against exact values [Ishigami90]: a = 7, b = 0.1."""

    PART_1 = 0.5 * (1 + 0.1 * math.pi**4 / 5) ** 2
    PART_2 = 7**2 / 8
    PART_13 = 0.1**2 * math.pi**8 * (1 / 18 - 1 / 50)

    def found(self, samples, name):
        design = Design("sobol", samples, second_order=True)
        shares = design.shares(3, 1)
        return {each.parameters: each for each in indices(design, shares, ishigami(shares), 0) if each.name == name}

    @pytest.mark.parametrize("name", ["S1", "ST", "S2"])
    def test_the_analytic_indices_are_inside_the_intervals(self, name):
        total = self.PART_1 + self.PART_2 + self.PART_13
        one, two, pair = (part / total for part in (self.PART_1, self.PART_2, self.PART_13))
        known = {
            "S1": {(0,): one, (1,): two, (2,): 0.0},
            "ST": {(0,): one + pair, (1,): two, (2,): pair},
            "S2": {(0, 1): 0.0, (0, 2): pair, (1, 2): 0.0},
        }[name]
        found = self.found(4096, name)
        assert found.keys() == known.keys()
        for key, exact in known.items():
            assert found[key].low <= exact <= found[key].high, key
            assert found[key].high - found[key].low < 0.2

    def test_the_intervals_shrink_with_the_sample(self):
        few, many = self.found(128, "ST"), self.found(8192, "ST")
        assert all(many[key].high - many[key].low < (few[key].high - few[key].low) / 4 for key in many)

    def test_a_linear_function_has_its_slopes_as_elementary_effects(self):
        design = Design("morris", 5)
        shares = design.shares(4, 3)
        values = shares @ np.array([3.0, -1.0, 0.0, 0.25])
        effects = elementary_effects(shares, values)
        assert effects == pytest.approx(np.array([[3.0] * 5, [-1.0] * 5, [0.0] * 5, [0.25] * 5]), abs=1e-12)
        found = {(each.name, each.parameters[0]): each for each in indices(design, shares, values, 0)}
        assert [found["mu", i].value for i in range(4)] == [3.0, -1.0, 0.0, 0.25]
        assert [found["mu_star", i].value for i in range(4)] == [3.0, 1.0, 0.0, 0.25]
        assert [found["sigma", i].value for i in range(4)] == [0.0] * 4

    def test_own_effects_are_those_of_the_library(self):
        design = Design("morris", 50)
        shares = design.shares(3, 7)
        found = {(each.name, each.parameters[0]): each for each in indices(design, shares, ishigami(shares), 0)}
        library = morris.analyze(problem_of(3), shares, ishigami(shares), num_levels=LEVELS)
        for i in range(3):
            for name in ("mu", "mu_star", "sigma"):
                assert found[name, i].value == pytest.approx(library[name][i], rel=1e-5)
            assert found["sigma", i].low < found["sigma", i].value < found["sigma", i].high

    def test_intervals_of_few_trajectories_cover_what_they_say(self):
        # Effects of independent normal values are normal: the mean of |d| is the deviation times sqrt(2 / pi).
        design, stream = Design("morris", 10), np.random.default_rng(1)
        shares = design.shares(5, 1)
        deviation = math.sqrt(2) / DELTA
        exact = {"mu": 0.0, "mu_star": deviation * math.sqrt(2 / math.pi), "sigma": deviation}
        covered = dict.fromkeys(exact, 0)
        for seed in range(200):
            for each in indices(design, shares, stream.normal(size=len(shares)), seed):
                covered[each.name] += each.low <= exact[each.name] <= each.high
        # Of 1,000 each, with a standard error of 10 near 90 %. Quantiles of the bootstrap cover sigma 770 times.
        assert covered["mu"] == pytest.approx(950, abs=40)
        assert covered["mu_star"] == pytest.approx(940, abs=40)
        assert covered["sigma"] == pytest.approx(880, abs=40)

    def test_a_number_that_does_not_vary_has_no_parts_of_its_variance(self):
        design = Design("sobol", 8)
        shares = design.shares(2, 1)
        found = indices(design, shares, np.full(len(shares), 0.3), 0)
        assert {each.value for each in found} == {None}


class TestNoise:
    def test_a_shift_that_all_points_share_is_no_noise(self):
        design = Design("morris", 10)
        points = design.shares(2, 1) @ np.array([2.0, 1.0])
        shifted = points[:, None] + np.array([0.0, 5.0, -3.0])
        assert noise(design, 2, shifted).share == pytest.approx(0.0, abs=1e-12)

    def test_what_is_put_in_comes_out(self):
        design = Design("morris", 400)
        stream = np.random.default_rng(5)
        points = design.shares(2, 1) @ np.array([2.0, 0.0])
        values = points[:, None] + stream.normal(0, 0.5, (len(points), 4))
        found = noise(design, 2, values)
        # The mean of four runs has half the deviation of one; relative error of a variance: sqrt(2 / 3600) = 2.4 %.
        assert found.deviation == pytest.approx(0.25, rel=0.05)
        assert found.share == pytest.approx(0.25**2 / values.mean(axis=1).var(), rel=0.1)
        # The parameter that does nothing has the elementary effects of noise: 400 of them.
        effects = np.abs(elementary_effects(design.shares(2, 1), values.mean(axis=1))[1])
        assert found.effect == pytest.approx(effects.mean(), rel=4 * effects.std() / effects.mean() / 20)

    def test_single_runs_do_not_tell(self):
        assert noise(Design("morris", 3), 1, np.zeros((6, 1))) is None


class TestRanges:
    def test_whole_numbers_are_as_likely(self):
        found = [read_range("1..5").value(share) for share in np.linspace(0.001, 0.999, 1000)]
        assert [found.count(each) for each in range(1, 6)] == [200] * 5

    def test_equal_shares_of_a_logarithmic_range_are_equal_ratios(self):
        own = read_range("1 kbit/s..1 Gbit/s log")
        found = [own.value(share) for share in (0, 1 / 3, 2 / 3, 1)]
        assert found == ["1 kbit/s", "100 kbit/s", "10 Mbit/s", "1 Gbit/s"]

    def test_packets_are_whole(self):
        assert read_range("10 packets..20 packets").value(0.5) == "15 packets"
        assert read_range("10 packets..20 packets").kind == "whole"

    @pytest.mark.parametrize(
        ("written", "told"),
        [
            ("9 ms..1 ms", "upside-down"),
            ("1 ms..1 Mbit/s", "different units: 1 ms and 1 Mbit/s"),
            ("3..3", "one value only"),
            ("0 ms..5 ms log", "above 0"),
            ("fast..slow", "low end 'fast' is no number"),
            ("1 ms..", "high end is missing"),
            ("5", "is no range; write LOW..HIGH"),
            (["a"], "one choice only"),
            (["a", "a"], "has the choice 'a' twice"),
        ],
    )
    def test_mistakes(self, written, told):
        with pytest.raises(ValueError, match=told):
            read_range(written)


class TestStudies:
    def test_a_utilisation_is_linear_in_the_rates(self, command, scenario):
        page = screened(command, scenario, *RATES, "--metric", "utilisation[a-b]")
        assert page["points"] == 20 * 4
        star, sigma = (values_of(page, "utilisation[a-b]", name) for name in ("mu_star", "sigma"))
        # 4 Mbit/s of a constant rate on 10 Mbit/s; a packet more or less in 4 s is 0.0002.
        assert star["one.source.cbr.rate"]["value"] == pytest.approx(0.4, abs=0.0005)
        # A Poisson stream's count in 5 runs of 4 s: 4 standard errors of 2 Mbit/s, with steps of a packet in both ends.
        packets = 3e6 * 4 / 4000
        error = 4 * math.sqrt(2 * packets / 5) * 4000 / 4 / 10e6
        assert star["two.source.poisson.rate"]["value"] == pytest.approx(0.2, abs=error)
        assert star["a-b.delay"]["value"] < 1e-4
        assert sigma["one.source.cbr.rate"]["value"] < 0.001

    def test_a_delay_is_mostly_that_of_the_link(self, command, scenario):
        page = screened(command, scenario, *RATES, "--metric", "delay[two]", "--method", "sobol", "--samples", 32)
        total = values_of(page, "delay[two]", "ST")
        # The delay varies over 8 ms, and queues add less than a millisecond: 8^2 / 12 is over 98 % of the variance.
        assert total["a-b.delay"]["low"] <= 1 <= total["a-b.delay"]["high"]
        assert total["one.source.cbr.rate"]["high"] < 0.02
        assert 0 < page["metrics"][0]["noise"]["share"] < 0.01

    def test_bytes_are_the_same_however_it_is_run(self, command, scenario, tmp_path):
        words = ("screen", str(scenario), *RATES, "--samples", "3", "--runs", "2", "--format", "json")
        first = command(*words, "--jobs", "1", "--store", str(tmp_path / "one"))
        again = command(*words, "--jobs", "2", "--on", "processes", "--store", str(tmp_path / "two"))
        stored = command(*words, "--store", str(tmp_path / "two"))
        assert first.returncode == again.returncode == stored.returncode == 0
        assert first.stdout == again.stdout == stored.stdout

    def test_noise_that_is_everything_is_100_per_cent(self, command, scenario):
        words = ("--range", "duration=4999 ms..5 s", "--metric", "delay[two]", "--samples", "2")
        assert "delay[two]: noise is 100 % of" in command("screen", scenario, *words).stdout

    def test_nothing_runs_twice(self, command, scenario):
        words = ("screen", str(scenario), *RATES, "--samples", "3", "--runs", "2")
        assert command(*words).returncode == 0
        again = command(*words)
        assert "24 runs of 12 points, seed 1 (24 from the store)" in again.stdout
        planned = command(*words, "--dry-run")
        assert "12 points, 24 runs: 24 in the store, 0 to be made" in planned.stdout

    def test_a_study_file_says_all_of_it(self, command, scenario):
        study = scenario.with_name("study.toml")
        study.write_text(
            'scenario = "load.toml"\nruns = 2\n[ranges]\nload = "0.1..0.4"\na-b.delay = ["1 ms", "2 ms", "4 ms"]\n'
            '[derived]\none.source.cbr.rate = "load * a-b.rate"\n[metrics]\nfree = "1 - utilisation[a-b]"\n'
            '[sensitivity]\nmethod = "sobol"\nsamples = 16\nmetrics = ["free"]\n',
            encoding="utf-8",
        )
        page = screened(command, study)
        assert (page["method"], page["points"], page["runs"]) == ("sobol", 64, 2)
        assert page["ranges"]["a-b.delay"] == {"kind": "choices", "choices": ["1 ms", "2 ms", "4 ms"]}
        total = values_of(page, "free", "ST")
        assert total["load"]["low"] <= 1 <= total["load"]["high"]
        done = command("check", str(study))
        assert done.returncode == 0
        assert done.stdout.endswith(": the middle of all ranges, and both ends (or each choice) of every range.\n")
        run = command("run", str(study))
        assert run.returncode == 2
        assert "penstock screen" in run.stderr

    def test_python_gives_a_frame_and_a_picture(self, tmp_path):
        net = ps.Network()
        a, b = net.node("a"), net.node("b")
        net.link(a, b, rate="1 Mbit/s", delay="1 ms")
        net.flows("one", a, b, source=ps.Cbr(rate="100 kbit/s", packet="500 bytes"))
        net.measure("utilisation", of="a-b")
        study = ps.Study(net, duration="2 s").runs(2)
        found = study.sensitivity(
            {"one.source.cbr.rate": "100 kbit/s..500 kbit/s"}, ["utilisation[a-b]"], samples=4, store=ps.Store(tmp_path)
        )
        frame = found.frame()
        assert frame["index"].to_list() == ["mu", "mu_star", "sigma"]
        assert frame["value"][0] == pytest.approx(0.4, abs=0.01)
        about = frame.select("scenario", "settings", "runs", "duration_s", "warm_up_s", "seed", "model_version")
        told = {
            "scenario": "study",
            "settings": "{}",
            "runs": 2,
            "duration_s": 2.0,
            "warm_up_s": 0.0,
            "seed": 1,
            "model_version": _core.MODEL_VERSION,
        }
        assert about.unique().to_dicts() == [told]
        in_json = json.loads(found.json())
        assert {name: in_json[name] for name in told} == told | {"settings": {}}
        assert found.plot().content("svg") == found.plot().content("svg")
        assert found._repr_html_().count("<tr>") == 4
        # An interval with unequal sides is shown by its bounds, in the unit of the table of the command line.
        lopsided = Index("mu_star", (0,), 0.4, 0.1, 0.5)
        page = replace(found, analyses=[replace(found.analyses[0], indices=[lopsided])])._repr_html_()
        assert "<td>mu_star</td><td>40 (10 to 50)</td><td>%</td>" in page
        with pytest.raises(InputError, match="was not looked at"):
            found.plot("delay")
        with pytest.raises(ScenarioError, match="upside-down"):
            study.sensitivity({"one.source.cbr.rate": "5 kbit/s..1 kbit/s"})


class TestMistakes:
    @pytest.mark.parametrize(
        ("words", "told"),
        [
            ((), "nothing varies"),
            (("--range", "a-b.rate=9 Mbit/s..1 Mbit/s", "--range", "a-b.delay=1 ms..1 bit/s"), "upside-down"),
            (("--range", "a-b.rate=9 Mbit/s..1 Mbit/s", "--range", "a-b.delay=1 ms..1 bit/s"), "different units"),
            (("--range", "a-b.rate"), "not of the form PATH=LOW..HIGH"),
            (("--range", "a-b.rat=1 Mbit/s..2 Mbit/s"), "rat"),
            (("--range", "seed=1..9"), "the seed varies with the ranges"),
            (("--range", "a-b.rate=1 ms..2 ms"), "a-b.rate"),
            (("--range", "load=1..2"), "changes nothing"),
            ((*RATES, "--metric", "delai", "--metric", "goodput"), "did you mean 'delay'"),
            ((*RATES, "--metric", "delai", "--metric", "goodput"), "'goodput' is not measured here"),
            ((*RATES, "--method", "sobol", "--samples", "48"), "32 or 64"),
            ((*RATES, "--samples", "1"), "2 or more"),
            ((*RATES, "--second-order"), "--method sobol"),
            ((*RATES, "--set", "a-b.delay=1 ms,2 ms"), "write it as --range"),
            ((*RATES, "--plot", "a.gif"), ".png"),
        ],
    )
    def test_are_told_before_anything_is_run(self, command, scenario, words, told):
        done = command("screen", str(scenario), *words)
        assert done.returncode == 2, done.stderr
        assert told in done.stderr
        assert done.stdout == ""

    def test_a_number_that_is_none_is_named(self, command, scenario):
        text = LOAD.replace('name = "two"', 'name = "two"\nstart = "4.9999 s"')
        scenario.write_text(text, encoding="utf-8")
        done = command("screen", str(scenario), *RATES, "--metric", "delay[two]", "--samples", "2", "--runs", "2")
        assert done.returncode == 2
        assert "delay[two] is no number in some run at" in done.stderr
        assert "first (at one.source.cbr.rate = " in done.stderr

    def test_what_does_not_go_together_with_ranges_is_told_with_its_line(self, command, scenario):
        study = scenario.with_name("study.toml")
        study.write_text(
            'scenario = "load.toml"\nwhere = ["1 < 2"]\ncompare = { parameter = "a", baseline = 1, metrics = ["b"] }\n'
            '[ranges]\na-b.delay = "1 ms..2 ms"\n[grid]\na-b.rate = ["1 Mbit/s"]\n[sensitivity]\nmethod = "lucky"\n',
            encoding="utf-8",
        )
        done = command("screen", str(study))
        assert done.returncode == 2
        assert "study.toml:3: compare: does not go together with ranges" in done.stderr
        assert "study.toml:9: sensitivity.method: is none of morris, sobol" in done.stderr

    @pytest.mark.parametrize("samples", [4.0, "4", True])
    def test_a_number_of_samples_that_is_no_whole_number(self, samples):
        with pytest.raises(InputError, match=f"samples: {samples} is no whole number"):
            Design.of("morris", samples)

    def test_without_salib_it_names_the_extra(self, monkeypatch):
        monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
        with pytest.raises(InputError, match=r"install it with: pip install 'salib"):
            Design.of()

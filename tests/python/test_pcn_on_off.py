"""The fluid model of CL with on-off calls, next to the stored runs of the study."""

import importlib.util
import statistics
from pathlib import Path

import pytest

from penstock.reproductions.loading import load
from penstock.reproductions.stored import stored_outcome

FILE = Path(__file__).parents[2] / "examples" / "studies" / "pcn_on_off.py"


@pytest.fixture(scope="module")
def model():
    spec = importlib.util.spec_from_file_location("pcn_on_off", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def runs():
    outcome = stored_outcome(load("pcn"))

    def mean(traffic, over_sr):
        key = {"load_over_sr": over_sr, "traffic": traffic}
        return statistics.fmean(outcome.values("C.1", "over_termination_cl", key))

    return mean


@pytest.mark.parametrize("over_sr", [1.25, 2.0])
def test_packets_in_flight_make_cbr_cut_again(model, runs, over_sr):
    assert model.simulate(model.CBR, over_sr, 1.0, 1, span=2.0) == pytest.approx(runs("CBR", over_sr), abs=0.6)


def test_fluctuations_alone_explain_the_lower_load(model, runs):
    # 30 to 50 s after the event, when the study measures.
    for traffic in (model.VBR, model.SVD):
        assert model.settled(traffic, 40.0) == pytest.approx(runs(traffic.name, 1.25), abs=1.5)
    # They grow with the spread of the load, 7 % of SR with SVD and 3 % with VBR, and slow down.
    assert model.settled(model.SVD, 40.0) > 2 * model.settled(model.VBR, 40.0)
    assert model.settled(model.VBR, 20.0) > 0.85 * model.settled(model.VBR, 40.0)


def test_more_activity_at_the_cut_ends_more_calls(model):
    stationary, more = (model.simulate(model.VBR, 2.0, p, 1, span=2.0) for p in (model.SHARE, 0.5))
    # 0.5 for 0.34 decays with a time constant of 224 ms; the cut is by what was active in the first 200 ms.
    assert more - stationary > 10

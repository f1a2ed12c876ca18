"""Pictures: what is drawn is looked at on the axes, number by number."""

from __future__ import annotations

import itertools
import math

import polars as pl
import pytest
from matplotlib.collections import LineCollection
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.patches import Rectangle
from matplotlib.text import Text

import penstock as ps
from penstock.errors import InputError
from penstock.plots import picture, plot, request_of
from penstock.plots.data import Data, Datum, from_json
from penstock.plots.kinds import band_of
from penstock.plots.style import look

RUNS = [[9e5, 1e6, 1.1e6], [1.9e6, 2e6, 2.1e6]]


def metric(name, unit, labels, values, half=0.1):
    mean = sum(values) / len(values)
    ends = {"ci_low": mean * (1 - half), "ci_high": mean * (1 + half)} if len(values) > 1 else {}
    return {"name": name, "unit": unit, "labels": labels, "mean": mean, "runs": len(values), "values": values} | (
        ends or {"ci_low": None, "ci_high": None}
    )


def point(parameters, scale=1.0):
    return {
        "parameters": parameters,
        "metrics": [
            metric("goodput", "bit/s", {"of": "near", "statistic": "sum"}, [scale * each for each in RUNS[0]]),
            metric("goodput", "bit/s", {"of": "far", "statistic": "sum"}, [scale * each for each in RUNS[1]]),
            metric("delay", "s", {"of": "near", "statistic": "mean"}, [0.001 * scale] * 3),
            metric("delay", "s", {"of": "near", "statistic": "max"}, [0.004 * scale] * 3),
            *(
                metric("jitter", "s", {"of": "near", "quantile": q}, [float(q) * 1e-3 * scale] * 3)
                for q in ("0.5", "0.9")
            ),
        ],
    }


@pytest.fixture
def study():
    limits, rates = ["10 packets", "50 packets", "200 packets"], ["2 Mbit/s", "8 Mbit/s"]
    points = [
        point({"r1-r2.queue.tail-drop.limit": limit, "rate": rate}, (i + 1) * (j + 1))
        for i, limit in enumerate(limits)
        for j, rate in enumerate(rates)
    ]
    return from_json({"study": "it", "points": points}, "it.json")


def drawn(data, kind=None, **asked):
    return picture(data, request_of(kind, **asked))


def bars_of(axes):
    """Of each series with error bars: across, up, and the lower and upper ends."""
    found = {}
    for container in axes.containers:
        if isinstance(container, ErrorbarContainer):
            line, _, ends = container.lines
            segments = ends[0].get_segments() if ends else []
            found[container.get_label()] = (
                list(line.get_xdata()),
                list(line.get_ydata()),
                [segment[0][1] for segment in segments],
                [segment[1][1] for segment in segments],
            )
    return found


def legend(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_a_line_has_its_numbers_in_their_units_and_its_intervals(study):
    figure = drawn(study, y="goodput[near]", x="limit", by="rate")
    [axes] = figure.axes
    series = bars_of(axes)
    assert list(series) == ["2 Mbit/s", "8 Mbit/s"]
    xs, ys, lows, highs = series["2 Mbit/s"]
    assert xs == [10, 50, 200]
    assert ys == pytest.approx([1, 2, 3])
    assert lows == pytest.approx([0.9, 1.8, 2.7])
    assert highs == pytest.approx([1.1, 2.2, 3.3])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("limit (packets)", "goodput of near (Mbit/s)")
    assert legend(figure) == ["2 Mbit/s", "8 Mbit/s"]
    assert axes.get_ylim()[0] == 0


def test_what_is_not_said_is_chosen_so_that_no_two_numbers_share_a_place(study):
    figure = drawn(study, y="goodput")
    assert [axes.get_title() for axes in figure.axes] == ["near", "far"]
    assert all(list(bars_of(axes)) == ["2 Mbit/s", "8 Mbit/s"] for axes in figure.axes)
    assert figure.axes[0].get_xlabel() == "limit (packets)"


def test_the_mean_is_meant_where_nothing_is_said_of_the_statistic(study):
    figure = drawn(study, y="delay", where={"rate": "2 Mbit/s"})
    assert figure.axes[0].get_ylabel() == "delay of near (ms)"
    [series] = bars_of(figure.axes[0]).values()
    assert series[1] == pytest.approx([1, 2, 3])
    figure = drawn(study, y="delay[max]", where={"rate": "2 Mbit/s"})
    assert figure.axes[0].get_ylabel() == "delay of near, max (ms)"


def test_intervals_and_the_note_can_be_left_out(study):
    asked = {"y": "goodput[near]", "x": "limit", "by": "rate"}
    assert "bars: 95 % confidence intervals" in drawn(study, **asked).get_supxlabel()
    assert "means of 3 runs" in drawn(study, **asked).get_supxlabel()
    figure = drawn(study, **asked, intervals=False, note=False)
    assert figure.get_supxlabel() == ""
    assert not [each for each in figure.axes[0].collections if isinstance(each, LineCollection)]


def test_bars_stand_side_by_side_from_zero(study):
    figure = drawn(study, "bar", y="goodput", x="of", by="limit", where={"rate": "2 Mbit/s"})
    [axes] = figure.axes
    groups = [each for each in axes.containers if isinstance(each, BarContainer)]
    assert [group.get_label() for group in groups] == ["10 packets", "50 packets", "200 packets"]
    assert [[bar.get_height() for bar in group] for group in groups] == [
        pytest.approx([1, 2]),
        pytest.approx([2, 4]),
        pytest.approx([3, 6]),
    ]
    left = [group[0].get_x() for group in groups]
    assert all(b - a >= groups[0][0].get_width() for a, b in itertools.pairwise(left))
    assert axes.get_ylim()[0] == 0
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["near", "far"]
    hatches = {group[0].get_hatch() for group in groups}
    assert len(hatches) == 3


def test_a_distribution_of_runs_has_steps_and_the_band_of_its_number_of_runs(study):
    figure = drawn(study, "cdf", y="goodput[far]", where={"rate": "2 Mbit/s", "limit": "10 packets"})
    [axes] = figure.axes
    [steps] = axes.lines
    assert list(steps.get_xdata()) == pytest.approx([1.9, 1.9, 2.0, 2.1])
    assert list(steps.get_ydata()) == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert axes.get_xlabel() == "goodput of far (Mbit/s)"
    # sqrt(ln(2 / 0.05) / 6): what Massart's inequality gives for three runs.
    assert band_of(3) == pytest.approx(0.7841, abs=1e-4)
    assert len(axes.collections) == 1


def test_a_distribution_with_quantiles_is_drawn_through_them(study):
    figure = drawn(study, "cdf", y="jitter", by="rate", where={"limit": "10 packets"})
    series = bars_of(figure.axes[0])
    assert series["2 Mbit/s"][:2] == (pytest.approx([0.5, 0.9]), [0.5, 0.9])
    assert figure.axes[0].get_ylabel() == "quantile"
    assert figure.axes[0].get_xlabel() == "jitter of near (ms)"


def test_boxes_have_their_quartiles_and_the_mean(study):
    figure = drawn(study, "box", y="goodput[near]", x="limit", where={"rate": "2 Mbit/s"})
    [axes] = figure.axes
    boxes = [patch.get_path().vertices[:, 1] for patch in axes.patches if not isinstance(patch, Rectangle)]
    assert [(up.min(), up.max()) for up in boxes] == [pytest.approx((0.95 * n, 1.05 * n)) for n in (1, 2, 3)]
    means = [each.lines[0].get_ydata()[0] for each in axes.containers if isinstance(each, ErrorbarContainer)]
    assert means == pytest.approx([1, 2, 3])


def test_the_mean_in_a_box_has_the_interval_of_its_number():
    loss = metric("loss", "1", {"of": "near"}, [0.01, 0.02, 0.12]) | {"ci_low": 0.0042, "ci_high": 0.43}
    data = from_json({"study": "it", "points": [{"parameters": {"a": 1}, "metrics": [loss]}]}, "it.json")
    [axes] = drawn(data, "box", y="loss").axes
    [diamond] = [each for each in axes.containers if isinstance(each, ErrorbarContainer)]
    [[(_, low), (_, high)]] = diamond.lines[2][0].get_segments()
    assert (low, high) == pytest.approx((0.42, 43))


def test_the_note_counts_the_runs_that_have_the_number():
    numbers = [
        Datum("wait", "s", {"load": 1}, {}, 2.0, 1.0, 3.0, [1.0, 2.0, 3.0]),
        Datum("wait", "s", {"load": 2}, {}, math.nan, None, None, [1.0, math.nan, math.nan]),
    ]
    for kind, told in (("box", "1 to 3 runs each"), ("cdf", "1 to 3 runs each"), ("line", "means of 3 runs")):
        assert drawn(Data(numbers), kind).get_supxlabel().startswith(f"{told};")


def test_a_heat_map_has_a_cell_for_each_pair_with_its_number(study):
    figure = drawn(study, "heatmap", y="goodput[near]", x="limit", by="rate")
    axes, colours = figure.axes
    assert axes.images[0].get_array().tolist() == [pytest.approx([1, 2, 3]), pytest.approx([2, 4, 6])]
    texts = [text.get_text() for text in axes.texts]
    assert texts[0] == "1\n±0.1"
    assert len(texts) == 6
    assert axes.get_ylabel() == "rate"
    assert colours.get_ylabel() == "goodput of near (Mbit/s)"


def test_a_heat_map_has_the_bounds_of_an_interval_with_unequal_sides():
    loss = metric("loss", "1", {"of": "near"}, [0.01, 0.02, 0.12]) | {"ci_low": 0.0042, "ci_high": 0.43}
    data = from_json({"study": "it", "points": [{"parameters": {"a": 1, "b": 1}, "metrics": [loss]}]}, "it.json")
    axes, _ = drawn(data, "heatmap", y="loss", x="a", by="b").axes
    assert [text.get_text() for text in axes.texts] == ["5\n0.42 to 43"]


def test_several_numbers_have_a_row_each(study):
    figure = drawn(study, y=["goodput[near]", "delay"], by="rate")
    assert [axes.get_ylabel() for axes in figure.axes] == ["goodput of near (Mbit/s)", "delay of near (ms)"]
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "limit (packets)"]


def test_a_frame_over_time_is_averaged_over_its_replications():
    frame = pl.DataFrame(
        {
            "time": [0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
            "replication": [0, 0, 1, 1, 2, 2],
            "sent": [7.0, 8.0, 9.0, 10.0, 11.0, 12.0],
            "queue": [1.0, 5.0, 2.0, 6.0, 3.0, 7.0],
        }
    )
    figure = plot(frame)
    [axes] = figure.axes
    [line] = axes.lines
    assert (list(line.get_xdata()), list(line.get_ydata())) == ([0, 1], pytest.approx([2, 6]))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("time", "queue")
    [band] = axes.collections
    # t(0.975, 2) / sqrt(3) times a standard deviation of 1 = 2.484 on either side.
    ys = band.get_paths()[0].vertices[:, 1]
    assert (ys.min(), ys.max()) == pytest.approx((2 - 2.4841, 6 + 2.4841), abs=1e-3)


def test_a_long_frame_over_time_has_units_and_a_line_for_each_link():
    frame = pl.DataFrame(
        {
            "time": [0.0, 1.0] * 2,
            "metric": ["wait"] * 4,
            "link": ["a", "a", "b", "b"],
            "unit": ["s"] * 4,
            "value": [0.001, 0.002, 0.003, 0.004],
        }
    )
    figure = plot(frame, by="link")
    assert {line.get_label(): list(line.get_ydata()) for line in figure.axes[0].lines} == {
        "a": pytest.approx([1, 2]),
        "b": pytest.approx([3, 4]),
    }
    assert figure.axes[0].get_ylabel() == "wait (ms)"
    with pytest.raises(
        InputError, match=r"2 numbers wait share one position \(time = 0\); .* by, facet or where \(link\)"
    ):
        plot(frame)


def test_an_interval_that_reaches_below_zero_is_drawn_to_its_end():
    numbers = [Datum("gain", "s", {"load": load}, {}, 1.0, -2.0, 4.0, [1.0] * 3) for load in (1, 2)]
    assert drawn(Data(numbers)).axes[0].get_ylim()[0] < -2
    assert drawn(Data(numbers), intervals=False).axes[0].get_ylim()[0] >= 0


def test_an_observation_without_a_position_is_left_out():
    frame = pl.DataFrame({"load": [1, None, 3], "delay": [1.0, 2.0, 3.0]})
    (line,) = plot(frame).axes[0].lines
    assert (line.get_xdata().tolist(), line.get_ydata().tolist()) == ([1, 3], [1, 3])


def test_points_without_a_setting_that_others_have_are_drawn():
    points = [{"discipline": "tail drop", "limit": "3 packets"}, {"discipline": "tail drop", "limit": "9 packets"}]
    numbers = [
        Datum("delay", "s", point, {}, float(mean), values=[float(mean)])
        for mean, point in enumerate([*points, {"discipline": "CoDel"}], start=1)
    ]
    axes = drawn(Data(numbers), "bar").axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["tail drop", "CoDel"]
    heights = {bars.get_label(): [bar.get_height() for bar in bars] for bars in axes.containers if bars.get_label()}
    assert heights == {"3 packets": [1], "9 packets": [2], "none": [3]}
    # An x axis of numbers is chosen only if all have a position on it.
    assert drawn(Data(numbers)).axes[0].get_xlabel() == "discipline"
    over = drawn(Data(numbers), x="limit")
    assert over.axes[0].get_xlabel() == "limit (packets)"
    assert over.get_supxlabel().endswith("; 1 without limit not drawn")


def test_observations_that_share_a_place_make_a_box():
    frame = pl.DataFrame({"queue": ["red", "red", "red", "tail"], "delay": [1.0, 2.0, 3.0, 4.0]})
    figure = plot(frame, kind="box", x="queue", y="delay")
    assert [tick.get_text() for tick in figure.axes[0].get_xticklabels()] == ["red", "tail"]


def test_a_frame_of_results_is_drawn_as_the_results_are():
    net = ps.Network()
    a, b = net.node("a"), net.node("b")
    net.link(a, b, rate="1 Mbit/s", delay="1 ms")
    net.flows("f", a, b, source=ps.PoissonSource(rate="500 kbit/s", packet="500 bytes"))
    net.measure("goodput", of="f")
    result = ps.Study(net, duration="5 s").vary("a-b.rate", ["200 kbit/s", "400 kbit/s"]).runs(3).result()
    frame = result.frame()
    one, other = result.plot().axes[0], plot(frame).axes[0]
    assert one.get_xlabel() == other.get_xlabel() == "rate (kbit/s)"
    [[xs, ys, lows, highs]] = bars_of(one).values()
    assert xs == [200, 400]
    assert ys == pytest.approx([mean / 1e3 for mean in frame["mean"]])
    assert lows == pytest.approx([low / 1e3 for low in frame["ci_low"]])
    assert highs == pytest.approx([high / 1e3 for high in frame["ci_high"]])
    assert list(bars_of(other).values()) == [(xs, ys, lows, highs)]
    # The single runs, a row each: their means again, and boxes of them.
    [[_, means, least, _]] = bars_of(plot(result.values()).axes[0]).values()
    assert (means, least) == (pytest.approx(ys), pytest.approx(lows))
    assert "3 runs each" in plot(result.values(), kind="box").get_supxlabel()
    # The means alone have no quartiles.
    for kind in ("box", "cdf"):
        with pytest.raises(InputError, match=rf"has means without their runs, which a {kind} shows; .* or --values"):
            plot(frame, kind=kind)


def test_series_are_told_apart_without_colours():
    looks = [look(turn) for turn in range(24)]
    assert len({(each.marker, each.dashes) for each in looks}) == 24
    assert len({each.colour for each in looks[:8]}) == 8


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_equal_numbers_give_equal_bytes_whatever_the_user_has_set(study, ending):
    import matplotlib as mpl

    first = drawn(study, y="goodput").content(ending)
    with mpl.rc_context({"font.size": 20, "lines.linewidth": 9, "svg.hashsalt": None, "savefig.dpi": 30}):
        assert drawn(study, y="goodput").content(ending) == first
    year = b"/CreationDate" if ending == "pdf" else b"<dc:date>"
    assert year not in first


def test_fonts_are_inside_and_widths_are_those_of_a_paper(study):
    pdf = drawn(study, y="goodput").content("pdf")
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    svg = drawn(study, y="goodput", width="page").content("svg")
    assert b"<text" not in svg
    assert b'width="515.52pt"' in svg  # 7.16 inches


def outside(figure):
    """Texts that are cut off by the edge, and pairs of texts that cover one another."""
    figure.draw_without_rendering()
    found = []
    beyond = {
        id(label)
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis.get_major_ticks()
        for label in (tick.label1, tick.label2)
        if not min(axis.get_view_interval()) - 1e-9 <= tick.get_loc() <= max(axis.get_view_interval()) + 1e-9
    }
    texts = {id(text): text for text in figure.findobj(Text)}
    for text in texts.values():
        if text.get_visible() and text.get_text() and id(text) not in beyond:
            found.append((text.get_text(), text.get_window_extent()))
    page = figure.bbox
    cut = [t for t, e in found if e.x0 < page.x0 - 1 or e.y0 < page.y0 - 1 or e.x1 > page.x1 + 1 or e.y1 > page.y1 + 1]
    covered = [
        (a, b)
        for i, (a, one) in enumerate(found)
        for b, other in found[i + 1 :]
        if min(one.x1, other.x1) - max(one.x0, other.x0) > 1 and min(one.y1, other.y1) - max(one.y0, other.y0) > 1
    ]
    return cut, covered


@pytest.mark.parametrize("width", ["column", "page"])
@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        ("line", {"y": "goodput"}),
        ("bar", {"y": "goodput", "x": "limit", "by": "rate"}),
        ("box", {"y": "goodput", "x": "limit", "by": "rate"}),
        ("cdf", {"y": "goodput[near]"}),
        ("heatmap", {"y": "goodput", "x": "limit", "by": "rate"}),
    ],
)
def test_no_text_is_cut_or_covered(study, kind, asked, width):
    assert outside(drawn(study, kind, width=width, title="A study of buffers", **asked)) == ([], [])


@pytest.mark.parametrize(
    ("name", "turned"), [("a rather long name of a queue", 90.0), ("a long name", 40.0), ("n", 0.0)]
)
def test_long_names_below_the_axes_are_turned(name, turned):
    points = [point({"queue": f"{name} {n}"}) for n in range(6)]
    figure = drawn(from_json({"points": points}, "it"), "bar", y="goodput[near]")
    assert {label.get_rotation() for label in figure.axes[0].get_xticklabels()} == {turned}


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            {"x": "limmit"},
            r"there is no column 'limmit' in it\.json; did you mean 'limit'\? The columns are r1-r2\.queue",
        ),
        (
            {"x": "delay[near, mean]"},
            r"'delay\[near, mean\]' is a metric; x, by and facet each name a parameter or label",
        ),
        ({"y": "godput"}, r"no number 'godput' in it\.json; did you mean 'goodput'\? There are goodput, delay, jitter"),
        ({"y": "goodput[middle]"}, r"means no number; there are \[near, sum\], \[far, sum\]"),
        ({"y": "goodput[near"}, r"has no '\]' at its end"),
        ({"where": {"rate": "3 Mbit/s"}}, r"nothing has rate = '3 Mbit/s', .* there are 2 Mbit/s, 8 Mbit/s"),
        ({"kind": "lien"}, r"no kind of plot 'lien'; did you mean 'line'\? The kinds are line, bar, cdf, series"),
        ({"kind": "series"}, r"has no column 'time'"),
        ({"kind": "cdf", "x": "limit"}, r"a cdf has its numbers across"),
        ({"x": "rate", "by": "rate"}, r"stands for more than one"),
        (
            {"y": "goodput", "x": "of", "by": "statistic", "facet": "rate"},
            r"several numbers goodput share one position",
        ),
        ({"width": "poster"}, r"column or page wide"),
        ({"log": "z"}, r"x, y or xy"),
        ({"height": 0.1}, r"1 to 20 inches"),
    ],
)
def test_mistakes_say_what_is_allowed(study, asked, message):
    with pytest.raises(InputError, match=message):
        drawn(study, asked.pop("kind", None), **asked)


def test_what_has_no_numbers_is_not_plotted():
    with pytest.raises(InputError, match="nothing to plot"):
        drawn(from_json({"metrics": []}, "it"))
    with pytest.raises(InputError, match="nothing to plot"):
        plot(pl.DataFrame({"a": ["x"]}))
    nothing = point({"a": 1})
    nothing["metrics"] = [{**nothing["metrics"][0], "mean": None, "ci_low": None, "ci_high": None, "values": [None]}]
    with pytest.raises(InputError, match="is no number anywhere"):
        drawn(from_json({"points": [nothing]}, "it"))

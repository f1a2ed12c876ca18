"""The page and the picture of a printed table: every number of it, next to ours."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from matplotlib.container import BarContainer, ErrorbarContainer

from penstock import reproductions
from penstock.reproductions.comparison import compare
from penstock.reproductions.loading import load
from penstock.reproductions.stored import stored_outcome

MODULE = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "table_page.py"))
table_page, table_picture, stored_score = (MODULE[name] for name in ("table_page", "table_picture", "stored_score"))


def tables():
    for name in reproductions.names():
        study = load(name)
        outcome = stored_outcome(study)
        if outcome is None:
            continue
        comparisons = compare(study.document, outcome)
        for table in outcome.tables:
            own = [each for each in comparisons if each.table == table.id]
            if own:
                yield pytest.param(study.document, table, own, id=f"{name}-{table.id}")


@pytest.mark.parametrize(("document", "table", "own"), list(tables()))
def test_a_page_has_every_number_of_its_table_in_parts_of_four_columns(document, table, own):
    page = table_page(document, table, own, "it.svg")
    grids = re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE)
    assert len(grids) == -(-len(table.compared) // 4)
    rows = [line for grid in grids for line in grid.splitlines()[2:]]
    assert len(rows) == len(grids) * len(table.rows)
    # Every row has a cell for each heading, however a name is written.
    for grid in grids:
        assert len({line.count("|") for line in grid.splitlines()}) == 1
    assert sum(row.count("**") // 2 for row in rows) == sum(each.agrees is False for each in own)
    counted = sum(each.agrees is True for each in own)
    agree = f"**{counted} of {len(own)} numbers agree**"
    if not table.is_own:
        score = stored_score(document, table.id)
        assert (score.agree, score.computed) == (counted, len(own))
        agree += f"; best null model {score.best} ({score.best_name}), discrimination {score.discrimination:+.2f}. "
    assert ("there is nothing to compare them with" if table.is_own else agree) in page
    assert "![Table" in page
    assert "(it.svg)" in page


def test_a_cell_has_the_print_as_it_stands_there_and_our_interval():
    document = load("md1k").document
    [table] = [table for table in document.tables if table.id == "2"]
    own = [each for each in compare(document, stored_outcome(load("md1k"))) if each.table == "2"]
    row = next(line for line in table_page(document, table, own, "it.svg").splitlines() if line.startswith("| 0.9 |"))
    found = next(each for each in own if each.row["load"] == 0.9)
    _, printed, ours = (cell.strip() for cell in row.strip("|").split("|"))
    assert float(printed) == found.published
    mean, half = ours.split(" ±")
    assert float(mean) == pytest.approx(found.mean, abs=0.01)
    assert float(half) == pytest.approx((found.high - found.low) / 2, rel=0.05)


def test_a_picture_has_the_print_its_tolerance_and_our_mean_with_its_interval():
    study = load("ef")
    document = study.document
    [table] = [table for table in document.tables if table.id == "2"]
    own = [each for each in compare(document, stored_outcome(study)) if each.table == "2"]
    figure = table_picture(document, table, own)
    assert [axes.get_xlabel() for axes in figure.axes] == [
        f"{column.heading} (percent of packet time)" for column in table.compared
    ]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["print", "here, agrees", "here, differs"]
    for axes, column in zip(figure.axes, table.compared, strict=True):
        of_column = [each for each in own if each.column == column.name]
        printed = next(line for line in axes.lines if line.get_label() == "print")
        assert list(printed.get_xdata()) == [each.published for each in of_column]
        [tolerance] = [each for each in axes.containers if isinstance(each, BarContainer)]
        for bar, each, row in zip(tolerance, of_column, table.rows, strict=True):
            allowed = document.tolerance(table, row, column).allows(each.published)
            assert (bar.get_x(), bar.get_width()) == pytest.approx((each.published - allowed, 2 * allowed))
        drawn = {
            container.get_label(): (
                list(container.lines[0].get_xdata()),
                [segment[1][0] - segment[0][0] for segment in container.lines[2][0].get_segments()],
            )
            for container in axes.containers
            if isinstance(container, ErrorbarContainer)
        }
        for verdict in ("agrees", "differs"):
            expected = [each for each in of_column if each.verdict == verdict]
            if expected:
                means, widths = drawn[f"here, {verdict}"]
                assert means == [each.mean for each in expected]
                assert widths == pytest.approx([each.high - each.low for each in expected])
    assert figure.content("svg") == table_picture(document, table, own).content("svg")

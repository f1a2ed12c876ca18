"""Reports in a real browser: nothing on its console, nothing from the network, by keyboard, accessible, on any screen.

Needs Chromium, and is skipped without it; where PENSTOCK_BROWSER is "needed", as in continuous integration, it fails.
"""

from __future__ import annotations

import pytest
from browser_page import NEEDS_BROWSER, WAIT, Opened

from penstock.report import render
from penstock.report.making import Makers, published_report
from penstock.store import Store

pytestmark = NEEDS_BROWSER


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The page of the largest published study."""
    return written("pcn", tmp_path_factory.mktemp("report"))


def written(study, folder):
    """The page of a published study, from the runs that come with the package."""
    page = folder / f"{study}.html"
    made = published_report(study, Makers(Store(folder / "store"), only_stored=True))
    page.write_text(render(made), encoding="utf-8")
    return page


@pytest.fixture(scope="module")
def desktop(browser, file):
    opened = Opened(browser, file, viewport={"width": 1280, "height": 900})
    yield opened.ready()
    opened.context.close()


def test_plots_are_there_at_once_and_tables_within_two_seconds(browser, file):
    """CPU until all is shown and tables can be sorted; for the first plot that is used, the library takes as much."""
    opened = Opened(browser, file, viewport={"width": 1280, "height": 900})
    page = opened.page
    page.wait_for_selector("html[data-ready]", timeout=WAIT)
    assert page.locator("figure.plot .still").count() == page.locator("figure.plot").count() == 13
    assert page.locator(".still").first.is_visible()
    assert opened.cpu_s() < 2
    assert page.locator("figure.plot[data-drawn]").count() == 0
    page.locator(".canvas").first.click()
    page.locator(".scatterlayer").first.wait_for(state="attached", timeout=WAIT)
    assert opened.cpu_s() < 4
    # The others stay as they are.
    assert page.locator("figure.plot[data-drawn]").count() == 1
    assert page.locator("figure.plot .still").count() == 12
    opened.context.close()


def test_a_plot_has_its_place_and_size_before_and_after_it_is_used(browser, file):
    opened = Opened(browser, file, viewport={"width": 1280, "height": 900})
    box = opened.page.locator(".canvas").first.bounding_box()
    opened.ready()
    assert opened.page.locator(".canvas").first.bounding_box() == box
    opened.context.close()


def test_without_scripts_every_plot_and_number_is_there(browser, file):
    opened = Opened(browser, file, viewport={"width": 1280, "height": 900}, java_script_enabled=False)
    assert opened.page.locator("figure.plot .still").count() == 13
    assert opened.page.locator("#table-b-2 tbody tr").count() == 36
    opened.context.close()


def test_nothing_is_said_and_nothing_loaded(desktop, file):
    assert desktop.said == []
    assert desktop.asked == [file.as_uri()]


def test_every_plot_is_drawn(desktop):
    page = desktop.page
    assert page.locator("figure.plot").count() == 13
    assert page.locator("figure.plot:has(.scatterlayer .trace)").count() == 13


def test_no_rule_of_accessibility_is_violated_in_light(desktop):
    assert desktop.violations() == []
    assert desktop.is_as_wide_as_the_screen()


def test_tables_are_sorted_and_filtered_by_keyboard(desktop):
    page = desktop.page
    folded = page.locator("#part-b-2 details > summary")
    folded.focus()
    page.keyboard.press("Enter")
    table = page.locator("#table-b-2")
    column = [text.lower() for text in table.locator("thead th").all_inner_texts()].index("print")

    def printed():
        return [float(text) for text in table.locator(f"tbody tr:visible td:nth-child({column + 1})").all_inner_texts()]

    head = table.locator("thead button").nth(column)
    head.focus()
    page.keyboard.press("Enter")
    assert printed() == sorted(printed())
    assert table.locator("th[aria-sort=ascending]").count() == 1
    page.keyboard.press("Enter")
    assert printed() == sorted(printed(), reverse=True)
    assert len(printed()) == 36

    box = page.locator("[data-table=table-b-2]")
    box.locator("[data-filter]").focus()
    page.keyboard.type("svd rtt140")
    assert len(printed()) == 2
    assert box.locator("[data-count]").inner_text() == "2 of 36 rows"
    box.locator("[data-filter]").fill("")
    box.get_by_label("verdict").select_option("differs")
    assert len(printed()) == 6
    box.get_by_label("verdict").select_option("")
    folded.click()


def test_the_keyboard_reaches_everything(desktop):
    """The way to the content, sections, colours and tables in their order; and a plot is read point by point."""
    page = desktop.page
    page.locator(".skip").focus()
    words = []
    for _ in range(9):
        words.append(page.evaluate("(document.activeElement.innerText || document.activeElement.type || '').trim()"))
        page.keyboard.press("Tab")
    assert words[0] == "To the content"
    assert words[1:7] == ["Results", "Findings", "Settings", "Topology", "Provenance", "How to repeat"]
    assert words[7] == "Colours: system"
    assert words[8].startswith("smallest (%)")
    unreachable = page.evaluate(
        """[...document.querySelectorAll('button, input, select, a[href], summary, .canvas, .scroll')]
           .filter((each) => each.checkVisibility() && each.tabIndex < 0).length"""
    )
    assert unreachable == 0

    figure = page.locator("#plot-b-2")
    figure.locator(".canvas").focus()
    told = figure.locator("[data-told]")
    page.keyboard.press("ArrowRight")
    assert told.inner_text() == "print, with its tolerance: CBR S.Link at 0.028"
    page.keyboard.press("ArrowRight")
    assert "CBR RTT10 at 0.585" in told.inner_text()
    page.keyboard.press("ArrowDown")
    assert told.inner_text().startswith("here, agrees: ")
    figure.locator("[data-view]").select_option(label="largest (%)")
    figure.locator(".canvas").focus()
    page.keyboard.press("ArrowRight")
    assert "at 0." in told.inner_text()
    assert desktop.said == []


def test_colours_can_be_chosen(desktop):
    page = desktop.page
    button = page.locator("[data-theme-button]")
    backs = {}
    for name in ("light", "dark", "system"):
        button.click()
        assert button.inner_text() == f"Colours: {name}"
        backs[name] = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert backs["light"] == backs["system"] != backs["dark"]


def test_print_has_all_and_no_controls(desktop):
    page = desktop.page
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert page.locator(".controls:visible").count() == 0
    heights = page.locator("main .scroll").evaluate_all(
        "(all) => all.map((each) => each.scrollHeight - each.clientHeight)"
    )
    assert max(heights) <= 1
    page.emulate_media(media="screen")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_first_plot_of_a_study_is_in_sight(browser, penstock, tmp_path, width, height):
    """A sweep of the scenario that `penstock new` writes, on a desktop and on a phone, without scrolling."""
    assert penstock("new", "first.toml")[0] == 0
    sweep = "r1-r2.queue.tail-drop.limit=5 packets,10 packets,20 packets,50 packets"
    assert penstock("report", "first.toml", "--runs", "2", "--set", sweep)[0] == 0
    opened = Opened(browser, tmp_path / "first.html", viewport={"width": width, "height": height})
    opened.page.wait_for_selector("html[data-ready]", timeout=WAIT)
    assert opened.cpu_s() < 1
    box = opened.page.locator(".still").first.bounding_box()
    assert box["height"] > 300
    assert box["y"] + box["height"] <= height
    assert opened.page.evaluate("scrollY") == 0
    assert opened.violations() == []
    opened.context.close()


def test_on_a_phone_in_the_dark(browser, tmp_path):
    file = written("md1k", tmp_path)
    opened = Opened(browser, file, viewport={"width": 390, "height": 844}, has_touch=True, color_scheme="dark").ready()
    assert opened.said == []
    assert opened.is_as_wide_as_the_screen()
    ends = opened.page.evaluate(
        "[...document.querySelectorAll('nav ul, nav a')].map(it => it.getBoundingClientRect().right)"
    )
    assert max(ends) == ends[0], "no entry of the menu is cut off"
    assert opened.violations() == []
    opened.context.close()

"""A view in a real browser, as reports are tested: silent, alone, by keyboard, accessible; and time goes by in it."""

from __future__ import annotations

import time

import pytest
from test_report_browser import Opened, browser, pytestmark  # noqa: F401
from test_view import NET, OPTIONS

from penstock.trace import PacketTrace
from penstock.view import render, view_of

FAST = (
    NET.replace('"1 Mbit/s"', '"100 Mbit/s"')
    .replace('"10 Mbit/s"', '"100 Mbit/s"')
    .replace('"2 s"', '"30 s"')
    .replace('"20 ms"', '"2 ms"')
    .replace('"8 packets"', '"100 packets"')
)
"""More than a million events."""


def written(text, folder):
    file = folder / "view.html"
    page = render(view_of(text, PacketTrace(text, **OPTIONS), "net", OPTIONS), "penstock view net.toml")
    file.write_text(page, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return written(NET, tmp_path_factory.mktemp("view"))


@pytest.fixture(scope="module")
def desktop(browser, file):  # noqa: F811
    opened = Opened(browser, file, viewport={"width": 1280, "height": 900}).ready()
    opened.page.wait_for_selector("html[data-drawn]")
    yield opened
    opened.context.close()


def now(opened):
    return float(opened.page.locator("[data-now]").inner_text().split(" s")[0])


def pictures(opened):
    return int(opened.page.evaluate("document.documentElement.dataset.drawn"))


def until_drawn(opened, count):
    """Waits until so many pictures have been drawn; the page allows no words that are evaluated there to wait."""
    end = time.monotonic() + 120
    while pictures(opened) < count:
        assert time.monotonic() < end
        opened.page.wait_for_timeout(50)


def drawn(opened):
    """Waits until what was asked for is drawn."""
    opened.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def test_nothing_is_said_loaded_or_violated(desktop, file):
    assert desktop.said == []
    assert desktop.asked == [file.as_uri()]
    assert desktop.violations() == []
    assert desktop.is_as_wide_as_the_screen()


def test_time_goes_by_keyboard(desktop):
    page = desktop.page
    page.locator("#slider").focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    drawn(desktop)
    assert now(desktop) == pytest.approx(0.2, rel=0.01)
    page.get_by_role("button", name="Next event").focus()
    page.keyboard.press("Enter")
    assert " s: " in page.locator("[data-told]").inner_text()
    page.locator("[data-play]").focus()
    page.keyboard.press("Enter")
    before = now(desktop)
    until_drawn(desktop, 40)
    page.keyboard.press("Enter")
    assert now(desktop) > before
    assert page.locator("[data-play]").inner_text() == "Play"
    unreachable = page.evaluate(
        """[...document.querySelectorAll('button, input, select, .scroll, pre')]
           .filter((each) => each.checkVisibility() && each.tabIndex < 0).length"""
    )
    assert unreachable == 0
    assert desktop.said == []


def test_the_table_counts_the_flows_that_are_chosen(desktop):
    page = desktop.page
    page.locator("#slider").focus()
    page.keyboard.press("End")
    for _ in range(220):
        page.keyboard.press("ArrowRight")
    trace = PacketTrace(NET).frame()
    sent = trace.filter((trace["event"] == "transmit") & (trace["place"] == "r-b"))
    row = page.locator("[data-links] tr", has=page.get_by_role("rowheader", name="r-b", exact=True))

    def shown():
        drawn(desktop)
        return int(row.locator("td").nth(1).inner_text())

    assert shown() == sent.height
    page.locator("[data-flow]").select_option(label="tcp[1]")
    assert shown() == sent.filter(sent["flow"] == "tcp[1]").height < sent.height
    page.locator("[data-flow]").select_option(label="all")


def test_packets_are_drawn(desktop):
    page = desktop.page
    page.evaluate("document.querySelector('#slider').value = 50000")
    page.locator("#slider").dispatch_event("input")
    drawn(desktop)
    assert int(page.locator("[data-now]").inner_text().split(", ")[1].split()[0]) > 0
    ink = """(name) => {
      const canvas = document.querySelector(name), pen = canvas.getContext('2d');
      const all = pen.getImageData(0, 0, canvas.width, canvas.height).data;
      return all.filter((value, n) => n % 4 === 3 && value > 0).length;
    }"""
    assert page.evaluate(ink, "[data-stage]") > 100
    assert page.evaluate(ink, "[data-chart]") > 1000


def test_a_million_events_are_small_and_fluid(browser, tmp_path):  # noqa: F811
    file = written(FAST, tmp_path)
    assert file.stat().st_size < 30e6
    opened = Opened(browser, file, viewport={"width": 1280, "height": 900}).ready()
    page = opened.page
    assert "1000000 (the first 1000000" in page.locator("dl.summary").inner_text()
    page.wait_for_selector("html[data-drawn]")
    before, frames = opened.cpu_s(), pictures(opened)
    page.locator("[data-play]").click()
    until_drawn(opened, frames + 60)
    page.locator("[data-play]").click()
    drawn(opened)
    frames = pictures(opened) - frames
    # Of CPU, since tests run on machines with other work: thirty frames a second are possible.
    assert (opened.cpu_s() - before) / frames < 1 / 30
    assert opened.said == []
    opened.context.close()


def test_on_a_phone_in_the_dark(browser, file):  # noqa: F811
    opened = Opened(browser, file, viewport={"width": 390, "height": 844}, has_touch=True, color_scheme="dark").ready()
    assert opened.said == []
    assert opened.is_as_wide_as_the_screen()
    assert opened.violations() == []
    opened.context.close()

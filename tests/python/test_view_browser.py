"""A view in a real browser: silent, accessible, by keyboard; it plays, zooms, follows packets and explains drops."""

from __future__ import annotations

import time

import pytest
from browser_page import NEEDS_BROWSER, Opened
from test_view import NET, OPTIONS

from penstock.series import TimeSeries
from penstock.topologies.pages import generated_page
from penstock.trace import PacketTrace
from penstock.view.page import render, view_of

pytestmark = NEEDS_BROWSER
FAST = (
    NET.replace('"1 Mbit/s"', '"100 Mbit/s"')
    .replace('"10 Mbit/s"', '"100 Mbit/s"')
    .replace('"2 s"', '"30 s"')
    .replace('"20 ms"', '"2 ms"')
    .replace('"8 packets"', '"100 packets"')
)
"""More than a million events."""


PARALLEL = """
duration = "200 ms"
nodes = { a = {}, b = {} }
[[links]]
name = "first"
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "1 ms"
scheduler.drr = {}
class.ef = { quantum = "1500 bytes", queue.tail-drop = { limit = "5 packets" } }
class.be = { quantum = "1500 bytes", queue.tail-drop = { limit = "1000 packets" } }
[[links]]
name = "second"
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "1 ms"
[[flows]]
name = "ef"
from = "a"
to = "b"
class = "ef"
source.cbr = { rate = "2 Mbit/s", packet = "500 bytes" }
[[flows]]
name = "be"
from = "a"
to = "b"
class = "be"
source.cbr = { rate = "2 Mbit/s", packet = "500 bytes" }
"""


def written(text, folder, limit=1_000_000):
    file = folder / "view.html"
    page = render(view_of(text, PacketTrace(text, **OPTIONS), "net", OPTIONS, limit), "penstock view net.toml")
    file.write_text(page, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return written(NET, tmp_path_factory.mktemp("view"))


@pytest.fixture(scope="module")
def desktop(browser, file):
    opened = Opened(browser, file, viewport={"width": 1280, "height": 900}).ready()
    opened.page.wait_for_selector("html[data-drawn]")
    yield opened
    opened.context.close()


def now(opened):
    return float(opened.page.locator("[data-now]").inner_text().split(" s")[0])


def pictures(opened):
    return int(opened.page.evaluate("document.documentElement.dataset.drawn"))


def until_drawn(opened, count):
    """Waits for `count` pictures; the page's policy forbids the evaluated predicates of other waits."""
    end = time.monotonic() + 120
    while pictures(opened) < count:
        assert time.monotonic() < end
        opened.page.wait_for_timeout(50)


def drawn(opened):
    """Waits until the last change is drawn."""
    opened.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def go(opened, part):
    opened.page.evaluate(
        """(value) => {
          const slider = document.querySelector('#slider');
          slider.value = value;
          slider.dispatchEvent(new Event('input'));
        }""",
        100_000 * part,
    )
    drawn(opened)


def ink(opened, name, colour=None):
    """The number of pixels of a canvas that are not empty, or that have a colour."""
    return opened.page.evaluate(
        """([name, colour]) => {
          const canvas = document.querySelector(name), pen = canvas.getContext('2d');
          const all = pen.getImageData(0, 0, canvas.width, canvas.height).data;
          let count = 0;
          for (let n = 0; n < all.length; n += 4) {
            count += colour ? colour.every((value, k) => all[n + k] === value) : all[n + 3] > 0;
          }
          return count;
        }""",
        [name, colour],
    )


def told(opened):
    return opened.page.locator("[data-told]").inner_text()


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
    assert told(desktop).startswith("At 0.")
    page.locator("[data-play]").focus()
    page.keyboard.press("Enter")
    before = now(desktop)
    until_drawn(desktop, pictures(desktop) + 20)
    page.keyboard.press("Enter")
    assert now(desktop) > before
    assert page.locator("[data-play]").inner_text() == "Play"
    unreachable = page.evaluate(
        """[...document.querySelectorAll('button, input, select, .scroll, pre, [data-stage]')]
           .filter((each) => each.checkVisibility() && each.tabIndex < 0).length"""
    )
    assert unreachable == 0
    page.locator("[data-stage]").focus()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert desktop.said == []


def test_steps_go_through_every_event_in_both_directions(desktop):
    page, trace = desktop.page, PacketTrace(NET).frame()
    go(desktop, 0)
    page.locator("[data-stage]").focus()
    seen = []
    for key in "nnnnppp":
        page.keyboard.press(key)
        seen.append(told(desktop).split(" s, ")[0].removeprefix("At "))
    exact = [f"{ps // 10**12}.{ps % 10**12:012}" for ps in trace["time_ps"].to_list()]
    assert seen == [exact[n] for n in (0, 1, 2, 3, 2, 1, 0)]
    go(desktop, 0.5)
    page.locator("[data-stage]").focus()
    page.keyboard.press("n")
    [later] = [each for each in [told(desktop).split(" s, ")[0].removeprefix("At ")] if each in exact]
    assert float(later) > 0.9


def test_the_table_counts_the_flows_that_are_followed(desktop):
    page = desktop.page
    go(desktop, 1)
    trace = PacketTrace(NET).frame()
    sent = trace.filter((trace["event"] == "transmit") & (trace["place"] == "r-b"))
    row = page.locator("[data-links] tr", has=page.get_by_role("rowheader", name="r-b", exact=True))

    def shown():
        drawn(desktop)
        return int(row.locator("td").nth(1).inner_text())

    assert shown() == sent.height
    page.locator("[data-flow]").select_option(label="tcp[1]")
    assert shown() == sent.filter(sent["flow"] == "tcp[1]").height < sent.height
    page.get_by_role("button", name="Follow all").click()
    assert shown() == sent.height


def test_packets_and_queues_are_drawn(desktop):
    go(desktop, 0.5)
    assert int(desktop.page.locator("[data-now]").inner_text().split(", ")[1].split()[0]) > 0
    assert ink(desktop, "[data-stage]", [0x7A, 0x4F, 0xB5]) > 20
    assert ink(desktop, "[data-stage]", [0x00, 0x72, 0xB2]) + ink(desktop, "[data-stage]", [0xD5, 0x5E, 0x00]) > 50
    assert ink(desktop, "[data-chart]") > 1000


def test_a_drop_is_explained_and_its_packet_followed(desktop):
    page, trace = desktop.page, PacketTrace(NET).frame()
    go(desktop, 0)
    page.get_by_role("button", name="Next drop or mark").click()
    drop = trace.filter(trace["event"].is_in(["drop", "mark"])).row(0, named=True)
    queue = TimeSeries(NET, of="r-b", what="queue", on="change").frame()
    held = int(queue.filter(queue["time_ps"] <= drop["time_ps"])["value"][-1])
    at = f"{drop['time_ps'] // 10**12}.{drop['time_ps'] % 10**12:012}"
    name = f"segment {drop['sequence']} of {drop['flow']}"
    assert told(desktop) == (
        f"At {at} s, link r-b dropped {name} (1500 bytes) because its queue was full. At that instant its queue held "
        f"{held} packets. Its queue discipline is tail-drop (limit 8 packets)."
    )
    page.get_by_role("button", name="Follow this packet").click()
    assert page.locator("[data-chosen-title]").inner_text() == f"Packet: {name}"
    drawn(desktop)
    events = page.locator("[data-events] button")
    shown = [text.split(" s ")[1].split(" at ")[0] for text in events.all_inner_texts()]
    assert shown == ["send", "accept", "transmit", "drop (overflow)"]
    events.first.click()
    assert " sent segment " in told(desktop)
    page.get_by_role("button", name="Follow all").click()


def test_links_with_the_same_ends_and_queues_of_one_port_are_told_apart(browser, tmp_path):
    opened = Opened(browser, written(PARALLEL, tmp_path), viewport={"width": 1280, "height": 900}).ready()
    opened.page.wait_for_selector("html[data-drawn]")
    opened.page.get_by_role("button", name="Next drop or mark").click()
    assert "because its queue was full. At that instant all queues of its port held " in told(opened)
    assert told(opened).endswith("Its queue discipline is tail-drop (limit 5 packets).")
    stage = opened.page.locator("[data-stage]")
    box = stage.bounding_box()
    chosen = []
    for down in (4, 18):  # to the right of the line between the nodes
        stage.click(position={"x": box["width"] * 0.7, "y": box["height"] / 2 + down})
        chosen.append(opened.page.locator("[data-chosen-title]").inner_text())
    assert chosen == ["Link first", "Link second"]
    opened.context.close()


def test_a_click_on_a_packet_follows_it(desktop):
    page = desktop.page
    page.locator("[data-flow]").select_option("")
    go(desktop, 0.5)
    # The middle of a dot: the pixels of its colour are the ones of packets and of nothing else in the drawing.
    x, y = page.evaluate(
        """() => {
          const canvas = document.querySelector('[data-stage]'), pen = canvas.getContext('2d');
          const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
          for (let n = 0; n < data.length; n += 4) {
            if (data[n] === 0 && data[n + 1] === 0x72 && data[n + 2] === 0xb2 && data[n + 3] === 255) {
              return [(n / 4) % canvas.width, Math.floor(n / 4 / canvas.width) + 2];
            }
          }
          return null;
        }"""
    )
    page.locator("[data-stage]").click(position={"x": x, "y": y})
    assert page.locator("[data-chosen-title]").inner_text().startswith("Packet: ")
    drawn(desktop)
    assert page.locator("[data-events] button").count() >= 2
    page.locator("[data-stage]").focus()
    page.keyboard.press("Escape")
    assert page.locator("[data-chosen-title]").inner_text() == "All flows"


def test_zoom_by_wheel_keys_and_buttons(desktop):
    page, stage = desktop.page, desktop.page.locator("[data-stage]")
    page.get_by_role("button", name="Fit").click()

    def picture():
        drawn(desktop)
        return page.evaluate("document.querySelector('[data-stage]').toDataURL()")

    fitted = picture()
    box = stage.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -300)
    zoomed = picture()
    assert zoomed != fitted
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 60, box["y"] + box["height"] / 2 + 20)
    page.mouse.up()
    dragged = picture()
    assert dragged != zoomed
    stage.focus()
    for key in ("+", "ArrowLeft", "-"):
        page.keyboard.press(key)
    assert picture() != dragged
    page.keyboard.press("0")
    assert picture() == fitted
    assert page.evaluate("scrollY") == 0


def test_two_fingers_zoom(browser, file):
    opened = Opened(browser, file, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).ready()
    opened.page.wait_for_selector("html[data-drawn]")
    box = opened.page.locator("[data-stage]").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def touch(kind, apart):
        points = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}] if apart else []
        opened.devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    before = opened.page.evaluate("document.querySelector('[data-stage]').toDataURL()")
    touch("touchStart", 30)
    for apart in (40, 60, 90):
        touch("touchMove", apart)
    touch("touchEnd", 0)
    drawn(opened)
    after = opened.page.evaluate("document.querySelector('[data-stage]').toDataURL()")
    assert after != before
    # The page itself has not moved or grown.
    assert opened.page.evaluate("[scrollY, visualViewport.scale]") == [0, 1]
    opened.page.get_by_role("button", name="Fit").tap()
    drawn(opened)
    assert opened.page.evaluate("document.querySelector('[data-stage]').toDataURL()") == before
    opened.context.close()


def cpu_of_a_frame(opened, frames=60):
    """Seconds of CPU for each picture while the page plays: not of the clock, since tests run on busy machines."""
    page = opened.page
    page.locator("[data-play]").click()
    first = pictures(opened)
    before = opened.cpu_s()
    until_drawn(opened, first + frames)
    page.locator("[data-play]").click()
    drawn(opened)
    return (opened.cpu_s() - before) / (pictures(opened) - first)


def test_a_million_events_are_small_and_fluid(browser, tmp_path):
    file = written(FAST, tmp_path)
    assert file.stat().st_size < 30e6
    opened = Opened(browser, file, viewport={"width": 1280, "height": 900}).ready()
    assert "first 1000000 events" in opened.page.locator(".warnings").inner_text()
    opened.page.wait_for_selector("html[data-drawn]")
    assert cpu_of_a_frame(opened) < 1 / 30
    assert opened.said == []
    opened.context.close()


def test_a_fat_tree_of_128_hosts_is_drawn_whole_and_fluid(browser, tmp_path):
    file = written(generated_page("fat-tree", {"ports": "8"}), tmp_path, 100_000)
    opened = Opened(browser, file, viewport={"width": 1280, "height": 800}).ready()
    opened.page.wait_for_selector("html[data-drawn]")
    facts = dict(zip(opened.page.locator("[data-facts] dt").all_inner_texts(),
                     opened.page.locator("[data-facts] dd").all_inner_texts(), strict=True))  # fmt: skip
    assert (facts["nodes"], facts["links"]) == ("208", "768")
    box = opened.page.locator("[data-stage]").bounding_box()
    assert box["y"] + box["height"] < 800
    assert cpu_of_a_frame(opened) < 1 / 30
    assert opened.violations() == []
    opened.context.close()


def test_on_a_phone_in_the_dark(browser, file):
    opened = Opened(browser, file, viewport={"width": 390, "height": 844}, has_touch=True, color_scheme="dark").ready()
    assert opened.said == []
    assert opened.is_as_wide_as_the_screen()
    assert opened.violations() == []
    opened.context.close()

"""The lab's page in a real browser: sliders, mistakes, pins, copies, keyboard, and nothing from elsewhere."""

from __future__ import annotations

import json
import shlex
import time
from contextlib import ExitStack, contextmanager

import pytest
from browser_page import NEEDS_BROWSER, WAIT, Opened
from lab_page import LIMIT, LONG, SCENARIO, opened

pytestmark = NEEDS_BROWSER
SLIDER = f"[data-path='{LIMIT}'] input[type=range]"
VALUE = f"[data-path='{LIMIT}'] .value"


class Address:
    """An address in place of a file."""

    def __init__(self, address):
        self._address = address

    def as_uri(self):
        return self._address


@pytest.fixture
def visit(browser, tmp_path):
    """Opens the page of a scenario; returns page and file."""
    with ExitStack() as stack:

        def begin(text, width=1280, **how):
            address, file, _ = stack.enter_context(opened(tmp_path, text))
            page = Opened(browser, Address(address), viewport={"width": width, "height": 900}, **how)
            stack.callback(page.context.close)
            return page, file

        yield begin


@pytest.fixture(scope="module")
def shared(browser, tmp_path_factory):
    """A page for several tests, with its file."""
    with opened(tmp_path_factory.mktemp("lab")) as (address, file, _):
        permissions = ["clipboard-read", "clipboard-write"]
        page = Opened(browser, Address(address), viewport={"width": 1280, "height": 900}, permissions=permissions)
        done(page.page)
        page.page.wait_for_selector("[data-panel-canvas] .scatterlayer .trace")
        yield page, file
        page.context.close()


@pytest.fixture
def page(shared):
    """The shared page with the scenario as it is written, and no pins."""
    page = shared[0].page
    if page.locator("[data-reset]").is_enabled():
        with another(page):
            page.locator("[data-reset]").click()
    for button in page.get_by_role("button", name="Remove pin").all():
        button.click()
    yield page
    assert shared[0].said == []


@contextmanager
def another(page):
    """Waits until the look that the block starts is complete."""
    count = int(page.evaluate("document.documentElement.dataset.done || 0"))
    yield
    done(page, count + 1)


def typed(page, value):
    """Types a limit."""
    page.locator(VALUE).fill(value)
    page.locator(VALUE).press("Enter")


def command(page):
    """The words of the command that repeats the numbers."""
    return shlex.split(page.evaluate("document.querySelector('[data-command]').textContent"))


def done(page, count=1):
    """Waits until `count` looks are complete."""
    end = time.monotonic() + WAIT / 1000
    while int(page.evaluate("document.documentElement.dataset.done || 0")) < count:
        assert time.monotonic() < end, page.locator("[data-said]").inner_text()
        page.wait_for_timeout(10)


def numbers(page):
    """The numbers of each card."""
    cards = page.locator(".card[data-metric]").all()
    return {card.get_attribute("data-metric"): card.locator("tbody tr td").all_inner_texts() for card in cards}


def test_a_slider_changes_the_numbers_and_the_command(page, shared):
    before = numbers(page)
    assert set(before) == {"goodput", "loss", "queue", "drops"}
    assert page.locator("[data-said]").inner_text().startswith("3 of 3 runs in ")
    page.locator(SLIDER).focus()
    for _ in range(30):
        page.keyboard.press("ArrowLeft")
    value = page.locator(VALUE).input_value()
    assert 2 <= int(value.split()[0]) < 20
    end = time.monotonic() + WAIT / 1000
    while f"{LIMIT}={value}" not in command(page) or numbers(page)["queue"] == before["queue"]:
        assert time.monotonic() < end
        page.wait_for_timeout(20)
    assert command(page)[:5] == ["penstock", "run", str(shared[1]), "--set", f"{LIMIT}={value}"]
    assert command(page)[5:7] == ["--runs", "3"]
    page.wait_for_timeout(300)
    with another(page):
        page.locator(f"[data-path='{LIMIT}'] .undo").click()
    assert numbers(page) == before
    assert ", 3 from the store" in page.locator("[data-said]").inner_text()
    assert {each.split("/")[2] for each in shared[0].asked} == {page.url.split("/")[2]}


def test_the_copied_command_is_what_ran(page, penstock):
    with another(page):
        typed(page, "6 packets")
    page.get_by_role("button", name="Copy as command").click()
    page.locator("[data-copy=command]", has_text="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    code, out, _ = penstock(*shlex.split(copied)[1:], "--format", "json")
    assert code == 0
    shown = json.loads(out)
    assert (shown["runs"], f"{LIMIT}=6 packets" in copied) == (3, True)
    mean = next(each["mean"] for each in shown["metrics"] if each["name"] == "queue")
    assert float(numbers(page)["queue"][0].split(" ± ")[0]) == pytest.approx(mean, rel=0.02)
    page.get_by_role("button", name="Copy as Python").click()
    page.locator("[data-copy=python]", has_text="Copied").wait_for()
    assert "ps.run_all" in page.evaluate("navigator.clipboard.readText()")


def test_a_wrong_value_is_told_at_its_control(page):
    before = numbers(page)
    typed(page, "20")
    words = page.locator(f"[data-path='{LIMIT}'] .wrong")
    words.wait_for()
    assert "has no unit" in words.inner_text()
    assert numbers(page) == before
    assert page.locator(f"[data-path='{LIMIT}'] .scale").inner_text().split() == ["2", "packets", "200", "packets"]
    assert page.locator("#results.stale").count() == 1
    typed(page, "many")
    page.get_by_text("'many' is not a quantity").first.wait_for()
    assert page.locator(VALUE).input_value() == "many"
    zeros = page.locator(".card[data-metric=drops] .zeros")
    assert zeros.inner_text().startswith("0: early, forced")
    with another(page):
        typed(page, "190 packets")
    assert not words.is_visible()
    assert zeros.inner_text().startswith("All 0: overflow, early")
    assert page.locator("#results.stale").count() == 0


def test_a_pinned_setting_stays(page):
    before = numbers(page)["queue"][0]
    page.get_by_role("button", name="Pin", exact=True).click()
    with another(page):
        typed(page, "5 packets")
    now, pinned = numbers(page)["queue"]
    assert pinned == before != now
    page.reload()
    done(page)
    assert numbers(page)["queue"] == [now, pinned]
    with another(page):
        page.get_by_role("button", name="Return to pin 1: as written").click()
    assert page.locator(VALUE).input_value() == "20 packets"
    page.get_by_role("button", name="Remove pin 1: as written").click()
    assert numbers(page)["queue"] == [before]


def test_another_component_is_chosen_and_taken_back(page):
    choice = page.locator("[data-slot='r-b.queue']")
    choice.locator("option[value=codel]").wait_for(state="attached")
    with another(page):
        choice.select_option("codel")
    assert page.locator("[data-path='r-b.queue.codel.limit'] .value").input_value() == "20 packets"
    assert any("codel" in word for word in command(page))
    choice.locator("option[value=tail-drop]").wait_for(state="attached")
    with another(page):
        choice.select_option("tail-drop")
    assert "--set" not in command(page)


def test_first_numbers_come_soon_after_a_slider_moves(page):
    """Two seconds are promised for runs of 50 ms; these take less, and a loaded machine takes longer."""
    waits = []
    for _ in range(4):
        page.evaluate(
            """(path) => { const input = document.querySelector(path);
                 delete document.documentElement.dataset.shownRuns;
                 input.value = Number(input.value) - 7;
                 input.dispatchEvent(new Event("input")); }""",
            SLIDER,
        )
        begin = time.monotonic()
        while page.evaluate("document.documentElement.dataset.shownRuns") is None:
            page.wait_for_timeout(5)
        waits.append(time.monotonic() - begin)
    assert min(waits) < 2, waits


def test_mistakes_at_the_start_are_shown_in_place_and_corrected(visit):
    opened_page, file = visit(SCENARIO.replace("tail-drop", "tail-dorp"))
    page = opened_page.page
    listed = page.locator(".mistakes button")
    listed.wait_for()
    assert (
        "net.toml:19: links[1].queue: unknown discipline 'tail-dorp'; did you mean 'tail-drop'?" in listed.inner_text()
    )
    assert page.locator("#panel-text").is_visible()
    assert page.locator(".gutter .wrong").inner_text().strip() == "19"
    assert "unknown discipline 'tail-dorp'" in page.locator(".marks span").inner_text()
    assert page.locator("[data-said]").inner_text() == "Nothing has run yet"
    listed.click()
    assert page.evaluate("document.activeElement.matches('[data-text]')")
    page.locator("[data-text]").fill(SCENARIO)
    done(page)
    assert listed.count() == 0 or not listed.is_visible()
    assert "goodput" in numbers(page)
    page.keyboard.press("Control+s")
    page.get_by_text("Saved", exact=True).wait_for()
    assert file.read_text() == SCENARIO
    assert opened_page.violations() == []


def test_long_runs_are_cancelled(visit):
    opened_page, _ = visit(LONG)
    page = opened_page.page
    page.get_by_text("0 of 3 runs after").wait_for()
    page.get_by_role("button", name="Cancel").click()
    assert page.locator("[data-said]").inner_text() == "Cancelled after 0 of 3 runs; finished runs are kept"
    assert page.evaluate("document.activeElement.textContent") == "Run"
    page.locator("[data-path=duration] .value").fill("1 s")
    page.keyboard.press("Enter")
    done(page)
    assert page.locator("[data-said]").inner_text().startswith("3 of 3 runs")


def test_a_file_that_changes_on_disk_is_offered(visit):
    opened_page, file = visit(SCENARIO)
    page = opened_page.page
    done(page)
    file.write_text(SCENARIO.replace('"20 packets"', '"11 packets"'))
    page.get_by_role("button", name="Load it").click()
    done(page, 2)
    assert page.locator(VALUE).input_value() == "11 packets"
    # One's own text is kept, and not written over another's without a question.
    page.get_by_role("tab", name="Text").click()
    page.locator("[data-text]").fill(SCENARIO + "# mine\n")
    file.write_text(SCENARIO + "# theirs\n")
    page.get_by_role("button", name="Save", exact=True).click()
    over = page.get_by_role("button", name="Save over it")
    over.wait_for()
    # The page looks at the file every two seconds, and the question stays.
    page.wait_for_timeout(2500)
    over.click()
    page.get_by_text("Saved", exact=True).wait_for()
    assert file.read_text() == SCENARIO + "# mine\n"


def test_the_slider_of_a_fraction_is_at_its_value(visit):
    thresholds = 'min-threshold = "5 packets", max-threshold = "10 packets"'
    red = f'red = {{ limit = "20 packets", {thresholds}, max-probability = "1/10", weight = 0.1 }}'
    opened_page, _ = visit(SCENARIO.replace('tail-drop = { limit = "20 packets" }', red))
    page = opened_page.page
    done(page)
    slider = page.locator("[data-path='r-b.queue.red.max-probability'] input[type=range]")
    assert (slider.input_value(), slider.get_attribute("max")) == ("20", "200")  # of 0 to 1


def test_each_control_has_a_label_in_any_script(visit):
    text = SCENARIO.replace("a = {}\nr = {}\nb = {}", '"東" = {}\n"西" = {}\n"南" = {}').replace('"r-b"', '"西-南"')
    for before, after in (("a", "東"), ("r", "西"), ("b", "南")):
        text = text.replace(f'"{before}"', f'"{after}"')
    opened_page, _ = visit(text)
    done(opened_page.page)
    for link in ("東-西", "西-南"):
        control = opened_page.page.locator(f"[data-path='{link}.rate']")
        assert control.locator("input[type=range]").evaluate("(input) => input.labels.length") == 1


def test_a_file_that_is_gone_is_written_again(visit):
    opened_page, file = visit(SCENARIO)
    page = opened_page.page
    done(page)
    file.unlink()
    page.get_by_role("button", name="Write it again").click()
    page.locator("[data-notice=disk]").wait_for(state="detached")
    assert file.read_text() == SCENARIO


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1920, "light")])
def test_it_fits_any_screen_by_keyboard_and_for_all(visit, width, scheme):
    opened_page, _ = visit(SCENARIO, width, color_scheme=scheme)
    page = opened_page.page
    done(page)
    page.wait_for_selector("[data-panel-canvas] .scatterlayer .trace")
    assert opened_page.is_as_wide_as_the_screen()
    assert opened_page.violations() == []
    unreachable = page.evaluate(
        """[...document.querySelectorAll('button, input, select, textarea, summary, .scroll, pre')].filter((each) =>
           each.checkVisibility() && each.tabIndex < 0 && !each.matches('[role=tab], .gutter')).length"""
    )
    assert unreachable == 0
    page.get_by_role("tab", name="Parameters").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#panel-text").is_visible()
    page.wait_for_timeout(200)
    assert opened_page.is_as_wide_as_the_screen()
    assert opened_page.violations() == []
    assert opened_page.said == []

"""A page in a real browser, for tests of reports, views and the lab."""

from __future__ import annotations

import os
import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WAIT = 120_000
"""Milliseconds until a loaded machine has loaded a page; no figure of ours."""

NEEDS_BROWSER = pytest.mark.skipif(
    CHROMIUM is None and os.environ.get("PENSTOCK_BROWSER") != "needed",
    reason="needs Chromium: make browser, or apt-get install --no-install-recommends chromium",
)


class Opened:
    """A page in the browser, with all that it said and asked for."""

    def __init__(self, browser, file, before="", **how):
        self.context = browser.new_context(**how)
        self.context.add_init_script(before)
        self.context.set_default_timeout(WAIT)
        self.page = self.context.new_page()
        self.said, self.asked = [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.devtools = self.context.new_cdp_session(self.page)
        self.devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
        self.page.goto(file.as_uri(), timeout=WAIT)

    def ready(self):
        """Makes every plot interactive, which it is once it has had the focus, and goes back to the top."""
        self.page.wait_for_selector("html[data-ready]", timeout=WAIT)
        for figure in self.page.locator("figure.plot").all():
            figure.locator(".canvas").focus()
            figure.locator(".scatterlayer").first.wait_for(state="attached", timeout=WAIT)
        self.page.evaluate("scrollTo(0, 0)")
        return self

    def violations(self):
        found = Axe().run(self.page, options={"resultTypes": ["violations"]}).response["violations"]
        return [(each["id"], [node["target"] for node in each["nodes"]]) for each in found]

    def is_as_wide_as_the_screen(self):
        return self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    def cpu_s(self):
        """Seconds of the main thread's CPU so far, whatever else the machine does."""
        metrics = self.devtools.send("Performance.getMetrics")["metrics"]
        return next(each["value"] for each in metrics if each["name"] == "TaskDuration")

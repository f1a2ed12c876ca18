"""Asks the search of the built pages what people ask, in Chromium, and checks which page comes first.

``make docs`` runs it where Chromium is installed.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import sync_playwright

PAGES = Path(__file__).parent / "_build" / "html"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

FIRST = {
    "pfc": ("scenario",),
    "pcap": ("trace", "reference/source/trace"),
    "quantile": ("scenario",),
    "bufferbloat": ("gallery",),
    "ECN": ("reference/transport/tcp",),
    "sweep": ("study",),
    "seed": ("concepts", "scenario"),
    "warm-up": ("concepts",),
    "confidence interval": ("concepts",),
    "random early detection": ("reference/discipline/red",),
    "codel": ("reference/discipline/codel",),
    "token bucket": ("reference/meter/token-bucket", "reference/policer/token-bucket", "reference/shaper/token-bucket"),
    "weighted fair queueing": ("reference/scheduler/", "schedulers"),
    "cubic": ("reference/congestion-control/cubic",),
    "L4S": ("reference/scheduler/dualpi2", "reference/congestion-control/prague", "reference/discipline/pi2"),
    "RoCE": ("scenario", "reference/transport/roce"),
    "latency": ("reference/metrics", "schedulers"),
    "parallel": ("concepts",),
    "dask": ("store",),
    "plot": ("study",),
    "cwnd": ("reference/transport/tcp", "series"),
    "ns-3": ("coming-from",),
    "sobol": ("sensitivity",),
    "plugin": ("plugins",),
    "gym": ("stepping",),
}
"""Queries, and the pages or folders of pages that may come first."""


def main() -> None:
    """Prints each query whose first result is another page, and fails if there is one."""
    if CHROMIUM is None:
        print("search of the pages not checked: needs Chromium (make browser)")
        return
    wrong = []
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=CHROMIUM).new_page()
        for query, wanted in FIRST.items():
            page.goto(f"{(PAGES / 'search.html').as_uri()}?q={quote(query)}")
            link = page.locator("#search-results ul.search li a").first
            link.wait_for()
            found = (link.get_attribute("href") or "").partition(".html")[0]
            if not any(found == one or (one.endswith("/") and found.startswith(one)) for one in wanted):
                wrong.append(f"{query!r} finds {found} first, not {' or '.join(wanted)}")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"search: {len(FIRST)} of {len(FIRST)} queries find the right page first")


if __name__ == "__main__":
    main()

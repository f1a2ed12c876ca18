"""Five PCN schemes side by side, and the marked share over the load.

    python examples/studies/pcn_schemes.py results

runs about 700 short simulations (some minutes) and writes two tables, `schemes.json` and `marking.json`, and figures
as SVG. They are described in docs/studies/pcn-schemes.md. Finished runs are kept, so a second call only draws.
"""

import argparse
import json
from pathlib import Path

from penstock.reproductions.pcn import curves, figures, schemes
from penstock.store import Store


def main() -> None:
    parser = argparse.ArgumentParser(description="Five PCN schemes side by side, and the marked share over the load.")
    parser.add_argument("folder", type=Path, help="where the tables and the figures go")
    parser.add_argument("--runs", type=int, default=5, help="independent runs of each point (5)")
    parser.add_argument("--jobs", type=int, help="runs at the same time (all cores)")
    parser.add_argument("--store", type=Path, help="where finished runs are kept (FOLDER/runs)")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    store = Store(given.store or given.folder / "runs")
    for name, study in (("schemes", schemes), ("marking", curves)):
        rows = figures.measure(study.points(), given.runs, given.jobs, store)
        text = figures.as_json(rows)
        (given.folder / f"{name}.json").write_text(text, encoding="utf-8")
        # As the table has them, so that it alone can draw them again.
        figures.draw(study.figures(), json.loads(text), given.folder)


if __name__ == "__main__":
    main()

"""Try one component or metric after an edit: `make try COMPONENT=red`.

Formats it and runs its unit tests, its extremes, its example, its entry in the catalogue and its references, with
unoptimised builds, which compile in a fraction of the time. The whole is tested by `make check`, and then by
`make test`.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
MODEL = ROOT / "crates" / "penstock-model" / "src"
METRICS = ROOT / "crates" / "penstock-scenario" / "src" / "metrics"
# A line of a list: `"red" => Red(red::Red, red::Parameters),`. The last path in the brackets tells the module.
LINE = re.compile(r'^ +"([a-z0-9-]+)" => \w+\((?:[^()]*[ (])?([a-z]\w*(?:::\w+)*)\)', re.MULTILINE)
# A line of the list of metrics: `goodput::Goodput,`. The module has the name of the metric.
METRIC_LINE = re.compile(r"^    (\w+)::\w+,$", re.MULTILINE)
CITATION = re.compile(r"\[([A-Z][A-Za-z]+\d\d)\b[^\]]*\]")
TEST = ["cargo", "test", "--locked", "--quiet", "--profile", "try"]


class Component(NamedTuple):
    """A component of a list."""

    name: str
    file: Path

    @property
    def is_metric(self) -> bool:
        """Whether it is a metric, which is in another crate than components."""
        return self.file.parent == METRICS

    @property
    def module(self) -> str:
        """Path of its module in the crate, as in the names of its tests."""
        source = METRICS.parent if self.is_metric else MODEL
        return "::".join(self.file.relative_to(source).with_suffix("").parts).removesuffix("::mod")


def components(model: Path = MODEL) -> list[Component]:
    """All components, from the lists that make them."""
    found = []
    for file in sorted(model.rglob("mod.rs")):
        for name, path in LINE.findall(file.read_text(encoding="utf-8")):
            module = file.parent.joinpath(*path.removesuffix("::Parameters").split("::"))
            places = [module.with_suffix(".rs"), module / "mod.rs"]
            found += [Component(name, place) for place in places if place.is_file()][:1]
    return found


def metrics() -> list[Component]:
    """All metrics of the scenario crate."""
    modules = METRIC_LINE.findall((METRICS / "mod.rs").read_text(encoding="utf-8"))
    return [Component(module.replace("_", "-"), METRICS / f"{module}.rs") for module in modules]


def unlisted(files: list[Path]) -> list[str]:
    """The keys that these files cite and that the bibliography lacks; RFCs need no entry."""
    listed = (ROOT / "docs" / "bibliography.md").read_text(encoding="utf-8").splitlines()
    cited = {key for file in files for key in CITATION.findall(file.read_text(encoding="utf-8"))}
    return sorted(key for key in cited if f"[{key}]" not in listed and not key.startswith("RFC"))


def processor_time() -> float:
    """Processor time of all children, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def step(what: str, command: list[str], environment: dict[str, str], shows: bool = False) -> bool:
    """Runs a command and prints its outcome in a line; returns whether it succeeded."""
    before = processor_time()
    print(f"{what:<34} ", end="", flush=True)
    environment = os.environ | environment
    pipe, out = subprocess.PIPE, subprocess.STDOUT
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=pipe, stderr=out, text=True, check=False)
    passed = sum(int(count) for count in re.findall(r"test result: ok\. (\d+) passed", done.stdout))
    outcome = "failed" if done.returncode else f"{passed} passed" if command[1] == "test" else "passed"
    print(f"{outcome:>10}  {processor_time() - before:6.1f} s", flush=True)
    if done.returncode:
        print(done.stdout)
    elif shows:
        lines = done.stdout.splitlines()
        print("\n".join(line for line in lines if re.match(r"  \S|(?!test )[a-z-]+ [a-z0-9-]+: ", line)))
    return done.returncode == 0


def tests_of_components(name: str, chosen: list[Component]) -> bool:
    """Runs the tests of the components with this name; returns whether they passed."""
    if not chosen:
        return True
    only = {"PENSTOCK_COMPONENT": name}
    tests = [f"{component.module}::" for component in chosen]
    catalogue = ["--test", "catalogue", "--", "--nocapture", "docstring_examples", "smallest_and_the_largest"]
    return (
        step("unit tests", [*TEST, "-p", "penstock-model", "--lib", "--", *tests, "complete_page"], {})
        and step("random and extreme parameters", [*TEST, "-p", "penstock-model", "--test", "extremes"], only)
        and step("example and tiny networks", [*TEST, "-p", "penstock-scenario", *catalogue], only, True)
    )


def tests_of_metrics(chosen: list[Component]) -> bool:
    """Runs the tests of a metric and of the list of metrics; returns whether they passed."""
    tests = [f"{component.module}::" for component in chosen]
    command = [*TEST, "-p", "penstock-scenario", "--lib", "--", *tests, "each_metric_is_found"]
    return not chosen or step("unit tests of the metric", command, {})


def main(arguments: list[str]) -> int:
    """Tries a component."""
    name = (arguments or [""])[0]
    known = components() + metrics()
    chosen = [component for component in known if component.name == name]
    if not chosen:
        names = sorted({component.name for component in known})
        near = get_close_matches(name, names, 5, 0.5)
        listed = f"near names: {', '.join(near)}" if near else f"one of {', '.join(names)}"
        print(f"error: COMPONENT={name}: no component of this name; {listed}", file=sys.stderr)
        return 1
    files = [component.file for component in chosen]
    print(f"{name}: {', '.join(str(file.relative_to(ROOT)) for file in files)}")
    missing = unlisted(files)
    for key in missing:
        print(f"docs/bibliography.md: has no entry [{key}]; add it in alphabetical order", flush=True)
    is_sound = step("format", ["rustfmt", "--edition", "2021", *map(str, files)], {})
    is_sound = is_sound and tests_of_components(name, [one for one in chosen if not one.is_metric])
    is_sound = is_sound and tests_of_metrics([one for one in chosen if one.is_metric])
    left_out = "whole simulations (make check), the Python class (make daily)"
    print(f"{processor_time():.1f} s of processor time; not tried: {left_out}")
    return 0 if is_sound and not missing else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Makes each mistake of the lists in a copy of the tree and looks whether a test notices.

``make mutants`` runs all of the lists and writes ``docs/mutants.md``; ``--random`` draws mistakes from the engine
instead. What was found is kept in ``target/mutants``, so that an
interrupted run goes on where it was, as long as neither the sources nor the lists change.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from judged import read_draw, read_judgements
from mistakes import ROOT, Mistake, read_lists, wrong
from random_mistakes import random_mistakes
from result_page import page, percent, random_page
from schemata import CRATES, HOME, TREE, Program, all_programs, compiling, copy_tree, fingerprint, provide_core, write
from trial import Step, ask, steps_for

LEAST_SCORE = 0.95
ENGINE = [f"crates/penstock-engine/src/{name}" for name in ("kernel", "merge", "executor", "port", "node")]
"""Where random mistakes are made."""


def main() -> None:
    """Runs all lists, or the part that the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="only mistakes whose area or name contains one of these")
    parser.add_argument(
        "--survivors", action="store_true", help="only those not caught last time; what was found of others then counts"
    )
    parser.add_argument("--random", type=int, default=0, metavar="N", help="N drawn from the engine, not the lists")
    parser.add_argument("--seed", type=int, default=1, help="which ones are drawn (1)")
    parser.add_argument(
        "--quick", action="store_true", help="ask only tests of the crate, with a tenth of the random cases"
    )
    parser.add_argument("--nice", type=int, default=19, help="niceness of the process (19)")
    options = parser.parse_args()
    mistakes = compiling(random_mistakes(ENGINE, options.random, options.seed)) if options.random else read_lists()
    if said := wrong(mistakes):
        sys.exit("\n".join(said))
    state = State(mistakes, HOME / ("random.json" if options.random else "results.json"))
    words = options.names or [""]
    wanted = [it for it in mistakes if any(word in f"{it.area}/{it.name}" for word in words)]
    if options.survivors:
        state.results = {it.name: state.last[it.name] for it in mistakes if it.name in state.last}
        wanted = [it for it in wanted if not state.last.get(it.name, {}).get("caught")]
        for it in wanted:
            state.results.pop(it.name, None)
    if options.quick:
        os.environ["PENSTOCK_CASES"] = "10"
    try:
        run(wanted, state, options.nice, all_programs(CRATES[:2] if options.quick else CRATES))
    except KeyboardInterrupt:
        print("\ninterrupted; the same command goes on from here")
    if options.random and (options.survivors or not options.names):
        draw = read_draw(options.random, options.seed)
        text = random_page(mistakes, state.results, read_judgements(mistakes), draw)
        write(ROOT / "docs" / "mutants-random.md", text.encode())
        print("docs/mutants-random.md is renewed")
    elif options.survivors or not options.names:
        write(ROOT / "docs" / "mutants.md", page(mistakes, state.results).encode())
        print("docs/mutants.md is renewed")
    finish(wanted, state)


class State:
    """The known results, on disk after each mistake."""

    def __init__(self, mistakes: list[Mistake], file: Path) -> None:
        """Brings the copy up to date and discards results of other sources."""
        copy_tree(mistakes)
        self.file = file
        self.lock = threading.RLock()
        kept = json.loads(file.read_text()) if file.exists() else {}
        self.last: dict[str, dict] = kept.get("last", {}) | kept.get("results", {})
        """What was found last, whatever the sources were: the test that caught a mistake is asked first."""
        self.fingerprint = fingerprint(mistakes)
        same = kept.get("fingerprint") == self.fingerprint
        self.results: dict[str, dict] = kept["results"] if same else {}
        self.seconds: dict[str, float] = kept["seconds"] if same else {}
        self.reached: dict[str, list[int]] = kept["reached"] if same else {}
        """The mistakes in Rust that each step executes: it cannot notice others."""

    def keep(self) -> None:
        """Writes all results atomically."""
        content = {
            "fingerprint": self.fingerprint,
            "seconds": self.seconds,
            "reached": self.reached,
            "results": self.results,
            "last": self.last,
        }
        fresh = self.file.with_suffix(".new")
        fresh.write_text(json.dumps(content, indent=1))
        fresh.replace(self.file)


def run(wanted: list[Mistake], state: State, niceness: int, programs: list[Program]) -> None:
    """Tries requested mistakes without a known result."""
    os.nice(niceness)
    if any(it.python for it in wanted):
        provide_core(with_mistakes=any(it.is_rust and it.python for it in wanted))
    say("trying; tests are built, with all mistakes in them, when they are asked first")
    open_ones = [it for it in wanted if it.name not in state.results]
    open_ones.sort(key=lambda it: next((i for i, crate in enumerate(CRATES) if crate in it.file), 0.5))
    if len(open_ones) < len(wanted):
        say(f"{len(wanted) - len(open_ones)} are known from before")
    # A mistake in Python is written into the copy, where other trials would run it too.
    workers = os.cpu_count() if all(it.is_rust for it in open_ones) else 1
    with ThreadPoolExecutor(workers) as pool:
        tried = [pool.submit(try_and_keep, it, programs, state) for it in open_ones]
        try:
            for count, it in enumerate(as_completed(tried), start=1):
                print(f"[{count:3}/{len(open_ones)}] {it.result()}", flush=True)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def try_and_keep(it: Mistake, programs: list[Program], state: State) -> str:
    """Runs the tests with one mistake, keeps the result, and reports it."""
    began = time.monotonic()
    found = try_one(it, programs, state)
    with state.lock:
        state.results[it.name] = found
        state.keep()
    verdict = f"caught    by {found['test']} ({found['near']})" if found["caught"] else "SURVIVED"
    return f"{time.monotonic() - began:5.1f} s  {it.area + '/' + it.name:50} {verdict}"


def try_one(it: Mistake, programs: list[Program], state: State) -> dict:
    """Runs the tests with one mistake."""
    steps = steps_for(it, programs, state.seconds)
    last = state.last.get(it.name, {}).get("step", "")
    steps.sort(key=lambda step: step.label != last)  # the one that failed last time first
    source = (TREE / it.file).read_text()
    for step in steps:
        passed_without(step, state)
        if it.is_rust and it.number not in state.reached[step.label]:
            continue
        if not it.is_rust:
            write(TREE / it.file, it.applied(source).encode())
        try:
            outcome = ask(replace(step, seconds=state.seconds[step.label]), it.number if it.is_rust else 0)
        finally:
            if not it.is_rust:
                write(TREE / it.file, source.encode())
        if not outcome.passed:
            return {"caught": True, "near": step.near, "test": outcome.test, "step": step.label}
    return {"caught": False, "near": "", "test": "", "step": ""}


def passed_without(step: Step, state: State) -> None:
    """Checks that all requested tests pass without a mistake; their duration bounds that of later runs."""
    with state.lock:
        if step.label not in state.seconds:
            outcome = ask(replace(step, seconds=360.0))
            if not outcome.passed:
                sys.exit(f"{outcome.output}\nthis fails without any mistake, so nothing can be counted")
            state.seconds[step.label] = round(outcome.seconds, 2)
            state.reached[step.label] = outcome.reached
            state.keep()


def finish(wanted: list[Mistake], state: State) -> None:
    """Prints the counts; fails below the minimum score, or if some mistakes were not tried."""
    tried = [it for it in wanted if it.name in state.results]
    found = [it for it in tried if state.results[it.name]["caught"]]
    for it in tried:
        if it not in found:
            print(f"survived: {it.area}/{it.name}: {it.means}" + (f" ({it.survives})" if it.survives else ""))
        elif it.survives:
            print(f"{it.name} is caught by {state.results[it.name]['test']}: its `survives` is wrong")
    print(f"mutants: {len(found)} of {len(tried)} caught, {percent(len(found), max(len(tried), 1))}")
    if len(tried) < len(wanted):
        sys.exit(f"{len(wanted) - len(tried)} were not tried")
    # Nobody has judged yet whether the drawn mistakes can make a difference.
    if not any(it.at >= 0 for it in wanted) and len(found) < LEAST_SCORE * len(tried):
        sys.exit(f"below {LEAST_SCORE:.0%}")


def say(text: str) -> None:
    """A line of progress."""
    print(f"mutants: {text}", flush=True)


if __name__ == "__main__":
    main()

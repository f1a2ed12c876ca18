"""``penstock verify``: checks stored runs."""

from functools import partial
from typing import Annotated

from penstock import _core
from penstock.cli import options
from penstock.cli.console import emit, say, show
from penstock.cli.cores import run_all_told
from penstock.cli.selecting import Selection, selection
from penstock.cli.verb import option
from penstock.memory import allow
from penstock.printable import json_text, shortened, things
from penstock.store import Store
from penstock.store.checking import Difference, asked_for, made_again, measures_these, sample


def verify(
    *,
    sample: options.Sample = None,
    pick: Annotated[int, option("--pick N", "Number of the sample; another picks other runs.", bounds=(0, None))] = 0,
    study: options.OfStudy = None,
    name: options.Name = None,
    where: options.Where = None,
    seed: options.SeedOfRun = None,
    jobs: options.Jobs = None,
    threads: options.Threads = 1,
    memory: options.Memory = None,
    store: options.Store = None,
    output: options.Output = "table",
) -> int:
    """Check the stored runs and repeat a sample of them.

    Compares every file with its checksum, and every key with what the run was made from. Repeats a sample of the runs
    of this model version: digest and numbers must be equal to the last bit.
    """
    allow(memory)
    damage: list[str] = []
    kept = Store(store, warn=damage.append)
    chosen = selection(kept, name, where, seed, study)
    counts, differing = check_store(kept, chosen, (options.SAMPLE if sample is None else sample, pick), jobs, threads)
    if output == "json":
        data = [each.data() for each in differing]
        emit(json_text({**counts, "differing": data, "damaged": len(damage)}))
    else:
        show_check(counts, differing, damage)
    return int(bool(differing or damage))


_MOST_LINES = 20


def check_store(
    store: Store, chosen: Selection, how_many: tuple[int, int], jobs: int | None, threads: int
) -> tuple[dict[str, int], list[Difference]]:
    """Reads all selected files and repeats a sample of the runs; see :func:`sample` for `how_many`.

    Returns the counts of undamaged runs, of those that cannot be repeated (another model version, no undamaged
    scenario, files that have moved or changed) and of repeated ones; and the runs with another result or a wrong key.
    """
    counts = dict.fromkeys(("read", "other_models", "without_scenario", "without_files", "made_again"), 0)
    found, sound = [], []
    for manifest in chosen.of(store.manifests()):
        run = store.get(manifest.key)
        if run is None:
            continue
        counts["read"] += 1
        if run.manifest.model_version != _core.MODEL_VERSION:
            counts["other_models"] += 1
        elif (text := store.verified_text(run.manifest.scenario)) is None:
            counts["without_scenario"] += 1
        else:
            request, key, measures = asked_for(run.manifest, text)
            if key != manifest.key and request.folder is not None:
                counts["without_files"] += 1
            elif key != manifest.key:
                found.append(Difference(run.manifest, ["its name is not that of what it says it was made from"]))
            elif not measures_these(run, measures):
                found.append(Difference(run.manifest, ["it measures something else than its scenario"]))
            else:
                sound.append((run.manifest, request))
    requests = {manifest.key: request for manifest, request in sound}
    picked = sample([manifest for manifest, _ in sound], *how_many)
    again = [(each, run, requests[each.key]) for each in picked if (run := store.get(each.key)) is not None]
    counts["made_again"], differing = made_again(again, partial(run_all_told, threads, jobs=jobs))
    return counts, found + differing


def show_check(counts: dict[str, int], differing: list[Difference], damaged: list[str]) -> None:
    """Shows the result to people."""
    for message in damaged[:_MOST_LINES]:
        say(f"damaged: {message}")
    for each in differing[:_MOST_LINES]:
        more = f"; and {len(each.what) - 3} more" if len(each.what) > 3 else ""
        say(f"differs: {shortened(each.run.name, 100)} {each.run.key[:16]}: {'; '.join(each.what[:3])}{more}")
    hidden = max(0, len(damaged) - _MOST_LINES) + max(0, len(differing) - _MOST_LINES)
    if hidden:
        say(f"... and {hidden} more.")
    runs = f"{things(counts['read'], 'run')} read, {counts['made_again']} made again"
    show(f"{runs}: {len(differing)} differ, {len(damaged)} damaged and set aside.")
    missing = {
        "other_models": "of other versions of the model, which cannot be made again with this one",
        "without_scenario": "whose scenarios are not in the store, so that they cannot be made again",
        "without_files": "whose scenarios name files that are gone or have changed, so that they cannot be made again",
    }
    for name, which in missing.items():
        if counts[name]:
            show(f"{counts[name]} {which}.")

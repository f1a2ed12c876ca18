"""``penstock verify``: checks stored runs."""

from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

from penstock import _core
from penstock.cli import options
from penstock.cli.console import emit, say, show
from penstock.cli.cores import run_all_told
from penstock.cli.selecting import Selection, selection
from penstock.memory import allow
from penstock.printable import json_text, shortened, things
from penstock.store import Store
from penstock.store.checking import Difference, asked_for, made_again, measures_these, sample


def verify(
    *,
    sample: options.Sample = None,
    pick: Annotated[int, options.pick_option("another picks other runs.")] = 0,
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
    found = check_store(kept, chosen, (options.SAMPLE if sample is None else sample, pick), jobs, threads)
    found.damaged = damage
    if output == "json":
        emit(json_text(found.data()))
    else:
        show_check(found)
    return int(not found.is_sound)


_SHOWN = 20
"""Maximum number of lines of a kind."""


@dataclass
class Check:
    """Result of a check."""

    read: int = 0  # runs with undamaged files
    other_models: int = 0  # those that only another model version can repeat
    without_scenario: int = 0  # those without an undamaged scenario in the store
    without_files: int = 0  # those whose scenario names files that have moved or changed
    made_again: int = 0  # those that were repeated
    differing: list[Difference] = field(default_factory=list)  # runs with a different result, or a wrong key
    damaged: list[str] = field(default_factory=list)  # messages about damaged files, which were set aside

    @property
    def is_sound(self) -> bool:
        """Whether nothing differs and nothing is damaged."""
        return not self.differing and not self.damaged

    def data(self) -> dict[str, Any]:
        """The JSON form."""
        return {**vars(self), "differing": [each.data() for each in self.differing], "damaged": len(self.damaged)}


def check_store(store: Store, chosen: Selection, how_many: tuple[int, int], jobs: int | None, threads: int) -> Check:
    """Reads all selected files and repeats a sample of the runs; see :func:`sample` for `how_many`."""
    check, sound = Check(), []
    for manifest in chosen.of(store.manifests()):
        run = store.get(manifest.key)
        if run is None:
            continue
        check.read += 1
        if run.manifest.model_version != _core.MODEL_VERSION:
            check.other_models += 1
        elif (text := store.verified_text(run.manifest.scenario)) is None:
            check.without_scenario += 1
        else:
            request, key, measures = asked_for(run.manifest, text)
            if key != manifest.key and request.folder is not None:
                check.without_files += 1
            elif key != manifest.key:
                check.differing.append(
                    Difference(run.manifest, ["its name is not that of what it says it was made from"])
                )
            elif not measures_these(run, measures):
                check.differing.append(Difference(run.manifest, ["it measures something else than its scenario"]))
            else:
                sound.append((run.manifest, request))
    requests = {manifest.key: request for manifest, request in sound}
    picked = sample([manifest for manifest, _ in sound], *how_many)
    again = [(each, run, requests[each.key]) for each in picked if (run := store.get(each.key)) is not None]
    check.made_again, differing = made_again(again, partial(run_all_told, threads, jobs=jobs))
    check.differing += differing
    return check


def show_check(check: Check) -> None:
    """Shows the result to people."""
    for message in check.damaged[:_SHOWN]:
        say(f"damaged: {message}")
    for each in check.differing[:_SHOWN]:
        more = f"; and {len(each.what) - 3} more" if len(each.what) > 3 else ""
        say(f"differs: {shortened(each.run.name, 100)} {each.run.key[:16]}: {'; '.join(each.what[:3])}{more}")
    hidden = max(0, len(check.damaged) - _SHOWN) + max(0, len(check.differing) - _SHOWN)
    if hidden:
        say(f"... and {hidden} more.")
    runs = f"{things(check.read, 'run')} read, {check.made_again} made again"
    show(f"{runs}: {len(check.differing)} differ, {len(check.damaged)} damaged and set aside.")
    if check.other_models:
        show(f"{check.other_models} of other versions of the model, which cannot be made again with this one.")
    if check.without_scenario:
        show(f"{check.without_scenario} whose scenarios are not in the store, so that they cannot be made again.")
    if check.without_files:
        why = "name files that are gone or have changed, so that they cannot be made again"
        show(f"{check.without_files} whose scenarios {why}.")

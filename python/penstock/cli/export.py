"""``penstock export``: writes runs into one archive."""

import hashlib
from pathlib import Path
from typing import Annotated, Any

from penstock import _core
from penstock.cli import options
from penstock.cli.console import emit, show
from penstock.cli.selecting import Selection, selection
from penstock.cli.verb import argument, option
from penstock.errors import InputError
from penstock.memory import size_text
from penstock.printable import json_text, path_text, things
from penstock.store import Store
from penstock.store.archive import LARGEST_TEXTS, write_archive


def export(
    file: Annotated[Path | None, argument("ARCHIVE", "The file to write.")] = None,
    *,
    out: Annotated[Path | None, option("--out -o FILE", "The file to write, instead of ARCHIVE.")] = None,
    study: options.OfStudy = None,
    name: options.Name = None,
    where: options.Where = None,
    seed: options.SeedOfRun = None,
    store: options.Store = None,
    output: options.Output = "table",
) -> None:
    """Write stored runs into an archive, for another machine.

    Exports all runs of this model version, or the selected ones, with their scenarios. Shows the digest of the archive,
    which 'penstock import --digest' checks.
    """
    archive = options.one_file(file, out, "the archive")
    kept = Store(store)
    found = export_runs(kept, selection(kept, name, where, seed, study), archive)
    if output == "json":
        emit(json_text(found))
        return
    what = f"{things(found['runs'], 'run')} of {things(found['scenarios'], 'scenario')}"
    show(f"{path_text(archive)}: {what}, {size_text(archive.stat().st_size)}.", f"digest {found['digest']}")
    if found["left_out"]:
        show(f"{found['left_out']} left out: of other versions of the model, or without their scenarios.")


def export_runs(store: Store, chosen: Selection, archive: Path) -> dict[str, Any]:
    """Writes the selected runs into an archive; returns the counts of its contents and of runs that it cannot hold.

    Raises InputError if there are no such runs or `archive` exists, StoreError if reading or writing fails.
    """
    texts: dict[str, bytes] = {}
    runs: list[tuple[str, int, str]] = []
    left_out = total = 0
    for manifest in chosen.of(store.manifests()):
        text = store.texts.get(manifest.scenario) if manifest.scenario not in texts else ""
        content = store.content(manifest.key) if manifest.model_version == _core.MODEL_VERSION else None
        if text is None or content is None:
            left_out += 1
            continue
        texts.setdefault(manifest.scenario, text.encode("utf-8", "surrogatepass"))
        runs.append((manifest.key, len(content), hashlib.blake2b(content, digest_size=32).hexdigest()))
        total += len(texts[manifest.scenario]) if text else 0
        if total > LARGEST_TEXTS:
            raise InputError(
                f"the scenarios of these runs have more than {LARGEST_TEXTS >> 20} MiB together, the most that an "
                "archive may have; export fewer at once (--study, --name, --where)."
            )
    if not runs:
        why = f"; {left_out} are of other versions of the model, or without their scenarios" if left_out else ""
        raise InputError(f"no run in {path_text(store.folder)} is chosen{why}: 'penstock runs' lists the stored runs.")
    digest = write_archive(archive, texts, runs, lambda key: store.content(key) or b"")
    return {"runs": len(runs), "scenarios": len(texts), "left_out": left_out, "digest": digest}

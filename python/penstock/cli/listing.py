"""``penstock list``: what a scenario may name."""

from typing import Annotated

import typer

from penstock.cli.options import Format, FormatOption

__all__ = ["list_"]


def list_(
    kind: Annotated[str | None, typer.Argument(help="Only this kind, such as discipline, or metrics.")] = None,
    output: FormatOption = Format.TABLE,
) -> None:
    """List what a scenario may name."""
    import json

    from penstock.cli.console import emit, show, table
    from penstock.cli.suggest import suggestion
    from penstock.errors import InputError
    from penstock.reference import catalogue

    everything = catalogue()
    kinds = {entry["kind"]: entry for entry in everything["kinds"]}
    allowed = [*kinds, "metrics"]
    wanted = {"metric": "metrics"}.get(kind, kind) if kind is not None else None
    if wanted is not None and wanted not in allowed:
        wanted = next(
            (entry["kind"] for entry in everything["kinds"] if wanted in (entry["key"], f"{entry['kind']}s")), wanted
        )
    if wanted is not None and wanted not in allowed:
        raise InputError(f"there is no kind '{kind}'{suggestion(wanted, allowed)}; the kinds are {', '.join(allowed)}.")
    chosen = [entry for entry in kinds.values() if wanted in (None, entry["kind"])]
    metrics = everything["metrics"] if wanted in (None, "metrics") else []
    if output is Format.JSON:
        emit(
            json.dumps(
                everything if wanted is None else {"kinds": chosen, "metrics": metrics}, indent=2, ensure_ascii=False
            )
        )
        return
    for entry in chosen:
        rows = [(component["name"], component["summary"]) for component in entry["components"]]
        show(table(f"{entry['kind']} ({entry['key']}.NAME in a scenario)", ["name", "what it does"], rows), "")
    if metrics:
        lines = [(metric["name"], metric["unit"], " ".join(metric["doc"].split())) for metric in metrics]
        show(table("metrics", ["name", "unit", "what it says"], lines), "")
    show("More about one: penstock explain NAME")

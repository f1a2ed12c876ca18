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
    from penstock.reference import PLACES, catalogue

    everything = catalogue()
    allowed = [*everything["components"], "metrics"]
    if kind is not None and kind not in allowed:
        raise InputError(f"there is no kind '{kind}'{suggestion(kind, allowed)}; the kinds are {', '.join(allowed)}.")
    components = {name: found for name, found in everything["components"].items() if kind in (None, name)}
    metrics = everything["metrics"] if kind in (None, "metrics") else []
    if output is Format.JSON:
        chosen = everything if kind is None else {"components": components, "metrics": metrics}
        emit(json.dumps(chosen, indent=2, ensure_ascii=False))
        return
    for name, found in components.items():
        rows = [(component["name"], component["summary"]) for component in found]
        show(table(f"{name} ({PLACES[name]}.NAME in a scenario)", ["name", "what it does"], rows), "")
    if metrics:
        lines = [(metric["name"], metric["unit"], " ".join(metric["doc"].split())) for metric in metrics]
        show(table("metrics", ["name", "unit", "what it says"], lines), "")
    show("More about one: penstock explain NAME")

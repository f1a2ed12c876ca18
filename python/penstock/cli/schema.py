"""``penstock schema``: the JSON Schema of scenarios, for editors."""

__all__ = ["schema"]


def schema() -> None:
    """Show the JSON Schema of a scenario, for editors.

    An editor that knows it completes keys, shows what they mean and underlines what cannot be.
    """
    from penstock import _core
    from penstock.cli.console import emit

    emit(_core.json_schema())

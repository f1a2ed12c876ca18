"""What all component classes have in common; the classes themselves are generated into ``components``."""

from __future__ import annotations

import keyword
import math
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError

from penstock.cli.suggest import suggestion
from penstock.errors import ArgumentError
from penstock.printable import quoted, represented
from penstock.reference import catalogue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic_core import ErrorDetails

    from penstock.reference import Parameter

__all__ = ["Component", "camel", "class_names", "kebab", "names_of_classes", "told"]

_SHOWN = 20
"""The most names that a message lists."""
# What a conditioner is stands in its kind; its own name says only how it measures.
_CONDITIONERS = ("shaper", "policer")


def kebab(name: str) -> str:
    """The scenario key of a Python name.

    Examples
    --------
    >>> kebab("max_threshold"), kebab("lambda_")
    ('max-threshold', 'lambda')
    """
    return name.rstrip("_").replace("_", "-")


def camel(name: str) -> str:
    """A component's name as that of a class.

    Examples
    --------
    >>> camel("red-n")
    'RedN'
    """
    return "".join(part.capitalize() for part in name.split("-"))


def names_of_classes(pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The names of the classes of components, by their kinds and names."""
    shared = Counter(camel(name) for kind, name in pairs if kind not in _CONDITIONERS)
    names = {}
    for kind, name in pairs:
        made = camel(name)
        # Kinds may use a name twice, as in a delay that a wire adds and one that a host does; and arrivals may be none.
        alone = kind not in _CONDITIONERS and shared[made] == 1 and not keyword.iskeyword(made)
        names[kind, name] = made if alone else made + camel(kind)
    return names


def class_names(kind: str) -> list[str]:
    """The classes of a kind."""
    pairs = [(each, found["name"]) for each, of_kind in catalogue()["components"].items() for found in of_kind]
    return [name for (each, _), name in names_of_classes(pairs).items() if each == kind]


def told(where: str, what: str, unknown: Sequence[str], missing: Mapping[str, str], known: Sequence[str]) -> str:
    """What is wrong with the names that something was given.

    Parameters
    ----------
    where : str
        What was given them.
    what : str
        What they name.
    unknown : sequence of str
        Those that do not exist.
    missing : mapping of str to str
        Those that must be given and were not, each with an example of its value, which may be empty.
    known : sequence of str
        All that there are.

    Examples
    --------
    >>> told("Cbr", "parameter", ["pakcet"], {"packet": ""}, ["rate", "packet"])
    "Cbr: unknown parameter 'pakcet'; did you mean 'packet'? (rate, packet)"
    >>> told("Cbr", "parameter", [], {"rate": '"1 Mbit/s"'}, ["rate", "packet"])
    'Cbr: rate is missing and has no default; write rate="1 Mbit/s".'
    """
    shown = ", ".join([*known[:_SHOWN], *["..."] * (len(known) > _SHOWN)])
    lines, meant = [], set()
    for name in unknown:
        hint = suggestion(name, known).removesuffix(".")
        meant |= {other for other in missing if repr(other) in hint}
        lines.append(f"{where}: unknown {what} {quoted(name)}{hint} ({shown or 'there are none'})")
    for name, example in missing.items():
        if name not in meant:  # else it is misspelt
            write = f"; write {name}={example}" if example else ""
            lines.append(f"{where}: {name} is missing and has no default{write}.")
    return "\n".join(lines)


class Component(BaseModel):
    """A component with its parameters; the core checks their values and units when a scenario is read."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, alias_generator=kebab, validate_by_name=True, validate_by_alias=True
    )

    KIND: ClassVar[str]
    """The kind of component, such as ``discipline``."""
    KEY: ClassVar[str]
    """The component's name in a scenario, such as ``tail-drop``."""

    if not TYPE_CHECKING:

        def __init__(self, /, *given, **parameters):
            name = type(self).__name__
            if given:
                example = next(iter(type(self).model_fields), None)
                hint = "has no parameters" if example is None else f"takes parameters by name: {name}({example}=...)"
                raise ArgumentError(f"{name} {hint}.")
            try:
                super().__init__(**parameters)
            except ValidationError as error:
                raise ArgumentError(_mistakes(type(self), error.errors())) from None

    def table(self) -> dict[str, Any]:
        """The parameters that were given, under their scenario keys; the others keep the core's defaults."""
        made = self.model_dump(by_alias=True, exclude_unset=True, exclude_none=True)
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            if isinstance(value, Component):
                made[field.alias or name] = {value.KEY: value.table()}
        return made


def _mistakes(made: type[Component], errors: Sequence[ErrorDetails]) -> str:
    """What is wrong with the parameters of a component, a line for each of them."""
    name = made.__name__
    known = [*made.model_fields]
    of_key = {kebab(each): each for each in known}
    found: dict[str, ErrorDetails] = {}
    for error in errors:
        given = str(error["loc"][0]) if error["loc"] else ""
        found.setdefault(of_key.get(given, given), error)
    parameters = _parameters(made)
    unknown = [each for each, error in found.items() if error["type"] == "extra_forbidden"]
    missing = {each: _example(parameters, each) for each, error in found.items() if error["type"] == "missing"}
    lines = [told(name, "parameter", unknown, missing, known)] if unknown or missing else []
    lines += [
        f"{name}.{each}: {_wrong(error, parameters.get(kebab(each)))}"
        for each, error in found.items()
        if each not in unknown and each not in missing
    ]
    return "\n".join(lines)


def _parameters(made: type[Component]) -> Mapping[str, Parameter]:
    components = catalogue()["components"].get(made.KIND, [])
    found = next((each for each in components if each["name"] == made.KEY), None)
    return {each["key"]: each for each in found["parameters"]} if found else {}


def _example(parameters: Mapping[str, Parameter], name: str) -> str:
    """A value of a parameter as a program writes it, if an example is known."""
    parameter = parameters.get(kebab(name))
    example = "" if parameter is None else parameter.get("example", "")
    # Of a law the first form, which is a text.
    first = example.split('",')[0].strip('"') if example.startswith('"') else example
    return f'"{first}"' if first and "{" not in first else ""


def _wrong(error: ErrorDetails, parameter: Parameter | None) -> str:
    """What is wrong with a value."""
    given = error["input"]
    shown = quoted(represented(given))
    if parameter is not None and parameter["kind"] == "component":
        kind = parameter["of"]
        what = f"a {kind} ({', '.join(class_names(kind))})"
        if isinstance(given, Component):
            return f"takes {what}, and {type(given).__name__} is a {given.KIND}."
        hint = suggestion(given, parameter["names"]) if isinstance(given, str) else "."
        return f"takes {what}, not {shown}{hint}"
    if error["type"] == "literal_error" and parameter is not None and "choices" in parameter:
        words = [choice["word"] for choice in parameter["choices"]]
        hint = suggestion(given, words) if isinstance(given, str) else "."
        return f"{shown} is not one of {', '.join(words)}{hint}"
    if parameter is not None and isinstance(given, int | float) and parameter["kind"] in ("quantity", "law"):
        example = _example({parameter["key"]: parameter}, parameter["key"])
        unit = example.strip('"').partition(" ")[2]
        if unit and not isinstance(given, bool) and 0 <= given < math.inf:
            example = f'"{given} {unit}"'
        return f"{given} has no unit{f'; write {example}' if example else ''}."
    return f"{shown} cannot stand here: {error['msg']}."

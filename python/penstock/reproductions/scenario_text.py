"""Writes scenarios as text, and quantities as they have them."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from penstock import toml
from penstock.studies.quantity import SECOND, Quantity, read_quantity, setting_text

Entries = Iterable[Mapping[str, Any]]


def head_of(description: str, duration: str, warm_up: str) -> dict[str, str]:
    """The keys at the top of a scenario; there is no warm-up if all of a run counts."""
    head = {"description": description, "duration": duration}
    return head if warm_up == "0 s" else head | {"warm-up": warm_up}


def scenario_text(
    head: Mapping[str, Any],
    nodes: Mapping[str, Any],
    links: Entries,
    flows: Entries,
    measures: Entries,
    *,
    circuits: Entries = (),
    calls: Entries = (),
) -> str:
    """The keys at the top of a scenario, its nodes, and each entry of its lists below a header.

    Examples
    --------
    >>> print(scenario_text({"duration": "2 s"}, {"a": {}, "b": {}}, [{"from": "a", "to": "b"}], [], []), end="")
    duration = "2 s"
    <BLANKLINE>
    [nodes]
    a = {}
    b = {}
    <BLANKLINE>
    [[links]]
    from = "a"
    to = "b"
    """
    lines = [*toml.lines(head), "", "[nodes]", *toml.lines(nodes)]
    lists = {"links": links, "circuits": circuits, "flows": flows, "calls": calls, "measure": measures}
    for name, entries in lists.items():
        for entry in entries:
            lines += ["", f"[[{name}]]", *toml.lines(entry)]
    return "\n".join(lines) + "\n"


def amount(text: str) -> float:
    """A quantity in seconds or bit/s.

    Examples
    --------
    >>> amount("500 us"), amount("149.76 Mbit/s")
    (0.0005, 149760000.0)
    """
    quantity = read_quantity(text)
    assert quantity is not None
    return float(quantity.value)


def bits(rate: Decimal, parts: int = 10) -> str:
    """A rate in bit/s, in a larger unit where it is a whole number of its `parts`.

    Examples
    --------
    >>> bits(Decimal(115_200_000)), bits(Decimal("39168000.4")), bits(Decimal(1_310_000), parts=100)
    ('115.2 Mbit/s', '39168 kbit/s', '1.31 Mbit/s')
    """
    whole = Decimal(round(rate))
    for unit, size in (("Mbit/s", 1_000_000), ("kbit/s", 1_000)):
        if whole >= size and whole % (size // parts) == 0:
            return f"{(whole / size).normalize():f} {unit}"
    return f"{whole:f} bit/s"


def seconds(span: Decimal | float) -> str:
    """A time to the nanosecond.

    Examples
    --------
    >>> seconds(0.0133), seconds(Decimal(60)), seconds(0.0002), seconds(0)
    ('13.3 ms', '60 s', '200 us', '0 s')
    """
    return setting_text(Quantity(Fraction(round(Decimal(str(span)) * 10**9), 10**9), SECOND)) if span else "0 s"

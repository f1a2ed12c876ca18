"""A scenario of one link from ``a`` to ``b``, called ``a-b``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def one_link(
    flows: Mapping[str, str],
    measured: Iterable[tuple[str, str]],
    *,
    duration: str = "1 s",
    warm_up: str = "0 s",
    rate: str = "10 Mbit/s",
    limit: str | None = "1000 packets",
    both_ways: bool = False,
) -> str:
    """The scenario's text: `flows` with their sources by name, and pairs of a metric and the rest of its lines."""
    port = "" if limit is None else f'queue.tail-drop = {{ limit = "{limit}" }}\n'
    port += "both-ways = true\n" * both_ways
    head = f'''
duration = "{duration}"
warm-up = "{warm_up}"
[nodes]
a = {{}}
b = {{}}
[[links]]
from = "a"
to = "b"
rate = "{rate}"
delay = "1 ms"
{port}'''
    traffic = [f'[[flows]]\nname = "{name}"\nfrom = "a"\nto = "b"\nsource.{source}\n' for name, source in flows.items()]
    return head + "".join(traffic) + "".join(f'[[measure]]\nmetric = "{metric}"\n{rest}\n' for metric, rest in measured)

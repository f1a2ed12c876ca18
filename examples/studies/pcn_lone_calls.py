"""Over-admission of single marking with about one regular call per ingress, by counting.

Excess marking leaves exactly the admissible rate unmarked. With regular packets of fixed phases, the same calls have
all their packets marked from period to period, and the others none. So of N calls N - AR are marked, a call at a time:

- A call that arrives adds a mark: its own with probability 1 - AR/N, else that of an unmarked call.
- The end of an unmarked call frees a mark; the end of a marked call ends its own.
- An ingress admits a call while none of its calls is marked.

An ingress without calls has no packets. If its level is `reset`, it admits the next call. If the level stays (`frozen`)
and the last call was marked, the ingress never admits again, and over-admission falls with time.
"""

from __future__ import annotations

import numpy as np

MOST = 10
"""Calls per ingress that the states go up to, of either kind."""
STEP = 0.05
"""Of the integration, in seconds."""


def over_admission(
    times: tuple[float, ...], *, calls: float, offered: float, holding: float = 60.0, frozen: bool
) -> list[float]:
    """Calls above AR at these times, as a share of AR, for a large number of ingresses.

    Parameters
    ----------
    times : tuple of float, s
        When to look, in ascending order.
    calls : float
        AR in calls per ingress.
    offered : float, erlang
        Offered calls per ingress.
    holding : float, s
        Mean holding time.
    frozen : bool
        Whether the level of an ingress without calls stays as it is.

    Examples
    --------
    Five times AR, one call per ingress:

    >>> [round(share, 2) for share in over_admission((200.0,), calls=1, offered=5, frozen=False)]
    [0.76]
    """
    shares = np.zeros((MOST + 1, MOST + 1))
    shares[0, 0] = 1.0
    unmarked, marked = np.arange(MOST + 1)[:, None], np.arange(MOST + 1)[None, :]
    found = []
    for step in range(round(times[-1] / STEP)):
        free, held = float((shares * unmarked).sum()), float((shares * marked).sum())
        above = free + held - calls
        admitted = shares[:, 0] * offered / holding
        admitted[-1] = 0.0
        own = held / (free + held) if above > 0 else 0.0
        change = np.zeros_like(shares)
        change[:, 0] -= admitted
        change[1:, 0] += admitted[:-1] * (1 - own)
        change[:, 1] += admitted * own
        change += _move(shares * unmarked / holding, (-1, 0)) + _move(shares * marked / holding, (0, -1))
        if frozen:
            change[0, 0] -= shares[0, 1] / holding
        if above > 0:
            change += _move(shares * unmarked * (admitted.sum() * (1 - own) / free), (-1, 1))
        if held > 0:
            change += _move(shares * marked * min(free / holding / held, 1 / STEP), (1, -1))
        shares = shares + STEP * change
        if any(step + 1 == round(time / STEP) for time in times):
            found.append(float((shares * (unmarked + marked)).sum()) / calls - 1)
    return found


def _move(flow: np.ndarray, by: tuple[int, int]) -> np.ndarray:
    """The change of the states from which `flow` goes to those `by` steps away; nothing leaves the table."""
    kept = flow.copy()
    for axis, step in enumerate(by):
        edge = -1 if step > 0 else 0
        if step:
            np.moveaxis(kept, axis, 0)[edge] = 0.0
    moved: np.ndarray = np.roll(kept, by, axis=(0, 1)) - kept
    return moved

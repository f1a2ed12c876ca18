"""The results of a study with their plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from penstock.plots import picture, request_of
from penstock.plots.data import from_summaries
from penstock.studies.result import StudyData

if TYPE_CHECKING:
    from penstock.plots.canvas import Picture


class StudyResult(StudyData):
    """The results of a study, with the fields and numbers of :class:`~penstock.studies.result.StudyData`."""

    @classmethod
    def of(cls, made: StudyData) -> StudyResult:
        """Returns the points of `made` as a result that can be drawn."""
        return cls(made.plan, made.points, made.warm_up)

    def plot(
        self,
        kind: str | None = None,
        *,
        x: str | None = None,
        y: str | Sequence[str] = (),
        by: str | None = None,
        facet: str | None = None,
        where: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> Picture:
        """Draws the numbers with their intervals.

        Parameters
        ----------
        kind : str, optional
            ``line``, ``bar``, ``cdf``, ``series`` (over time), ``heatmap`` or ``box``; by default what suits the data.
        x : str, optional
            Parameter or label on the x axis; the end of its path is enough.
        y : str or sequence of str
            The number, such as ``goodput[near]``; by default the first one. Each of several has its own row of panels.
        by, facet : str, optional
            What distinguishes lines, and panels; by default whatever else varies.
        where : dict of str to value, optional
            Draws only the numbers with these values.
        **more
            ``intervals``, ``note`` (bool), ``width`` (``column`` or ``page``), ``height`` (inches), ``log`` (``x``,
            ``y``, ``xy``), ``title``, ``x_label``, ``y_label``.

        Returns
        -------
        matplotlib.figure.Figure
            Its ``savefig`` writes equal bytes for equal numbers.

        Raises
        ------
        InputError
            If a column or number does not exist, or there is nothing to plot.
        """
        request = request_of(kind, x=x, y=y, by=by, facet=facet, where=where, **more)
        return picture(from_summaries(self.summaries()), request)

"""A study: a network, how long it is watched, and how many independent runs are made of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from penstock.network import Network
    from penstock.store import Store

__all__ = ["Study"]


@dataclass(frozen=True)
class Study:
    """What is to be run; the methods give changed copies.

    Parameters
    ----------
    network : Network
        What is simulated.
    duration : str, s
        How long, such as ``"100 s"``.
    warm_up : str, s, optional
        How much of the beginning is not counted; nothing if left out.
    seed : int, optional
        Root of the random streams; 1 if left out.
    description : str, optional
        One sentence for people.
    name : str
        What it is called in results.
    replications : int
        How many independent runs; see :meth:`runs`.
    """

    network: Network
    duration: str
    warm_up: str | None = None
    seed: int | None = None
    description: str | None = None
    name: str = "study"
    replications: int = 5

    def runs(self, count: int) -> Study:
        """The same study with `count` independent runs.

        Raises
        ------
        ValueError
            If there would be none.
        """
        if count < 1:
            raise ValueError(f"a study needs at least one run, not {count}")
        return replace(self, replications=count)

    def scenario(self) -> str:
        """The scenario's TOML text, for ``penstock run`` and for reading."""
        return self.network.toml(
            description=self.description, duration=self.duration, warm_up=self.warm_up, seed=self.seed
        )

    def run(self, *, jobs: int | None = None, store: Store | None = None, threads: int = 1) -> pl.DataFrame:
        """Makes the runs that are not in the store yet.

        Parameters
        ----------
        jobs : int, optional
            How many runs at the same time; by default as many as there are cores for.
        store : Store, optional
            Where finished runs are kept; the default folder if left out.
        threads : int, optional
            How many cores one run may use; the results are the same.

        Returns
        -------
        polars.DataFrame
            One row per metric and labels; see :func:`penstock.results.to_frame`.

        Raises
        ------
        ScenarioError
            If the scenario has mistakes; nothing is run then.
        RunsFailed
            If any run failed.
        """
        from penstock.progress import Progress
        from penstock.results import to_frame
        from penstock.running import RunRequest, run_all
        from penstock.store import Store as Folder

        text = self.scenario()
        seed = 1 if self.seed is None else self.seed
        requests = [RunRequest(text, (), seed, number, self.name) for number in range(self.replications)]
        with Progress() as progress:
            kept = store if store is not None else Folder()
            results = run_all(requests, jobs=jobs, store=kept, progress=progress, threads=threads)
        return to_frame(results)

"""The store of finished runs: one folder of files that are never changed.

A run's files are named by the hash of everything that its result depends on, so a run is never made twice and a study
that was interrupted continues where it stopped. The numbers are in ``runs/ab/<hash>.parquet``; the manifest
``runs/ab/<hash>.json`` says what they are and carries a checksum of them. Each file is written under a temporary name
and renamed, the manifest last, so several processes may share a store and none ever sees half a run. What is damaged
counts as missing and is computed again.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.errors import InputError, StoreError
from penstock.records import Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.records import RunRequest

__all__ = ["Kept", "Store", "default_folder", "run_key"]

_FORMAT = 1
"""Counts changes of the files' layout; runs of another layout count as missing."""
_NO_FOLDER = (errno.EEXIST, errno.ENOTDIR)
"""What the system says where a file stands in a folder's place."""


def default_folder() -> Path:
    """Where runs are kept unless told otherwise: PENSTOCK_STORE, else penstock in the user's cache folder."""
    chosen = os.environ.get("PENSTOCK_STORE")
    if chosen:
        return Path(chosen)
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "penstock"


def run_key(canonical: str, seed: int, replication: int) -> str:
    """The name of a run's result, known before it runs.

    Parameters
    ----------
    canonical : str
        The scenario in its canonical form.
    seed : int
        Root of the random streams.
    replication : int
        Which of several statistically independent runs.

    Returns
    -------
    str
        64 hexadecimal digits, which also depend on the model version.
    """
    parts = [canonical, str(seed), str(replication), _core.MODEL_VERSION]
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=32).hexdigest()


@dataclass(frozen=True, slots=True)
class Kept:
    """A run found in the store."""

    metrics: list[Metric]
    digest: str
    packet_hops: int


class Store:
    """A folder of finished runs.

    Parameters
    ----------
    folder : str or Path, optional
        Made when the first run is kept; :func:`default_folder` if left out.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        self.folder = Path(folder) if folder is not None else default_folder()

    def prepare(self) -> None:
        """Makes the folder and tries to write in it, so that no run is made in vain.

        Raises
        ------
        StoreError
            If it cannot be a store.
        """
        try:
            (self.folder / "runs").mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass
        except OSError as error:
            failure = StoreError(self._why(error, self.folder))
            if error.errno in _NO_FOLDER:
                failure.exit_code = InputError.exit_code
            raise failure from error

    def get(self, key: str) -> Kept | None:
        """The run called `key`, or None if it is not there in one piece.

        Raises
        ------
        StoreError
            If the files are there but may not be read.
        """
        import polars as pl

        manifest_file, table_file = self._files(key)
        try:
            manifest = json.loads(manifest_file.read_bytes())
            table = table_file.read_bytes()
            if manifest["format"] != _FORMAT or manifest["key"] != key or manifest["checksum"] != _checksum(table):
                return None
            frame = pl.read_parquet(io.BytesIO(table))
            metrics = [Metric(name, json.loads(labels), unit, value) for name, labels, unit, value in frame.iter_rows()]
            return Kept(metrics, str(manifest["digest"]), int(manifest["packet_hops"]))
        except PermissionError as error:
            raise StoreError(self._why(error, manifest_file)) from error
        except (OSError, ValueError, KeyError, TypeError, pl.exceptions.PolarsError):
            return None

    def put(self, key: str, request: RunRequest, digest: str, packet_hops: int, metrics: Sequence[Metric]) -> None:
        """Keeps a finished run under the name `key`.

        Parameters
        ----------
        key : str
            See :func:`run_key`.
        request : RunRequest
            Its seed and replication go into the manifest, for people.
        digest : str
            Hash of everything that happened.
        packet_hops : int
            Packets that reached the far end of a link.
        metrics : sequence of Metric
            The numbers.

        Raises
        ------
        StoreError
            If a file cannot be written; says which, and what is kept.
        """
        import polars as pl

        columns = {
            "metric": [metric.name for metric in metrics],
            "labels": [json.dumps(metric.labels, ensure_ascii=False) for metric in metrics],
            "unit": [metric.unit for metric in metrics],
            "value": [metric.value for metric in metrics],
        }
        schema = {"metric": pl.String, "labels": pl.String, "unit": pl.String, "value": pl.Float64}
        buffer = io.BytesIO()
        pl.DataFrame(columns, schema=schema).write_parquet(buffer)
        table = buffer.getvalue()
        manifest: dict[str, Any] = {
            "format": _FORMAT,
            "key": key,
            "model_version": _core.MODEL_VERSION,
            "seed": request.seed,
            "replication": request.replication,
            "digest": digest,
            "packet_hops": packet_hops,
            "checksum": _checksum(table),
        }
        manifest_file, table_file = self._files(key)
        self._write(table_file, table)
        self._write(manifest_file, json.dumps(manifest, indent=1).encode())

    def keep_failed(self, key: str, request: RunRequest) -> str | None:
        """Writes the scenario of a failed run beside the results, so that the run can be repeated alone.

        Returns
        -------
        str or None
            The file; None if it could not be written, which is no reason to hide the failure itself.
        """
        file = self.folder / "failed" / f"{key[:16]}.toml"
        try:
            self._write(file, request.scenario.encode())
        except StoreError:
            return None
        return str(file)

    def _files(self, key: str) -> tuple[Path, Path]:
        folder = self.folder / "runs" / key[:2]
        return folder / f"{key}.json", folder / f"{key}.parquet"

    def _write(self, file: Path, content: bytes) -> None:
        """Writes all of it or nothing."""
        temporary = None
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(prefix=".writing-", dir=file.parent)
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            Path(temporary).replace(file)
        except OSError as error:
            if temporary is not None:
                Path(temporary).unlink(missing_ok=True)
            raise StoreError(self._why(error, file)) from error
        except BaseException:
            if temporary is not None:
                Path(temporary).unlink(missing_ok=True)
            raise

    def _why(self, error: OSError, file: Path) -> str:
        """What is wrong, and what to do about it."""
        elsewhere = "Choose another folder with --store DIR or PENSTOCK_STORE."
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return (
                f"the disk is full: {file} could not be written.\n"
                f"All runs finished before it are kept in {self.folder}; "
                "free some space and give the same command again to go on from there.\n"
                f"{elsewhere}"
            )
        if error.errno in _NO_FOLDER:
            culprit = next((path for path in (file, *file.parents) if path.exists() and not path.is_dir()), file)
            return f"the store of results must be a folder, but {culprit} is a file.\n{elsewhere}"
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return f"the store of results in {self.folder} may not be used: {file}: {error.strerror}.\n{elsewhere}"
        return f"the store of results in {self.folder} cannot be used: {file}: {error.strerror or error}.\n{elsewhere}"


def _checksum(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()

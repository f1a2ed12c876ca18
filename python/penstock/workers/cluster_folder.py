"""The folder of a local Dask cluster: its certificate, and what Dask writes."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ClusterFolder"]

_PATIENCE = 2.0
"""Seconds in which the folder can be removed, though other workers that end at the same time still write there."""


@dataclass(frozen=True)
class ClusterFolder:
    """A folder that only its user can enter.

    Parameters
    ----------
    path : Path
        Where it is.
    """

    path: Path

    @classmethod
    def planned(cls) -> ClusterFolder:
        """One that does not exist yet, among the temporary files."""
        return cls(Path(tempfile.gettempdir()) / f"penstock-dask-{secrets.token_hex(8)}")

    @property
    def certificate(self) -> Path:
        """The certificate that all of the cluster show, and that they accept."""
        return self.path / "certificate.pem"

    @property
    def key(self) -> Path:
        """Its private key."""
        return self.path / "key.pem"

    def make(self) -> None:
        """Makes it, with a new certificate."""
        from distributed import Security

        made = Security.temporary()
        self.path.mkdir(mode=0o700)
        for file, text in ((self.certificate, made.tls_ca_file), (self.key, made.tls_client_key)):
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as opened:
                opened.write(text)

    def remove(self) -> None:
        """Removes it with all that is in it."""
        end = time.monotonic() + _PATIENCE
        while os.path.lexists(self.path) and time.monotonic() < end:
            with suppress(OSError):
                shutil.rmtree(self.path)
                return
            time.sleep(0.01)

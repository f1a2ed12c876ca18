"""Folder of a local Dask cluster: its certificate, and Dask's own files."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PATIENCE = 2.0
"""Seconds for removing the folder while other workers that are ending still write there."""


@dataclass(frozen=True)
class ClusterFolder:
    """A folder that only its user can enter."""

    path: Path  # path of the folder

    @classmethod
    def planned(cls) -> ClusterFolder:
        """Returns a folder among the temporary files that does not exist yet."""
        return cls(Path(tempfile.gettempdir()) / f"penstock-dask-{secrets.token_hex(8)}")

    @property
    def certificate(self) -> Path:
        """The only certificate that members of the cluster show and accept."""
        return self.path / "certificate.pem"

    @property
    def key(self) -> Path:
        """Its private key."""
        return self.path / "key.pem"

    def make(self) -> None:
        """Creates the folder with a new certificate."""
        from distributed import Security

        made = Security.temporary()
        self.path.mkdir(mode=0o700)
        for file, text in ((self.certificate, made.tls_ca_file), (self.key, made.tls_client_key)):
            file.touch(mode=0o600, exist_ok=False)
            file.write_text(text, encoding="ascii")

    def remove(self) -> None:
        """Removes the folder with its content."""
        end = time.monotonic() + _PATIENCE
        while os.path.lexists(self.path) and time.monotonic() < end:
            with suppress(OSError):
                shutil.rmtree(self.path)
                return
            time.sleep(0.01)


if __name__ == "__main__":
    ClusterFolder(Path(sys.argv[1])).remove()

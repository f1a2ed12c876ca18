"""A Dask worker that is not as it should be, as the environment says: that of a local cluster, or one with arguments.

DEADLY are replications whose runs end it by the signal in SIGNAL; ANOTHER is the version of the model that it has; and
with WITHOUT it has no Penstock.
"""

from __future__ import annotations

import importlib.abc
import os
import sys


class Without(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):  # noqa: ARG002  (as Python calls it)
        if name.partition(".")[0] == "penstock":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


if __name__ == "__main__":
    if "WITHOUT" in os.environ:
        sys.meta_path.insert(0, Without())
    else:
        import deadly_worker

        from penstock.workers import remote

        if "DEADLY" in os.environ:
            remote.make = deadly_worker.deadly
        if "ANOTHER" in os.environ:
            remote.version = lambda: (os.environ["ANOTHER"], "0.1.0")
    if len(sys.argv) > 1:
        from distributed.cli.dask_worker import main
    else:
        from penstock.workers.dask_worker import main
    main()

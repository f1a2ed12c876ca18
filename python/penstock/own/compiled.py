"""Compiled hooks: numba makes machine code once; LLVM loads it without numba, whose import takes a second."""

import ast
import hashlib
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from importlib import metadata, util
from pathlib import Path
from typing import Any

from penstock import _core
from penstock.errors import InputError, advice
from penstock.own.declared import Declared, symbol
from penstock.own.translation import VERSION
from penstock.whole_file import write_whole

_OF_THE_RUN_TIME = [
    "NRT_Free",
    "NRT_MemInfo_call_dtor",
    "numba_do_raise",
    "numba_gil_ensure",
    "numba_gil_release",
    "numba_runtime_build_excinfo_struct",
    "numba_unpickle",
]
"""Functions of numba's run time that code names for exceptions which leave it; none leaves ours."""

_engines: list[Any] = []
"""Owners of loaded code, which is never unloaded."""


def compiler() -> str:
    """The versions of the compiler and of the translation, part of the names of stored runs."""
    versions = []
    for name in ("numba", "llvmlite"):
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            versions.append(f"no {name}")
    return f"{', '.join(versions)}, translation {VERSION}"


def folder() -> Path:
    """The folder of compiled code, in the user's cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "penstock-compiled"


def addresses(
    module: ast.Module, path: str, components: Iterable[Declared], identity: str
) -> dict[str, dict[str, int]]:
    """Addresses of the hooks of each class, compiled or cached. Raises InputError if numba is missing or fails."""
    if util.find_spec("numba") is None:
        message = f"numba, which compiles components in Python, is missing; install it with: {advice('jit')}"
        raise InputError(f"{message}; without it, use penstock run --debug-component, which is slow")
    from llvmlite import binding

    processor = f"{binding.get_host_cpu_name()} {binding.get_host_cpu_features().flatten()}"
    views = json.dumps(_core.component_views())
    key = hashlib.sha256("\n".join((identity, processor, views)).encode()).hexdigest()
    file = folder() / f"{key}.bin"
    code = _read(file)
    if code is None:
        from penstock.own.compiling import compiled

        code = compiled(module, path, components)
        with suppress(OSError):  # it will be compiled again
            file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(file, hashlib.sha256(code).digest() + code)
    engine = _loaded(code)
    return {
        it.cls.__name__: {hook: int(engine.get_function_address(symbol(it.cls.__name__, hook))) for hook in it.hooks}
        for it in components
    }


def _read(file: Path) -> bytes | None:
    """The code in a file; none if the file is missing or damaged."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    digest, code = content[:32], content[32:]
    return code if hashlib.sha256(code).digest() == digest else None


def _loaded(code: bytes) -> Any:
    """An engine with an object file."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    functions = {name: place for name, _, place in _core.component_functions()}
    for name, place in functions.items():
        binding.add_symbol(name, place)
    for name in _OF_THE_RUN_TIME:
        if binding.address_of_symbol(name) is None:
            binding.add_symbol(name, functions["penstock_unreachable"])
    machine = binding.Target.from_default_triple().create_target_machine(jit=True)
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    return engine

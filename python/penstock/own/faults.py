"""Messages about hooks that failed: the call is repeated by the interpreter, which knows the line."""

import ctypes
from collections.abc import Sequence
from typing import Any

from penstock._core import Fault
from penstock.own.declared import Declared
from penstock.own.files import OwnFile, by_identity
from penstock.own.plain import Plain, line_of, view
from penstock.own.vocabulary import SECOND
from penstock.printable import quoted


def message(fault: Fault) -> str:
    """Where and why a hook failed."""
    kind, name = fault.component
    file = by_identity(fault.file, fault.identity)
    component = next((it for it in file.components if it.key == name), None) if file else None
    if file is None or component is None:
        return f"{fault.hook} of {kind} {quoted(name)}: {fault.what or 'failed'}"
    line, why = _reason(file, component, fault)
    arguments = component.of.hooks[fault.hook].arguments
    time = f", {fault.arguments[0] / SECOND:.12g} s" if "now" in arguments else ""
    of = _subject(component, fault)
    place = f" at {quoted(fault.site)}" if fault.site else ""
    return f"{file.path.name}:{line}: {fault.hook} of {kind} {quoted(name)}{place}{time}{of}: {why}"


def _subject(component: Declared, fault: Fault) -> str:
    """The packet, flow or queue of the call, if the hook is about one."""
    name = component.of.hooks[fault.hook].view_at("first")
    if name == "Flow":
        flow: Any = view(name).from_buffer(_words(fault.views[0]))
        return f", flow {flow.number}"
    if name == "Subject":
        subject: Any = view(name).from_buffer(_words(fault.views[0]))
        return f", queue {subject.queue}"
    return f", {fault.packet}" if fault.packet else ""


def _words(values: Sequence[int]) -> Any:
    return (ctypes.c_uint64 * len(values))(*values)


def _reason(file: OwnFile, component: Declared, fault: Fault) -> tuple[int, str]:
    """The line and the reason of a fault."""
    line = component.methods[fault.hook].lineno
    now, more = fault.arguments
    found = Plain.raised.pop((component.key, fault.hook, now, more), None)
    Plain.raised.clear()
    if found is None:
        words = [_words(each) for each in (fault.words, *fault.views)]
        try:
            file.plain.hook(component, fault.hook)(*map(ctypes.addressof, words), *fault.arguments)
        except Exception as error:
            found = error, line_of(error, str(file.path))
    if found is None:
        return line, fault.what or "failed only when compiled; numbers may have left the 64 bits that they have there"
    return found[1] or line, f"{type(found[0]).__name__}: {found[0]}"

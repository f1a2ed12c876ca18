"""A lab's file with its running looks, and the server of its page: loopback only, for requests with the token."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from penstock.cli.files import read_text, write
from penstock.errors import InputError, PenstockError
from penstock.lab.look import Asked, Look
from penstock.plots.style import COLOURS
from penstock.printable import path_text
from penstock.reference import catalogue
from penstock.report.render import json_markup, packaged, plotly, template

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send


_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
MOST_RUNS = 1000
"""Maximum runs of a setting; `penstock run` makes more."""
_PULSE_SECONDS = 1.0


class ChangedError(PenstockError):
    """The file on disk differs from the version that the page has read."""


@dataclass
class Session:
    """A scenario file and the looks at it."""

    file: Path
    runs: int
    jobs: int | None
    store: Path | None
    sets: Sequence[tuple[str, str]] = ()
    _looks: dict[str, Look] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def beginning(self) -> dict[str, Any]:
        """Returns the initial state of a page."""
        about = {"file": path_text(self.file), "runs": self.runs, "sets": list(self.sets), "most": MOST_RUNS}
        return {**about, **self.on_disk()}

    def on_disk(self) -> dict[str, Any]:
        """Returns the file's text and its digest, or why it cannot be read."""
        try:
            text = read_text(self.file)
        except InputError as error:
            return {"text": None, "digest": None, "why": str(error)}
        return {"text": text, "digest": _digest(text), "why": None}

    def save(self, text: str, known: str | None) -> str:
        """Writes the file and returns its digest. Raises ChangedError unless `known` (if any) is the old digest."""
        there = self.on_disk()["digest"]
        if known is not None and there is not None and there != known:
            raise ChangedError(f"{path_text(self.file)} has changed on disk since this page has read it.")
        write(self.file, text.encode("utf-8"))
        return _digest(text)

    def look(self, page: str, asked: Asked, tell: Callable[[dict[str, Any] | None], None]) -> Look:
        """Starts a look of a page and cancels its previous one."""
        look = Look(self.file, asked, self.jobs, self.store, tell)
        with self._lock:
            earlier, self._looks[page] = self._looks.get(page), look
        if earlier is not None:
            earlier.cancel()
        look.start()
        return look

    def ended(self, page: str, look: Look) -> None:
        """Removes a look; cancels it if it is still running."""
        look.cancel()
        with self._lock:
            if self._looks.get(page) is look:
                del self._looks[page]

    def close(self) -> None:
        """Cancels all looks and waits until finished runs are stored."""
        with self._lock:
            looks = list(self._looks.values())
        for look in looks:
            look.cancel()
        for look in looks:
            look.join(timeout=10)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def page(beginning: dict[str, Any]) -> str:
    """Returns the page with its initial state."""
    metrics = {each["name"]: each["doc"] for each in catalogue()["metrics"]}
    model = json_markup({**beginning, "metrics": metrics, "colours": COLOURS})
    return template(__package__).render(file=beginning["file"], model=model)


@cache
def assets() -> dict[str, tuple[str, str]]:
    """Returns media type and content of each script and style of the page, by name."""
    scripts = {name: packaged(__package__, name) for name in ("plots.js", "controls.js", "page.js")}
    style = packaged("penstock.report", "page.css") + packaged(__package__, "page.css")
    found = {name: ("text/javascript", text) for name, text in {"plotly.js": plotly(), **scripts}.items()}
    return {**found, "page.css": ("text/css", style)}


def _guarded(inner: ASGIApp, token: str, hosts: frozenset[str]) -> ASGIApp:
    """Refuses requests with another host name, from other sites, or without the token."""

    def refusal(headers: dict[str, str], path: str) -> str | None:
        if headers.get("host", "") not in hosts:
            return "This server answers to the address that penstock lab has printed, and to no other name."
        origin = headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in hosts:
            return "Another page may not use this server."
        if not secrets.compare_digest(f"{path}/".split("/")[1].encode(), token.encode()):
            return "The token is missing or wrong: open the whole address that penstock lab has printed."
        return None

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        why = refusal(headers, scope["path"])
        answer = inner if why is None else PlainTextResponse(f"{why}\n", 403, _HEADERS)
        await answer(scope, receive, send)

    return guard


def application(session: Session, token: str, port: int) -> ASGIApp:
    """Returns the server of a session. Every path begins with `token`; the accepted host names have this `port`."""

    async def show(_request: Request) -> Response:
        beginning = await run_in_threadpool(session.beginning)
        return Response(page(beginning), media_type="text/html", headers=_HEADERS)

    async def asset(request: Request) -> Response:
        found = assets().get(request.path_params["name"])
        if found is None:
            return PlainTextResponse("There is no such file.\n", 404, _HEADERS)
        kind, content = found
        # Files do not change while the server runs, and the next server has another token.
        return Response(content, media_type=kind, headers={**_HEADERS, "cache-control": "private, max-age=86400"})

    async def disk(_request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(session.on_disk), headers=_HEADERS)

    async def save(request: Request) -> Response:
        given = await _body(request)
        text, known = given.get("text"), given.get("known")
        if not isinstance(text, str) or not isinstance(known, str | None):
            return _refused("A text is to be saved.")
        try:
            digest = await run_in_threadpool(session.save, text, known)
        except PenstockError as error:
            status = 409 if isinstance(error, ChangedError) else 500
            return JSONResponse({"message": str(error)}, status, _HEADERS)
        return JSONResponse({"digest": digest}, headers=_HEADERS)

    async def look(request: Request) -> Response:
        given = await _body(request)
        asked = _asked(given)
        if asked is None:
            return _refused(f"A look has a text, settings, and 1 to {MOST_RUNS} runs.")
        events = _events(session, str(given.get("page", "")), asked)
        return StreamingResponse(events, media_type="application/x-ndjson", headers=_HEADERS)

    routes = [
        Route(f"/{token}/", show),
        Route(f"/{token}/assets/{{name}}", asset),
        Route(f"/{token}/disk", disk),
        Route(f"/{token}/save", save, methods=["POST"]),
        Route(f"/{token}/look", look, methods=["POST"]),
    ]
    hosts = frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost"))
    return _guarded(Starlette(routes=routes), token, hosts)


def _refused(why: str) -> Response:
    return JSONResponse({"message": why}, 400, _HEADERS)


async def _body(request: Request) -> dict[str, Any]:
    try:
        given = json.loads(await request.body())
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}


def _asked(given: dict[str, Any]) -> Asked | None:
    text, runs, panel, sets = (given.get(name) for name in ("text", "runs", "panel", "sets"))
    if not isinstance(text, str) or not isinstance(panel, str) or not isinstance(sets, list):
        return None
    if isinstance(runs, bool) or not isinstance(runs, int) or not 1 <= runs <= MOST_RUNS:
        return None
    pairs = [each for each in sets if isinstance(each, list) and [type(part) for part in each] == [str, str]]
    return Asked(text, tuple((path, value) for path, value in pairs), runs, panel) if len(pairs) == len(sets) else None


async def _events(session: Session, page_name: str, asked: Asked) -> AsyncIterator[bytes]:
    """Events of a look, one line of JSON each; the look is cancelled when the page disconnects."""
    loop, told = asyncio.get_running_loop(), asyncio.Queue[dict[str, Any] | None]()

    def tell(event: dict[str, Any] | None) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(told.put_nowait, event)

    look = session.look(page_name, asked, tell)
    try:
        while True:
            try:
                event = await asyncio.wait_for(told.get(), _PULSE_SECONDS)
            except TimeoutError:
                event = {"kind": "pulse"}
            if event is None:
                return
            yield json.dumps(event, allow_nan=False).encode() + b"\n"
    finally:
        session.ended(page_name, look)


def listener(port: int | None) -> socket.socket:
    """Returns a socket on the loopback interface, by default at a free port. Raises InputError if `port` is refused."""
    try:
        return socket.create_server(("127.0.0.1", port or 0))
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise InputError(f"--port {port}: {why}; choose another one, or leave --port out for a free one.") from None


@contextmanager
def served(session: Session, bound: socket.socket) -> Iterator[str]:
    """Serves a session in a thread while the block runs, then cancels its runs; yields the address with its token."""
    port, token = bound.getsockname()[1], secrets.token_urlsafe(24)
    config = uvicorn.Config(
        application(session, token, port),
        log_config=None,
        access_log=False,
        ws="none",
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, args=([bound],), name="penstock-lab", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}/{token}/"
    finally:
        session.close()
        server.should_exit = True
        thread.join(timeout=5)
        bound.close()

"""A live page: a server for the local browser, while a project is being developed.

A process of its own reads the project, and is replaced when a file has changed: so answers always
match the files.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing import get_context
from pathlib import Path
from threading import Lock
from typing import Any, Final

from holdall.errors import ConversionError, HoldallError, Problem, SourceError
from holdall.scheme.scheme import Scheme
from holdall.scheme.schemes import Schemes
from holdall.text import json
from holdall.text.folders import matches
from holdall.text.streams import read_pipe, require_objects
from holdall.types import JsonObject, JsonValue, is_json_object
from holdall_codegen.config.reader import read_config
from holdall_codegen.explore.model import Wanted, loaded_schemes, name_of, project_model, title_of
from holdall_codegen.explore.objects import Given, edit_changes, object_value
from holdall_codegen.explore.page import page
from holdall_codegen.project import CONFIG_FILE, load_project

LOCAL: Final = "127.0.0.1"
MAX_BODY: Final = 4 << 20
_SUFFIXES: Final = frozenset((".yaml", ".yml", ".json", ".py"))
_SKIPPED: Final = frozenset(("__pycache__", "node_modules"))

_PAGES: Final = 20
"""How many pages a process makes: each leaves types of its generated code behind."""

_known: dict[Path, Schemes[Scheme]] = {}


class Explorer:
    """Answers for a project; `close` ends its process."""

    def __init__(self, root: Path, wanted: Wanted) -> None:
        self.root = root
        self._wanted = wanted
        self._lock = Lock()
        self._state = ""
        self._left = _PAGES
        self._pool: ProcessPoolExecutor | None = None

    def page(self) -> str:
        """Return the page of the current project, or a page with its errors."""
        state = state_of(self.root)
        text: str = self._ask(_page, self.root, self._wanted, state)
        return text

    def convert(self, question: JsonObject) -> JsonObject:
        """Answer a request of the page, with an `error` if it fails."""
        answer: JsonObject = self._ask(_answer, self.root, question)
        return answer

    def close(self) -> None:
        """End the process."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def _ask(self, function: Any, *arguments: Any) -> Any:
        with self._lock:
            state = state_of(self.root)
            self._left -= function is _page
            if self._pool is None or state != self._state or self._left < 0:
                self.close()
                self._left = _PAGES
                self._pool = ProcessPoolExecutor(1, get_context("spawn"))
                self._state = state
            try:
                return self._pool.submit(function, *arguments).result()
            except BrokenProcessPool:
                self._pool = None
                raise


def state_of(root: Path) -> str:
    """Return a text that changes whenever a file of the project changes."""
    found = hashlib.sha256()
    for path in sorted({*_files(root), *_named_files(root)}):
        with suppress(OSError):  # a link to nothing, or gone since its folder was read
            stat = path.stat()
            found.update(os.fsencode(path) + b"\0%d\0%d\n" % (stat.st_mtime_ns, stat.st_size))
    return found.hexdigest()[:16]


def _files(root: Path) -> Iterator[Path]:
    for folder, names, files in os.walk(root):
        names[:] = sorted(n for n in names if n not in _SKIPPED and not n.startswith("."))
        for name in sorted(files):
            path = Path(folder, name)
            if path.suffix in _SUFFIXES:
                yield path


def _named_files(root: Path) -> Iterator[Path]:
    """Yield the files that match the sources of the configuration, which may be elsewhere."""
    with suppress(OSError):
        stat = (root / CONFIG_FILE).stat()
        for pattern in _patterns(root, (stat.st_mtime_ns, stat.st_size)):
            yield from (root / name for name in matches(pattern, root))


@lru_cache(1)
def _patterns(root: Path, _: tuple[int, int]) -> frozenset[str]:
    """Return the patterns of all sources; the configuration is read again once it has changed."""
    try:
        groups = read_config(root / CONFIG_FILE).groups
    except HoldallError:
        return frozenset()  # the page says why
    return frozenset(source.pattern for group in groups for source in group.sources)


def _page(root: Path, wanted: Wanted, state: str) -> str:
    try:
        model = project_model(load_project(root), wanted)
    except HoldallError as error:
        model = {**_NOTHING, "project": name_of(root), "missing": f"{CONFIG_FILE}: {error}"}
    return page({**model, "state": state}, live=True)


_NOTHING: Final[JsonObject] = {
    "format": 1,
    "carriers": [],
    "groups": [],
    "objects": [],
    "laws": None,
    "changes": None,
    "problems": [],
}


def _answer(root: Path, question: JsonObject) -> JsonObject:
    # errors of holdall cannot be sent between processes, but their texts can
    try:
        return answer_of(root, question)
    except HoldallError as error:
        return {"error": str(error)}


def answer_of(root: Path, question: JsonObject) -> JsonObject:
    """Return the objects in `text` at every version, or what changes if `base` becomes `text`.

    Raises HoldallError.
    """
    text, base = question.get("text"), question.get("base")
    if not isinstance(text, str):
        raise ConversionError("the request has no text")
    schemes = _known.get(root)
    if schemes is None:
        schemes = _known[root] = loaded_schemes(root)
    documents = read_pipe(text.encode(), scalars="kubernetes").documents
    values = [value for _, _, value in require_objects(documents)]
    if not values:
        raise ConversionError("the text has no object")
    if not is_json_object(base):
        given = [Given(title_of(value), "pasted", value) for value in values]
        found: list[JsonValue] = [object_value(schemes, item, with_edits=False) for item in given]
        return {"objects": found}
    names = schemes.names_of(base)
    scheme = schemes.find(*names)
    if scheme is None or schemes.names_of(values[0]) != names:
        raise ConversionError("an edit must not change version or kind")
    return {"changes": edit_changes(scheme, base, values[0])}


def make_server(explorer: Explorer, port: int) -> ThreadingHTTPServer:
    """Return a server of a page that listens on this machine only; port 0 takes a free one.

    Raises SourceError (HA824).
    """

    class Handler(_Handler):
        source = explorer

    try:
        return ThreadingHTTPServer((LOCAL, port), Handler)
    except OSError as error:
        text, fix = f"cannot listen: {error.strerror}", "choose another --port; 0 takes a free one"
        raise SourceError([Problem("HA824", f"{LOCAL}:{port}", text, fix)]) from error


class _Handler(BaseHTTPRequestHandler):
    source: Explorer

    def do_GET(self) -> None:
        if not self._is_from_here():
            return
        if self.path == "/":
            self._send(200, "text/html; charset=utf-8", self.source.page().encode())
        elif self.path == "/state":
            self._send_json(200, {"state": state_of(self.source.root)})
        else:
            self._send_json(404, {"error": "not found"})

    def do_POST(self) -> None:
        if not self._is_from_here():
            return
        length = self.headers.get("Content-Length", "")
        is_json = self.headers.get("Content-Type", "").partition(";")[0] == "application/json"
        if self.path != "/convert" or not is_json or not length.isdigit():
            self._send_json(400, {"error": "send JSON to /convert"})
        elif int(length) > MAX_BODY:
            self._send_json(413, {"error": f"a request has at most {MAX_BODY:,} bytes"})
        else:
            self._answer(self.rfile.read(int(length)))

    def _answer(self, body: bytes) -> None:
        try:
            question = json.decode(body)
            if not is_json_object(question):
                raise ConversionError("a request must be an object")
            answer = self.source.convert(question)
        except HoldallError as error:
            self._send_json(422, {"error": str(error)})
        else:
            self._send_json(422 if "error" in answer else 200, answer)

    def _is_from_here(self) -> bool:
        """Refuse requests of other sites: the browser names another origin or host."""
        port = self.request.getsockname()[1]
        hosts = {f"{LOCAL}:{port}", f"localhost:{port}"}
        origin = self.headers.get("Origin")
        is_own = origin is None or origin in {f"http://{host}" for host in hosts}
        if self.headers.get("Host") in hosts and is_own:
            return True
        self._send_json(403, {"error": "this page is for this machine only"})
        return False

    def _send_json(self, status: int, value: JsonObject) -> None:
        self._send(status, "application/json", json.encode(value))

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: the page is for one person, who sees what happens."""

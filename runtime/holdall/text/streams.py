"""Streams of objects in files and pipes: finding, reading with positions, writing in their form."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from holdall.errors import DecodeError, Problem, SourceError
from holdall.suggest import closest, did_you_mean
from holdall.text import json as _json
from holdall.text.documents import Document, Lines, Scalars, decode_text
from holdall.text.files import shown
from holdall.text.folders import files_below, unreadable
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, is_json_object, json_kind

Form = Literal["yaml", "json", "compact"]
"""`compact` is JSON without spaces, one document per line."""

LIST: Final = "List"
STDIN: Final = "<stdin>"
UNKEPT: Final = "holdall cannot edit text of this form, such as `? key`"
FORMS: Final[dict[str, Form]] = {".yaml": "yaml", ".yml": "yaml", ".json": "json"}
LINES: Final = (".jsonl", ".ndjson")
"""Suffixes of files with a JSON document in each line."""

_MOST_BESIDE: Final = 1000
_JSON_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.?)*+"?|[\[\]{}]', re.DOTALL)
_JSON_START: Final = re.compile(r"[ \t\r\n]*[{\[]")
_STARTED: Final = re.compile(rb"(?:\s++|#[^\n]*+)*+(?<![^\n])(?:---\s|(%))")
_COMMENTS: Final = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s++|#[^\n]*+)*+")
_OPENING: Final = frozenset("{[")
_CLOSING: Final = frozenset("}]")


@dataclass(frozen=True, slots=True)
class Input:
    """A file to read; `relative` is its place below an output folder."""

    path: Path
    relative: PurePosixPath


@dataclass(frozen=True, slots=True)
class Stream:
    """The contents of one file or pipe: its documents in order, their text, and its form.

    `file` is its name in messages; `relative` is None for standard input. `scalars` says how YAML
    was read.
    """

    form: Form
    documents: tuple[Document, ...]
    relative: PurePosixPath | None = None
    data: bytes = b""
    scalars: Scalars = "strict"
    file: str = STDIN


def find_inputs(
    paths: Iterable[Path], also: Callable[[Path], object] = lambda _: False
) -> list[Input]:
    """Return the files that paths name; folders are searched for *.yaml, *.yml and *.json.

    `also` says which other files can be read, by their names. Files keep the order of `paths`;
    those of a folder are sorted by path. Raises SourceError for paths that do not exist, have
    another suffix, or contain no such file.
    """
    found: list[Input] = []
    problems: list[Problem] = []
    for path in paths:
        if path.is_dir():
            try:
                files = sorted(
                    (file.relative_to(path).as_posix(), file)
                    for file in files_below(path)
                    if (file.suffix.lower() in FORMS or also(file)) and file.is_file()
                )
            except OSError as error:
                problems.append(unreadable(error))
                continue
            found.extend(Input(file, PurePosixPath(relative)) for relative, file in files)
            if not files:
                text = "the folder contains no file to read, such as *.yaml or *.json"
                problems.append(Problem("HA101", shown(path), text, "check the path"))
        elif not path.exists():
            text = f"no such file or folder{_similar(path)}"
            problems.append(Problem("HA101", shown(path), text, "check the path"))
        elif path.suffix.lower() not in FORMS and path.is_file() and not also(path):
            text = f"the suffix {path.suffix!r} says neither JSON nor YAML"
            fix = "name the file .json, .yaml or .yml, or pass it through standard input"
            problems.append(Problem("HA101", shown(path), text, fix))
        else:
            found.append(Input(path, PurePosixPath(path.name)))
    if problems:
        raise SourceError(problems)
    return found


def _similar(path: Path) -> str:
    """Return a hint at the file or folder most like a path, among the first ones beside it."""
    try:
        beside = [other.name for other in islice(path.parent.iterdir(), _MOST_BESIDE)]
    except OSError:
        return ""
    name = closest(path.name, beside)
    return did_you_mean(name and shown(path.with_name(name)))


def read_inputs(inputs: Iterable[Input], *, scalars: Scalars = "strict") -> list[Stream]:
    """Read files into memory. Raises SourceError with the problems of all files."""
    streams: list[Stream] = []
    problems: list[Problem] = []
    for item in inputs:
        file = shown(item.path)
        try:
            data = item.path.read_bytes()
            suffix = item.path.suffix.lower()
            form = "json" if suffix in LINES else FORMS.get(suffix) or guess_form(data)
            documents = read_documents(data, file, form, scalars=scalars)
            spaced = _spaced(form, data)
            streams.append(Stream(spaced, tuple(documents), item.relative, data, scalars, file))
        except SourceError as error:
            problems.extend(error.problems)
        except OSError as error:
            text = f"the file cannot be read: {error.strerror or error}"
            problems.append(Problem("HA101", file, text, "check the path"))
    if problems:
        raise SourceError(problems)
    return streams


def read_pipe(data: bytes, *, scalars: Scalars = "strict") -> Stream:
    """Read standard input: JSON if it begins with a brace or a bracket, else YAML.

    Raises SourceError with all problems.
    """
    form = guess_form(data)
    documents = read_documents(data, STDIN, form, scalars=scalars)
    return Stream(_spaced(form, data), tuple(documents), data=data, scalars=scalars)


def require_documents(streams: Iterable[Stream]) -> None:
    """Raise SourceError for streams without a document, as a failed dump leaves them.

    Doing nothing with them is not success; doing nothing with a list without items is.
    """
    text = "there is no document, so nothing was done"
    fix = "check whether the program that wrote it failed; write `items: []` for no objects"
    empty = [
        Problem("HA109", stream.file, text, fix)
        for stream in streams
        if all(document.value is None for document in stream.documents)
    ]
    if empty:
        raise SourceError(empty)


def guess_form(data: bytes) -> Form:
    """Return the form of a text by its first character; with `---` it is always YAML."""
    return "json" if data.lstrip(b" \t\r\n")[:1] in (b"{", b"[") else "yaml"


def _spaced(form: Form, data: bytes) -> Form:
    """Return the form of a text; JSON is `compact` or not by its first line."""
    first = data.lstrip().partition(b"\n")[0].rstrip()
    try:
        is_compact = form == "json" and _json.encode(_json.decode(first)) == first
    except DecodeError:
        return form
    return "compact" if is_compact else form


def read_documents(
    data: bytes, file: str, form: Form, *, scalars: Scalars = "strict"
) -> list[Document]:
    """Read all documents of a text; JSON documents may follow each other, as in JSON lines.

    Raises SourceError with all problems.
    """
    if form == "json":
        return _read_json(decode_text(data, file), file)
    from holdall.text import yaml

    return yaml.load_all(data, file, scalars=scalars)


def write_documents(values: Iterable[JsonValue], form: Form) -> bytes:
    """Return documents as text: YAML separated by `---`, JSON with two spaces of indentation, or
    compact JSON.

    Raises DecodeError with the path of what is not JSON.
    """
    if form == "compact":
        return b"".join(_json.encode(value) + b"\n" for value in values)
    if form == "json":
        return "".join(_json.encode_pretty(value) for value in values).encode()
    from holdall.text import yaml

    return yaml.dump_all(values).encode()


@dataclass(frozen=True, slots=True)
class Written:
    """A stream's new text, and the places of documents whose comments could not be kept."""

    data: bytes
    lost: tuple[str, ...] = ()


def rewrite_stream(stream: Stream, results: Sequence[Sequence[JsonValue]], form: Form) -> Written:
    """Return a stream with each document replaced by its result, or removed; more are appended.

    YAML that stays YAML keeps its comments and style; anything else is written from the values.
    """
    if form != "yaml" or stream.form != "yaml":
        return Written(write_documents((value for values in results for value in values), form))
    from holdall.text import yaml

    done = yaml.rewrite(stream.data.decode(), results, scalars=stream.scalars)
    file = stream.documents[0].file if stream.documents else ""
    return Written(done.text.encode(), tuple(f"{file}:{line}" for line in done.lost))


def join_texts(texts: Iterable[bytes], form: Form) -> bytes:
    """Return the documents of several texts as one text of the same form."""
    if form != "yaml":
        return b"".join(texts)
    from holdall.text import yaml

    parts: list[bytes] = []
    for text in filter(bytes.strip, texts):
        if parts:
            parts[-1] = yaml.ended(parts[-1].decode()).encode()
            text = text.removeprefix(codecs.BOM_UTF8)
            started = _STARTED.match(text)
            if not started:
                parts.append(b"---\n")
            elif started[1] and not all(map(_COMMENTS.fullmatch, parts)):
                parts.append(b"...\n")  # a directive may only follow the end of a document
        parts.append(text)
    return b"".join(parts)


def list_items(value: JsonValue) -> list[JsonValue] | None:
    """Return the items of a list of objects: `List` or `<Kind>List`; None for anything else."""
    if not is_json_object(value):
        return None
    kind, items = value.get("kind"), value.get("items")
    if isinstance(kind, str) and kind.endswith(LIST) and isinstance(items, list):
        return items
    return None


def objects_of(value: JsonValue) -> Iterator[tuple[str, JsonObject]]:
    """Yield every object of a document, or of a list in it, with its JSON Pointer."""
    for place, part in parts_of(value):
        if is_json_object(part):
            yield place, part


def require_objects(documents: Iterable[Document]) -> list[tuple[Document, str, JsonObject]]:
    """Return every object of documents, or of lists in them, with its JSON Pointer.

    Raises SourceError for what is neither an object nor an empty document.
    """
    found: list[tuple[Document, str, JsonObject]] = []
    problems: list[Problem] = []
    for document in documents:
        for pointer, part in parts_of(document.value):
            if is_json_object(part):
                found.append((document, pointer, part))
            elif part is not None or pointer:
                text = f"expected an object, found {json_kind(part)}"
                fix = "correct or remove it"
                problems.append(Problem("HA110", document.where(pointer), text, fix))
    if problems:
        raise SourceError(problems)
    return found


def parts_of(value: JsonValue, pointer: str = "") -> Iterator[tuple[str, JsonValue]]:
    """Yield a document, or the items of a list, with their JSON Pointers.

    Items of a `<Kind>List` may omit apiVersion and kind, as API servers do: they get those of the
    list.
    """
    items = list_items(value)
    if items is None or not is_json_object(value):
        yield pointer, value
        return
    kind = str(value.get("kind")).removesuffix(LIST)
    names: JsonObject = {"kind": kind} if kind else {}
    if kind and "apiVersion" in value:
        names = {"apiVersion": value["apiVersion"], **names}
    for index, item in enumerate(items):
        whole = {**names, **item} if is_json_object(item) else item
        yield from parts_of(whole, join(pointer, "items", index))


def _read_json(text: str, file: str) -> list[Document]:
    spans = _json_spans(text)
    if len(spans) < 2:
        return [_json.load(text, file)] if text.strip() else []
    lines = Lines(text)
    documents = []
    problems: list[Problem] = []
    for start, end in spans:
        try:
            value = _json.load(text[start:end], file, lines.position(start)).value
        except SourceError as error:
            problems.extend(error.problems)
        else:
            documents.append(Document(value, file, lines.position(start)[0]))
    if problems:
        raise SourceError(problems)
    return documents


def _json_spans(text: str) -> Sequence[tuple[int, int]]:
    """Return where the top-level documents begin and end; bad text counts as one document."""
    spans = []
    start = depth = 0
    for token in _JSON_TOKEN.finditer(text):
        if token[0] in _OPENING:
            depth += 1
        elif token[0] in _CLOSING:
            depth -= 1
            if depth == 0:
                spans.append((start, token.end()))
                start = token.end()
            elif depth < 0:
                return ()
    if text[start:].strip():
        spans.append((start, len(text)))
    begins = [_JSON_START.match(text, first) for first, _ in spans]
    if not all(begins):
        return ()
    return [(m.end() - 1, last) for m, (_, last) in zip(begins, spans, strict=True) if m]

"""Texts with inner documents: each document is converted, and what nobody edited comes back.

What a document becomes is a function of the text as which it was written. A converted document
keeps this text in an annotation. As long as converting that text gives exactly what is there now,
nobody edited the document: the text comes back, or is converted to wherever the holder goes next.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

from holdall.carriers.reports import Lost, Report
from holdall.errors import DecodeError, HoldallError, SourceError
from holdall.inner.declared import InnerDocuments
from holdall.inner.folding import fold, unfold
from holdall.inner.kept_texts import take_kept_text, with_kept_text
from holdall.text import json as _json
from holdall.text import yaml
from holdall.types import JsonObject, JsonValue, is_json_object, json_kind

MAX_BYTES: Final = 1024 * 1024
"""Bytes of a text, before and after: what is larger is kept as it is."""
_KEPT: Final = "the text is kept as it is"


class Note(Protocol):
    """Takes what is to be reported; `lost` is the entry that no text brings back."""

    def __call__(self, said: str, lost: Lost | None = None, /) -> None: ...


class Kinds(Protocol):
    """The kinds that inner documents may have."""

    def version_of(self, document: JsonObject) -> str | None:
        """Return the version of a document; None if its kind is not known."""
        ...

    def has(self, document: JsonObject, version: str) -> bool:
        """Return whether the kind of a document exists in a version."""
        ...

    def convert(self, document: JsonObject, version: str, report: Report) -> JsonObject:
        """Return a document in a version. Raises HoldallError."""
        ...


class _Piece(NamedTuple):
    """A part of a text with one document; `value` is None if it has none."""

    text: str
    value: JsonValue


class Texts:
    """Converts the texts at one declared place."""

    def __init__(self, declared: InnerDocuments, kinds: Kinds) -> None:
        self._declared = declared
        self._kinds = kinds
        self._is_yaml = declared.format == "yaml-stream"

    def convert(self, text: str, here: str | None, there: str, note: Note) -> str:
        """Return a text with its documents in the version `there`.

        `here` is the version that documents have where the holder comes from; None if they may have
        any there. What cannot be read or converted is kept, and `note` is told why.
        """
        try:
            pieces = self._read(text)
        except SourceError as error:
            first = error.problems[0]
            note(f"line {first.where.split(':')[1]}: {first.message}; {_KEPT}")
            return text
        except DecodeError as error:
            note(f"{error}; {_KEPT}")
            return text
        parts: list[str] = []
        number, end = 0, yaml.line_end(text)
        for piece in pieces:
            if piece.value is None:
                parts.append(piece.text)
                continue
            number += 1
            parts.append(self._document(piece, here, there, _numbered(note, number), end))
        # What was the last document once may be followed by others now.
        moved = "".join([*(yaml.ended(part, end) for part in parts[:-1]), *parts[-1:]])
        if _size(moved) > MAX_BYTES:
            note(f"it would be longer than {MAX_BYTES} bytes; {_KEPT}")
            return text
        return moved

    def _read(self, text: str) -> list[_Piece]:
        """Return the documents of a text. Raises SourceError or DecodeError."""
        if _size(text) > MAX_BYTES:
            raise DecodeError(f"it is longer than {MAX_BYTES} bytes")
        if not self._is_yaml:
            return [_Piece(text, _json.load(text, "").value)] if text.strip() else []
        # All at once: how many nodes aliases may add is limited for a whole text.
        values = [document.value for document in yaml.load_all(text, "")]
        pieces: list[_Piece] = []
        for part in yaml.cut(text):
            found = yaml.load_all(part, "")
            if len(found) > 1:
                raise DecodeError("a document in it does not begin with a line ---")
            pieces.append(_Piece(part, found[0].value if found else None))
        if len(values) != sum(piece.value is not None for piece in pieces):
            raise DecodeError("a document in it is null")
        return pieces

    def _document(self, piece: _Piece, here: str | None, there: str, note: Note, end: str) -> str:
        if not is_json_object(piece.value):
            note(f"expected object, found {json_kind(piece.value)}; it is kept as it is")
            return piece.text
        value, kept = take_kept_text(piece.value)
        was = here or self._version_of(value)
        if was == there:
            return piece.text
        if kept is not None and was is not None:
            written = _Piece(kept.text, self._value_of(kept.text))
            shown = self._forward(written, kept.at, was, here is None, _silent)
            # Whoever adds a document below the last one ends its line.
            is_ended = piece.text == shown + end
            if piece.text == shown or (is_ended and _json.same(self._value_of(shown), piece.value)):
                if kept.at == there:
                    return kept.text
                return self._forward(written, kept.at, there, here is None, note)
            piece = _Piece(self._rewrite(piece, value), value)
        return self._forward(piece, was, there, here is None, note)

    def _forward(
        self,
        piece: _Piece,
        here: str | None,
        there: str,
        is_foreign: bool,
        note: Note,
    ) -> str:
        """Return the text of a document that keeps none, with this one if it becomes another."""
        value = piece.value
        if here == there or not is_json_object(value):
            return piece.text
        document = unfold(value) if self._declared.folded else value
        version = self._kinds.version_of(document)
        if here is None or version is None:
            note(f"unknown apiVersion and kind {_names(value)}; it is kept as it is")
            return piece.text
        converted, report = None, Report()
        try:
            if not self._kinds.has(document, there):
                note(f"{_names(value)} does not exist in {there}; it is kept as it is")
            elif version != there:
                converted = self._kinds.convert(_json.copy(document), there, report)
        except HoldallError as error:
            note(f"{_names(value)} cannot be converted: {error}; it is kept as it is")
        if converted is None and is_foreign:
            return piece.text
        with_text = with_kept_text(document if converted is None else converted, here, piece.text)
        if with_text is None and converted is None:
            return piece.text
        if with_text is None:
            note("its metadata cannot carry annotations, so its formatting will not come back")
        for item in report:
            if with_text is None and isinstance(item, Lost):
                note(f"{item.path or '/'}: {item.reason}", item)
            else:  # what is lost comes back with the text that it had
                note(str(item))
        result = with_text or converted or document
        if self._declared.folded:
            result = fold(result, value)
        if converted is None:
            result["apiVersion"] = value["apiVersion"]  # as it is spelled
        return self._rewrite(piece, result)

    def _version_of(self, value: JsonObject) -> str | None:
        return self._kinds.version_of(unfold(value) if self._declared.folded else value)

    def _value_of(self, text: str) -> JsonValue:
        """Return the only document of a text; None if it is not alone, or cannot be read."""
        try:
            pieces = self._read(text)
        except (SourceError, DecodeError):
            return None
        return pieces[0].value if len(pieces) == 1 else None

    def _rewrite(self, piece: _Piece, value: JsonObject) -> str:
        if not is_json_object(piece.value):
            return piece.text
        if self._is_yaml:
            return yaml.rewrite(piece.text, [[value]]).text
        is_on_lines = "\n" in piece.text.strip()
        written = _json.encode_pretty(value) if is_on_lines else _json.encode(value).decode()
        return written.strip() + piece.text[len(piece.text.rstrip()) :]


def _numbered(note: Note, number: int) -> Note:
    def note_of_document(said: str, lost: Lost | None = None) -> None:
        note(f"document {number}: {said}", lost)

    return note_of_document


def _silent(_: str, __: Lost | None = None) -> None:
    return


def _names(value: JsonObject) -> str:
    return f"{value.get('apiVersion')} {value.get('kind')}"


def _size(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))

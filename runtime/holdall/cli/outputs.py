"""Where a command writes its results: one stream, or a file for each file read."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import click

from holdall.bulk.drafts import require_kept
from holdall.bulk.sources import form_of
from holdall.errors import Problem, SourceError
from holdall.text.files import folds_names, replace_file, replace_files, target_of, write_all
from holdall.text.streams import FORMS, Form, Stream, join_texts, rewrite_stream
from holdall.types import JsonValue


@dataclass(frozen=True, slots=True)
class Outputs:
    """The destinations of a run: a file and a form for each stream, or one of both for all.

    Without `files`, everything goes to `file`, or to standard output if that is None.
    """

    form: Form
    file: Path | None = None
    files: Sequence[tuple[Path, Form]] = ()

    @classmethod
    def plan(
        cls, streams: Sequence[Stream], output: Path | None, form: Form | None, *, many: bool
    ) -> Outputs:
        """Choose the destinations before anything is converted.

        `output` is a folder if it is one already, or if there are several files (`many`) and it
        has no suffix of a file. Raises SourceError if two files would be written to one place.
        """
        forms: set[Form] = {stream.form for stream in streams}
        if len(forms) > 1 and "yaml" not in forms:
            forms = {"json"}
        # Only YAML can hold documents of both forms in one stream.
        shared: Form = form or (forms.pop() if len(forms) == 1 else "yaml")
        if output is None:
            return cls(shared)
        suffix = _form_named(output)
        if not output.is_dir() and not (many and suffix is None):
            if form and suffix and form != suffix and (form, suffix) != ("json", "compact"):
                raise click.UsageError(f"--output-format {form} contradicts the name {output}")
            is_json = suffix == "json" and shared == "compact"
            require_unmixed((Path(stream.file), output) for stream in streams)
            return cls(shared if is_json or suffix is None else suffix, output)
        files = _files_below(output, streams, form)
        pairs = zip(streams, files, strict=True)
        require_unmixed((Path(stream.file), file) for stream, (file, _) in pairs)
        return cls(shared, output, files)

    def require_kept(self, streams: Sequence[Stream], failed: int) -> None:
        """Raise SourceError if a file would be overwritten without its documents that failed."""
        places = [file for file, _ in self.files] or ([self.file] if self.file is not None else [])
        fix = "correct them, or write elsewhere with -o"
        require_kept((Path(stream.file) for stream in streams), places, failed, fix)

    def write(
        self,
        streams: Sequence[Stream],
        results: Sequence[Sequence[Sequence[JsonValue]]],
        pipe: BinaryIO,
    ) -> list[str]:
        """Write the results of each stream's documents, without files to `pipe`. Raises OSError.

        Return the places of the documents whose comments could not be kept.
        """
        forms: list[Form] = [form for _, form in self.files] or [self.form] * len(streams)
        written = list(map(rewrite_stream, streams, results, forms))
        if self.files:
            pairs = zip(self.files, written, strict=True)
            replace_files((file, stream.data) for (file, _), stream in pairs)
        else:
            data = join_texts((stream.data for stream in written), self.form)
            if self.file is not None:
                replace_file(self.file, data)
            else:
                write_all(pipe, data)
        return [place for stream in written for place in stream.lost]


def _form_named(output: Path) -> Form | None:
    """Return the form that a file's suffix stands for, None if it stands for none."""
    found = form_of(output)
    if found is None:
        return FORMS.get(output.suffix.lower())
    if found != ("lines", ""):
        text = f"documents of YAML and JSON cannot be written in the form of {output}"
        raise click.UsageError(f"{text}; name it .yaml, .json or .jsonl")
    return "compact"


def require_unmixed(pairs: Iterable[tuple[Path, Path]]) -> None:
    """Raise UsageError if a file would be written where another one is read.

    `pairs` has each file with its place, which may be the file itself.
    """
    found = [(file, target_of(place)) for file, place in pairs]
    read = {target_of(file) for file, _ in found}
    for file, place in found:
        if place in read and place != target_of(file):
            text = f"{place.name} is an input, but the output of {file} would replace it"
            raise click.UsageError(f"{text}; write elsewhere, or name the files to read")


def _files_below(
    folder: Path, streams: Sequence[Stream], form: Form | None
) -> list[tuple[Path, Form]]:
    names = [stream.relative for stream in streams]
    if form:
        names = [
            name.with_suffix(f".{form}")
            if name and FORMS.get(name.suffix.lower()) != form
            else name
            for name in names
        ]
    places = places_below(folder, names, [str(stream.relative) for stream in streams])
    return [(place, form or stream.form) for place, stream in zip(places, streams, strict=True)]


def places_below(
    folder: Path, names: Sequence[PurePosixPath | None], sources: Sequence[str]
) -> list[Path]:
    """Return the places of files below a folder; the name None is standard input.

    Raises SourceError if two sources would be written to one place.
    """
    places: list[Path] = []
    taken: dict[str, str] = {}
    folds = folds_names(folder)
    problems: list[Problem] = []
    for name, source in zip(names, sources, strict=True):
        if name is None:
            raise click.UsageError("standard input has no name for a file; pass -o FILE")
        place = folder / name
        target = str(target_of(place))  # two places may be one file by a link
        if folds:
            target = unicodedata.normalize("NFC", target.casefold())
        if target in taken:
            text = f"two files would be written here: {taken[target]} and {source}"
            problems.append(Problem("HA108", place.as_posix(), text, "convert them separately"))
        taken[target] = source
        places.append(place)
    if problems:
        raise SourceError(problems)
    return places

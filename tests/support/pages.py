"""The pages of the documentation, and what stands in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINKED = [*PAGES, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]

_FENCE = re.compile(r"^```(\w+)([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the words behind it, its text, and the line it starts in."""

    language: str
    words: tuple[str, ...]
    text: str
    line: int

    def word(self, name: str) -> str | None:
        """Return what stands behind `name=`."""
        found = (word.partition("=")[2] for word in self.words if word.startswith(f"{name}="))
        return next(found, None)


def blocks_of(text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    for match in _FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield Block(match[1], tuple(match[2].split()), match[3], line)


def files_of(page: Path) -> dict[str, str]:
    """Return the files that a page writes, as they are at its end."""
    named = ((block.word("file"), block.text) for block in blocks_of(read(page)))
    return {name: text for name, text in named if name is not None}


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def without_blocks(text: str) -> str:
    """Return a page with an empty line for each line of its fenced blocks."""
    return re.sub(
        r"^```.*?^```$", lambda block: "\n" * block[0].count("\n"), text, flags=re.M | re.S
    )


def sections_of(page: Path) -> dict[str, str]:
    """Return the text below each heading of level 2 or 3, up to the next one."""
    parts = re.split(r"^#{2,3} +(.*?) *$", read(page), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))

"""Look for phrases that CONTRIBUTING.md asks to avoid: `python -m tests.support.prose`.

The table under "Words" is the list. Pages are read without code; of Python modules, comments,
docstrings and other texts with a blank in them are read: help, messages, meanings of keys.
"""

from __future__ import annotations

import ast
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from tests.support.pages import LINKED, ROOT, name_of, read, sections_of, without_blocks

_ROW = re.compile(r"^\| (`.*?) \| (.*?) \| ?(.*?) ?\|$", re.MULTILINE)
_REFERENCE = "<!-- api: "
_CODE = re.compile(r"`([^`\n]*)`")


@dataclass(frozen=True)
class Rule:
    """Phrases to avoid, what to write instead, and longer phrases in which they are fine."""

    pattern: re.Pattern[str]
    instead: str

    @staticmethod
    def of(phrases: list[str], instead: str, fine: list[str]) -> Rule:
        """Return a rule for whole words, whatever blanks or line breaks are between them."""
        spaced = [r"\s+".join(map(re.escape, phrase.split())) for phrase in [*fine, *phrases]]
        allowed, found = spaced[: len(fine)], spaced[len(fine) :]
        fine_first = "".join(rf"\b(?i:{phrase})\b|" for phrase in allowed)
        return Rule(re.compile(rf"(?:{fine_first}\b({'|'.join(found)})\b)"), instead)


@dataclass(frozen=True)
class Text:
    """A piece of prose and the line in which it begins."""

    file: str
    line: int
    text: str


def rules() -> list[Rule]:
    """Return the rules of CONTRIBUTING.md."""
    table = sections_of(ROOT / "CONTRIBUTING.md")["Words"]
    return [
        Rule.of(_CODE.findall(phrases), instead, _CODE.findall(fine))
        for phrases, instead, fine in _ROW.findall(table)
    ]


def page_text(page: Path) -> Text:
    """Return a page without code, and without rows that are the docstrings of names."""
    text = without_blocks(read(page))
    if _REFERENCE in text:
        text = re.sub(r"^\| `.*$", "", text, flags=re.MULTILINE)
    text = _CODE.sub(lambda span: "x" * len(span[0]), text)
    return Text(name_of(page), 1, text)


def module_texts(module: Path) -> Iterator[Text]:
    """Yield the docstrings and other texts of a module, then its comments, block by block."""
    source = read(module)
    found = [
        (node.lineno, node.value)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
    ]
    for line, text in [*found, *_comments(source)]:
        yield Text(name_of(module), line, _CODE.sub(lambda span: "x" * len(span[0]), text))


def _comments(source: str) -> Iterator[tuple[int, str]]:
    block: list[tuple[int, str]] = []
    for token in tokenize.generate_tokens(StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line = token.start[0]
            if block and line != block[-1][0] + 1:
                yield block[0][0], "\n".join(text for _, text in block)
                block = []
            block.append((line, token.string.lstrip("#")))
    if block:
        yield block[0][0], "\n".join(text for _, text in block)


def findings(texts: Iterator[Text], rules: list[Rule]) -> Iterator[str]:
    """Yield a line for each phrase that is found."""
    for text in texts:
        for rule in rules:
            for match in rule.pattern.finditer(text.text):
                if match[1]:
                    line = text.line + text.text.count("\n", 0, match.start())
                    yield f'{text.file}:{line}: "{" ".join(match[1].split())}": {rule.instead}'


def texts() -> Iterator[Text]:
    """Yield all prose of the project."""
    for page in LINKED:
        yield page_text(page)
    for room in ("runtime", "codegen", "hooks"):
        for module in sorted((ROOT / room).rglob("*.py")):
            yield from module_texts(module)


def main() -> int:
    """Print the findings; return 1 if there are any."""
    found = [*findings(texts(), rules())]
    for finding in found:
        print(finding)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())

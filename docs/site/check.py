"""Check a built site: every inner link and anchor leads somewhere, and nothing comes from outside.

`python docs/site/check.py FOLDER` prints what is wrong and ends with 1 if anything is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The ids of a page, where it links to, and what a browser loads with it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value is not None}
        if "id" in given:
            self.ids.add(given["id"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and "href" in given:
            self.loads.append(given["href"])
        elif "src" in given:
            self.loads.append(given["src"])


def findings(folder: Path) -> Iterator[str]:
    """Yield what is wrong with the site in a folder."""
    pages = {
        place.resolve(): Page(place.read_text(encoding="utf-8"))
        for place in sorted(folder.rglob("*.html"))
    }
    for place, page in pages.items():
        where = place.relative_to(folder.resolve())
        for target in page.loads:
            if urlsplit(target).netloc:
                yield f"{where}: loads {target} from another host"
        for target in [*page.links, *page.loads]:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            goal = (place.parent / unquote(parts.path)).resolve() if parts.path else place
            if not goal.is_file():
                yield f"{where}: {target} leads nowhere"
            elif goal in pages and unquote(parts.fragment or "") not in {"", *pages[goal].ids}:
                yield f"{where}: {target} names no such anchor"


def main(folder: Path) -> int:
    """Print the findings; return 1 if there are any, or if there is no page."""
    found = [*findings(folder)] if any(folder.rglob("*.html")) else [f"{folder}: no page"]
    for finding in found:
        print(finding)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

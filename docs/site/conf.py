"""The documentation site: the repository's Markdown pages, as Sphinx reads them.

The pages are plain Markdown, so that they read well without the site. Two things are added here:
the navigation, which follows the lists of docs/index.md, and the reference of each name that a
table below `<!-- api: MODULE -->` lists, which comes from the name's docstring.
"""

from __future__ import annotations

import importlib
import inspect
import posixpath
import re

from sphinx.application import Sphinx

import holdall

project = "holdall"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/*.md", "tests/random_groups/README.md"]
exclude_patterns = [".*"]

myst_heading_anchors = 4  # named as GitHub names them

default_role = "code"  # docstrings put code between single backticks
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
add_module_names = False

html_theme = "furo"
html_title = "holdall"
html_extra_path = ["root"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False

_SECTION = re.compile(r"^## (.+)\n((?:.*\n)*?)(?=## |\Z)", re.MULTILINE)
_PAGE = re.compile(r"\]\(([^)]+)\.md\)")
_TABLE = re.compile(r"^<!-- api: (\S+) -->\n\n((?:\|.*\n)+)", re.MULTILINE)
_ROW = re.compile(r"^\| `(\w+)` \| (.*) \|$", re.MULTILINE)


def navigation(index: str) -> str:
    """Return the toctrees of the page index: its headings as captions, its links as entries."""
    trees = []
    for title, body in _SECTION.findall(index):
        pages = _PAGE.findall(body)
        entries = [f"/{posixpath.normpath(f'docs/{page}')}" for page in pages]
        lines = ["```{toctree}", ":hidden:", f":caption: {title}", "", *entries, "```", ""]
        trees.append("\n".join(lines))
    return "\n".join(trees)


def reference(table: re.Match[str]) -> str:
    """Return the directives for the names of a table; what has no docstring shows its row."""
    module = importlib.import_module(table[1])
    directives: list[str] = []
    for name, meaning in _ROW.findall(table[2]):
        value = getattr(module, name)
        full = f"{table[1]}.{name}"
        again = module is not holdall and name in holdall.__all__  # documented as holdall's
        ours = (getattr(value, "__module__", None) or "").startswith("holdall.") and not again
        if inspect.isclass(value) and ours:
            directives += [f".. autoclass:: {full}", "   :members:", ""]
        elif inspect.isfunction(value) and ours:
            directives += [f".. autofunction:: {full}", ""]
        else:
            options = ["   :no-index:"] if again else []
            directives += [f".. py:data:: {full}", *options, "", f"   {meaning}", ""]
    return "\n".join(["```{eval-rst}", *directives, "```", ""])


def complete(app: Sphinx, page: str, source: list[str]) -> None:
    """Add to a page what only the site has."""
    if page == root_doc:
        source[0] += "\n" + navigation(source[0])
    source[0] = _TABLE.sub(reference, source[0])


def setup(app: Sphinx) -> None:
    """Read every page through `complete`."""
    app.connect("source-read", complete)

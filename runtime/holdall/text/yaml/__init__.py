"""YAML: strict reading with positions, and writing what every reader reads the same.

Reading yields JSON values without comments. `dump` writes from values alone; `rewrite` changes the
values of a text, and keeps its comments and style.
"""

from __future__ import annotations

from holdall.text.documents import Document
from holdall.text.yaml._dump import dump, dump_all
from holdall.text.yaml._load import MAX_ALIAS_NODES, cut, load_all
from holdall.text.yaml._rewrite import Rewritten, ended, line_end, rewrite
from holdall.text.yaml._spelling import Spelling

__all__ = [
    "MAX_ALIAS_NODES",
    "Document",
    "Rewritten",
    "Spelling",
    "cut",
    "dump",
    "dump_all",
    "ended",
    "line_end",
    "load_all",
    "rewrite",
]

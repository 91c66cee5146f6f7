"""YAML: strict reading with positions, and writing that every reader takes back unchanged.

Reading yields JSON values without comments. `dump` writes from values alone; `rewrite` brings a
text to other values, and keeps its comments and its style.
"""

from __future__ import annotations

from holdall.text.documents import Document
from holdall.text.yaml._dump import dump, dump_all
from holdall.text.yaml._load import MAX_ALIAS_NODES, cut, load_all
from holdall.text.yaml._rewrite import Rewritten, ended, rewrite
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
    "load_all",
    "rewrite",
]

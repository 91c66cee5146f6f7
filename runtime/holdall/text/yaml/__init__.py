"""YAML: strict reading with positions, and writing that every reader takes back unchanged.

Reading yields JSON values, and writing starts from them, without comments. `rewrite` changes a
value in a text, and keeps what it can of it.
"""

from __future__ import annotations

from holdall.text.documents import Document
from holdall.text.yaml._dump import dump, dump_all
from holdall.text.yaml._edit import cut, rewrite
from holdall.text.yaml._load import MAX_ALIAS_NODES, load_all

__all__ = ["MAX_ALIAS_NODES", "Document", "cut", "dump", "dump_all", "load_all", "rewrite"]

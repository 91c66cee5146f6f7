"""Declared versions: the vocabulary in which a module describes its types and their history.

The generator reads such modules. Importing them checks nothing: `holdall generate` and `holdall
check` report all mistakes together.
"""

from holdall.declare.actions import (
    FAIL,
    Doc,
    added,
    changed,
    default_variant,
    deprecated,
    hint,
    json_name,
    list_key,
    name,
    nested,
    removed,
)
from holdall.declare.classes import obj, print_column, resource, scale, union
from holdall.declare.types import I8, I16, I32, I64, U8, U16, U32, U64, Json, Unit, Usize, external
from holdall.declare.versions import Skip, Tracking, Version, Versions

__all__ = [
    "FAIL",
    "I8",
    "I16",
    "I32",
    "I64",
    "U8",
    "U16",
    "U32",
    "U64",
    "Doc",
    "Json",
    "Skip",
    "Tracking",
    "Unit",
    "Usize",
    "Version",
    "Versions",
    "added",
    "changed",
    "default_variant",
    "deprecated",
    "external",
    "hint",
    "json_name",
    "list_key",
    "name",
    "nested",
    "obj",
    "print_column",
    "removed",
    "resource",
    "scale",
    "union",
]

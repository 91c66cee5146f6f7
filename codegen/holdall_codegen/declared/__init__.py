"""Declared versions: one module with the latest types, and what happened to them."""

from holdall_codegen.declared.model import Declaration
from holdall_codegen.declared.problems import DeclarationError, DeclarationProblem
from holdall_codegen.declared.reading import read_declaration, read_source

__all__ = [
    "Declaration",
    "DeclarationError",
    "DeclarationProblem",
    "read_declaration",
    "read_source",
]

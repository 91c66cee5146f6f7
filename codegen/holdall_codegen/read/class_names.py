"""Class names from schema names: PascalCase, singular, never a reserved word."""

from __future__ import annotations

import keyword
import re
import unicodedata
from typing import Final

RUNTIME_NAMES: Final = frozenset(
    """
    Any BagView ClassVar Final Object PropertyBag Protocol SCHEME StorageObject
    """.split()  # noqa: SIM905 - a list of names, as below
)
"""Names that generated modules import; a generated class must not hide them."""

# Written out: `builtins` differs between interpreters, but output must not.
_BUILTINS: Final = frozenset(
    """
    ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError
    BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError
    ConnectionError ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError
    Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup FileExistsError
    FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError
    ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError
    KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError NotADirectoryError
    NotImplemented NotImplementedError OSError OverflowError PendingDeprecationWarning
    PermissionError ProcessLookupError PythonFinalizationError RecursionError ReferenceError
    ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError
    SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError
    UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning
    UserWarning ValueError Warning WindowsError ZeroDivisionError
    """.split()  # noqa: SIM905 - seventy quoted names would hide what the list is
)

_FILE_ENDING: Final = re.compile(r"(\.schema)?(\.json|\.ya?ml)?[/#]*$")
_VERSION: Final = re.compile(r"v?\d[\w.-]*")
_LAST_WORD: Final = re.compile(r"[A-Z]+s(?![^A-Z])|[A-Z]?[^A-Z]+|[A-Z]+")
_IRREGULAR: Final = {
    "caches": "cache",
    "aliases": "alias",
    "children": "child",
    "indices": "index",
    "ids": "id",
    "ips": "ip",
    "statuses": "status",
    "viruses": "virus",
    "buses": "bus",
    "kubernetes": "kubernetes",
    "lens": "lens",
    "news": "news",
    "series": "series",
    "species": "species",
}


def class_name(text: str) -> str:
    """Return `text` in PascalCase, a valid Python identifier; inner capitals are kept.

    `circuit_breakers` is `CircuitBreakers`, `a-b` is `AB`, `3scale` is `T3scale`. A text without
    any letter or digit is spelt by its code points. Reserved words are left to `free_name`.
    """
    text = unicodedata.normalize("NFKC", text)
    spaced = "".join(char if ("a" + char).isidentifier() and char != "_" else " " for char in text)
    name = "".join(word[:1].upper() + word[1:] for word in spaced.split())
    if not name:
        return "T" + "".join(f"{ord(char):X}" for char in text)
    return name if name.isidentifier() else "T" + name


def definition_names(text: str) -> tuple[str, str]:
    """Return the class name of a definition, and the one that it gets if another has that name.

    They are its last dotted part, verbatim if possible, and the whole. In a bundle of files the
    name may be an address: then its last segment without the file's ending, and its whole path
    without versions.
    """
    if "/" not in text:
        last = text.rsplit(".", 1)[-1] or text
        return last if is_class_name(last) else class_name(last), class_name(text)
    path = _FILE_ENDING.sub("", text.partition("://")[2].partition("/")[2] or text)
    segments = [part for part in path.split("/") if part and not _VERSION.fullmatch(part)] or [text]
    return class_name(segments[-1]), class_name(" ".join(segments))


def is_class_name(text: str) -> bool:
    """Tell whether a class may have this name unchanged."""
    return (
        text[:1].isupper()
        and text.isidentifier()
        and unicodedata.normalize("NFKC", text) == text
        and not is_reserved(text)
    )


def is_reserved(name: str) -> bool:
    """Tell whether a class of this name would hide a keyword, a builtin or a runtime name."""
    return keyword.iskeyword(name) or name in _BUILTINS or name in RUNTIME_NAMES


def free_name(name: str) -> str:
    """Return a class name that is not reserved: `WarningObject` for `Warning`, `ObjectType`."""
    if not is_reserved(name):
        return name
    return name + ("Type" if name.endswith("Object") else "Object")


def singular(name: str) -> str:
    """Return a PascalCase plural as singular if its last word is a regular plural, else unchanged.

    The rules: -ies is -y; -sses, -shes, -ches and -xes lose -es; any other -s is dropped, unless
    the word ends in -ss, -us, -is or -ias, is shorter than four letters or has no vowel (`tls`,
    `https`). A lower-case s after capitals is dropped (`podCIDRs`). A dozen irregular words are
    listed.
    """
    words = _LAST_WORD.findall(name)
    if not words:
        return name
    word = words[-1]
    return name[: len(name) - len(word)] + _singular_word(word)


def _singular_word(word: str) -> str:
    if len(word) > 2 and word[-1] == "s" and word[:-1].isupper():
        return word[:-1]
    folded = word.lower()
    if folded in _IRREGULAR:
        return word[0] + _IRREGULAR[folded][1:]
    if len(word) < 4 or not folded.endswith("s") or not set(folded) & set("aeiouy"):
        return word
    if folded.endswith(("ss", "us", "is", "ias")):
        return word
    if folded.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if folded.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1]

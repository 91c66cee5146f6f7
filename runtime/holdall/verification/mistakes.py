"""Every mistake that a person can make in a hook: its code and its message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from holdall.errors import Problem

UNWRITTEN: Final = "HA352"
"""A hook that is bound, and not written yet."""
OUTERMOST: Final = "define it at the top level of its module"
"""The fix of a hook that is defined elsewhere."""

MISTAKES: Mapping[str, str] = {
    # files
    "HA301": "the file cannot be read: {reason}",
    "HA302": "the file is not valid Python: {reason}",
    "HA303": "the file cannot be imported: {part!r} is not a Python name",
    "HA305": "{hook} cannot be loaded: {reason}",
    "HA306": "{module} gives way to {found}, which belongs to another project",
    "HA307": "it looks like a hook and is never imported: {reason}",
    "HA308": "`hooks` names the package {package}, and there is no folder {folder}{nearest}",
    # binding
    "HA310": "{hook} derives from {found}, which is not a hook protocol{nearest}",
    "HA311": "{found} is imported, but there is no such hook protocol{nearest}",
    "HA312": "{hook} looks like a hook ({reason}) but is bound to no protocol, so it never runs",
    "HA313": "{hook} is bound to {count} protocols: {protocols}",
    "HA314": "{hook} is a second hook for {point}; the first is {first} at {place}",
    "HA315": "{hook} is defined {place}, where holdall does not look for hooks",
    "HA316": "no hook is bound to {point}, but {properties} must be claimed",
    "HA317": "the function {function} stands outside a class, so it never runs",
    "HA318": "{hook} is bound again in line {line}, which hides this hook",
    "HA319": "{hook} cannot be used as it is written: {reason}",
    "HA320": "{hook} derives from {base}, which is a hook itself",
    "HA321": "{hook} is not composed correctly: {reason}",
    "HA322": "{hook} is composed of parts, so its own {method} never runs",
    "HA323": "{hook} is a shared hook and bound to {protocol} at the same time",
    # methods
    "HA330": "{hook}.{method} is not a method of a hook; did you mean {nearest}?",
    "HA331": "{hook} lacks {method}{nearest}",
    "HA332": "{hook}.{method} is {form}, not a plain method",
    "HA333": "{hook}.{method} {reason}",
    "HA334": "{hook}.{method} lacks the annotation of {what}",
    "HA335": "{hook}.{method} annotates `{parameter}` with {found}, expected {expected}{why}",
    "HA336": "{hook}.{method} returns {found}; a hook changes its destination and returns None",
    "HA337": "{hook}.{method} is empty",
    "HA338": "{hook}.{method} is defined {how}",
    "HA339": "{hook}.{method} converts within {version}; hooks join two versions",
    "HA352": "{hook}.{method} is not written yet: it only raises NotImplementedError",
    "HA353": "the function {function} cannot be loaded: {reason}",
    "HA354": '{hook}.{method} returns "{name}", which `{side}` does not name{nearest}',
    # claims
    "HA340": "{hook}.{method} does not declare what it claims",
    "HA341": "{hook}.{method}: the claims cannot be read: {reason}",
    "HA342": '{hook}.{method} {verb} "{name}", which {type} of {version} does not have{nearest}',
    "HA343": '{hook}.{method} {verb} "{name}", but {type} of {version} declares that property',
    "HA344": '{hook}.{method} {verb} "{name}", but {other} does not {duty} it{nearest}',
    "HA345": '{hook}.{method} {verb} "{name}" twice',
    "HA346": '{hook}.{method} does not claim to {duty} "{name}", which no generated code handles',
    "HA347": '{hook}.{method} {verb} "{name}", which is not a claim{nearest}',
    "HA348": "@claims on {function} has no effect",
    "HA349": 'two parts of {hook} write "{name}" in {method}',
    "HA350": '{hook}.{method} claims to {duty} "{name}", and does not',
    "HA351": '{hook}.{method} keeps "{key}", a key that generated code uses itself',
}
"""Message templates by stable code; docs/hook-mistakes.md explains each."""


def mistake(code: str, where: str, *, fix: str, detail: str = "", **parts: object) -> Problem:
    """Return the problem with the message of `code`, filled with `parts`."""
    return Problem(code, where, MISTAKES[code].format(**parts), fix, detail)


def contrast(incorrect: str, correct: str) -> str:
    """Return two lines that show the wrong form above the right one."""
    width = max(len(incorrect), len(correct))
    return f"{incorrect:<{width}}  # incorrect\n{correct:<{width}}  # correct"

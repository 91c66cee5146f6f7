"""All mistakes in hooks: their codes, messages and fixes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from holdall.errors import Problem

UNWRITTEN: Final = "HA352"
"""The code of a hook that is bound but not written yet."""

MISTAKES: Mapping[str, str] = {
    # files
    "HA301": "the file cannot be read: {reason}",
    "HA302": "the file is not valid Python: {reason}",
    "HA303": "the file cannot be imported: {part!r} is not a Python name",
    "HA305": "{hook} cannot be loaded: {reason}",
    "HA306": "Python imports {found} instead of {module}: it belongs to another project",
    "HA307": "it looks like a hook but is never imported: {reason}",
    "HA308": "`hooks` names the package {package}, but there is no folder {folder}{nearest}",
    # binding
    "HA310": "{hook} derives from {found}, which is not a hook protocol{nearest}",
    "HA311": "{found} is imported, but there is no such hook protocol{nearest}",
    "HA312": "{hook} looks like a hook ({reason}) but is bound to no protocol, so it never runs",
    "HA313": "{hook} is bound to {count} protocols: {protocols}",
    "HA314": "{hook} is a second hook for {point}; the first is {first} at {place}",
    "HA315": "{hook} is defined {place}, where holdall does not look for hooks",
    "HA316": "no hook is bound to {point}, but {properties} must be claimed",
    "HA317": "the function {function} is outside a class, so it never runs",
    "HA318": "the name {hook} is bound again in line {line}, which hides this hook",
    "HA319": "{hook} cannot be used: {reason}",
    "HA320": "{hook} derives from {base}, which is a hook itself",
    "HA321": "{hook} is not composed correctly: {reason}",
    "HA322": "{hook} is composed of parts, so its own {method} never runs",
    "HA323": "{hook} is both a shared hook and bound to {protocol}",
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
    "HA350": '{hook}.{method} claims to {duty} "{name}", but does not',
    "HA351": '{hook}.{method} keeps "{key}", a key that generated code uses itself',
    "HA356": '{hook} makes "{name}" of {version}, but not "{other}" of {opposite}: values go'
    " from one to the other, and would be lost",
    "HA357": '{hook} makes "{name}" of {version}, which is linked to {far} over {opposite}: the'
    " value of {far} would be lost",
    "HA355": '{hook}.{method} keeps "{key}", but a hook of a skip link keeps nothing in the bag',
}
"""Message templates by stable code; docs/hook-mistakes.md explains each."""

FIXES: Mapping[str, str] = {
    # files
    "HA301": "make it readable, as UTF-8 text",
    "HA302": "correct the text",
    "HA303": "rename it with letters, digits and underscores",
    "HA307": "move it to a folder that Python imports it from, or remove it",
    "HA308": "correct `hooks`, or create the folder; without hooks, remove the key",
    # binding
    "HA311": "import a protocol that exists, or remove the hook if its type or edge is gone",
    "HA313": "write one class for each edge, or a SharedHook and compose it for all of them",
    "HA314": "keep one; to combine several for one edge, compose shared hooks",
    "HA315": "define it at the top level of its module",
    "HA316": "write the hook, or choose another strategy for them in holdall.yaml; "
    "`holdall hooks scaffold` writes a start",
    "HA317": "indent it into the class of its hook, or give a helper another name",
    "HA318": "give each class its own name, and do not bind it again",
    "HA320": "derive it from its own protocol; what hooks share belongs in functions or in a "
    "SharedHook",
    "HA321": "write `parts = (First(...), Second(...))`, a tuple of shared hooks in running order",
    "HA322": "move it to a SharedHook and add that to `parts`",
    # methods
    "HA330": "rename it to {nearest}; give a helper another name",
    "HA331": "define it; if nothing has to happen, its body is `return`",
    "HA332": "write it as a plain `def` with `@claims(...)` above it",
    "HA336": "write `-> None`",
    "HA337": "write its body; if nothing has to happen in this direction, write `return`",
    "HA338": "define it once, directly in the class",
    "HA352": "write its body; if nothing has to happen in this direction, write `return`",
    "HA353": "write the function, or correct its path `package.module:name`",
    "HA354": "return a member that `{side}` names, or name it there",
    # claims
    "HA340": "put `@claims(reads=[...], writes=[...])` above it, with wire names",
    "HA341": "write `@claims(reads=[...], writes=[...])` with lists of names",
    "HA345": "claim it once",
    "HA348": "claims belong on the two methods of a hook; a shared hook returns them from "
    "claims_to and claims_from",
    "HA349": "let one part write it, or merge the two",
    "HA356": 'add "{other}" to `{side}`, and return it',
    "HA357": 'declare it `not_same` under "{between}", or take it from the hook',
    "HA355": "remove the key, or write the hook as two functions (`TwoWay`): then holdall keeps"
    " what does not come back by itself, for values of the link and for objects on this edge",
}
"""Templates of fixes, for codes whose fix needs no more than the parts of the message."""
FIX_OF_RENAMED: Final = 'remove its `rename` under "{between}", or take it from the hook'
"""The fix of HA357 for a link that a `rename` declares: without it, nothing is linked."""


def mistake(code: str, where: str, *, fix: str = "", detail: str = "", **parts: object) -> Problem:
    """Return the problem of a code, with `parts` in its message, and `fix` or the usual fix."""
    message = MISTAKES[code].format(**parts)
    return Problem(code, where, message, fix or FIXES[code].format(**parts), detail)


def contrast(incorrect: str, correct: str) -> str:
    """Return two lines with the wrong form above the right one."""
    width = max(len(incorrect), len(correct))
    return f"{incorrect:<{width}}  # incorrect\n{correct:<{width}}  # correct"

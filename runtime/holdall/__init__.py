"""holdall: versioned resources, converted without losing anything.

What people use: a generated `SCHEME`, hooks, bags, errors. Generated code imports
`holdall.generated`; everything else is imported from the room that it lives in.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # importing it would take longer than all the rest
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import override

    from holdall.bulk.arrow import batches
    from holdall.engine.always import Always, Given
    from holdall.engine.completing import Completing
    from holdall.engine.hooks import (
        BagView,
        Claims,
        Composed,
        SharedHook,
        claims,
        is_null,
        set_absent,
        set_null,
    )
    from holdall.engine.two_way import EachValue, TwoWay
    from holdall.errors import (
        ConversionError,
        DecodeError,
        HoldallError,
        HookError,
        HookFailure,
        Problem,
        RefusedError,
        SchemeError,
        UnknownKindError,
    )
    from holdall.explain.audit import Finding, audit
    from holdall.objects.bag import PropertyBag
    from holdall.objects.base import Object
    from holdall.objects.serialization import nested
    from holdall.objects.views import StorageObject, StorageRoot
    from holdall.scheme.scheme import Scheme
    from holdall.types import JsonObject, JsonValue, Members
    from holdall.version import VERSION as __version__

__all__ = [
    "Always",
    "BagView",
    "Claims",
    "Completing",
    "Composed",
    "ConversionError",
    "DecodeError",
    "EachValue",
    "Finding",
    "Given",
    "HoldallError",
    "HookError",
    "HookFailure",
    "JsonObject",
    "JsonValue",
    "Members",
    "Object",
    "Problem",
    "PropertyBag",
    "RefusedError",
    "Scheme",
    "SchemeError",
    "SharedHook",
    "StorageObject",
    "StorageRoot",
    "TwoWay",
    "UnknownKindError",
    "__version__",
    "audit",
    "batches",
    "claims",
    "is_null",
    "nested",
    "override",
    "set_absent",
    "set_null",
]

_HOMES = {
    "holdall.bulk.arrow": "batches",
    "holdall.engine.always": "Always Given",
    "holdall.engine.completing": "Completing",
    "holdall.engine.hooks": (
        "BagView Claims Composed SharedHook claims is_null set_absent set_null"
    ),
    "holdall.engine.two_way": "EachValue TwoWay",
    "holdall.errors": (
        "ConversionError DecodeError HoldallError HookError HookFailure Problem RefusedError"
        " SchemeError UnknownKindError"
    ),
    "holdall.explain.audit": "Finding audit",
    "holdall.objects.bag": "PropertyBag",
    "holdall.objects.base": "Object",
    "holdall.objects.serialization": "nested",
    "holdall.objects.views": "StorageObject StorageRoot",
    "holdall.scheme.scheme": "Scheme",
    "holdall.types": "JsonObject JsonValue Members",
    "typing_extensions": "override",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    # Nobody uses all names, and what a command imports begins where it can answer an interrupt.
    if name == "__version__":
        found = import_module("holdall.version").VERSION
    elif name in _HOME_OF:
        found = getattr(import_module(_HOME_OF[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found

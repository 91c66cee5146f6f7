"""holdall: versioned resources, converted without losing anything.

What people use: a generated `SCHEME`, hooks, bags, errors. Generated code imports
`holdall.generated`; everything else is imported from the room that it lives in.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from typing_extensions import override

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
from holdall.objects.bag import PropertyBag
from holdall.objects.base import Object
from holdall.objects.views import StorageObject, StorageRoot
from holdall.scheme.scheme import Scheme
from holdall.types import JsonObject, JsonValue, Members
from holdall.version import VERSION as __version__

if TYPE_CHECKING:
    from holdall.bulk.arrow import batches
    from holdall.explain.audit import Finding, audit
    from holdall.objects.serialization import nested

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


_LATER = {
    "Finding": "holdall.explain.audit",
    "audit": "holdall.explain.audit",
    "batches": "holdall.bulk.arrow",
    "nested": "holdall.objects.serialization",
}


def __getattr__(name: str) -> Any:
    # Converting an object does not need these: their modules are imported when asked for.
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

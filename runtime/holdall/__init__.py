"""holdall: versioned resources, converted without losing anything.

What people use: a generated `SCHEME`, hooks, bags, errors. Generated code imports
`holdall.generated`; everything else is imported from the room that it lives in.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # importing it would take longer than all the rest
if TYPE_CHECKING:
    from typing_extensions import override as override

    from holdall.bulk.arrow import batches as batches
    from holdall.engine.always import Always as Always
    from holdall.engine.always import Given as Given
    from holdall.engine.completing import Completing as Completing
    from holdall.engine.hooks import BagView as BagView
    from holdall.engine.hooks import Claims as Claims
    from holdall.engine.hooks import Composed as Composed
    from holdall.engine.hooks import SharedHook as SharedHook
    from holdall.engine.hooks import claims as claims
    from holdall.engine.hooks import is_null as is_null
    from holdall.engine.hooks import set_absent as set_absent
    from holdall.engine.hooks import set_null as set_null
    from holdall.engine.two_way import EachValue as EachValue
    from holdall.engine.two_way import TwoWay as TwoWay
    from holdall.errors import ConversionError as ConversionError
    from holdall.errors import DecodeError as DecodeError
    from holdall.errors import HoldallError as HoldallError
    from holdall.errors import HookError as HookError
    from holdall.errors import HookFailure as HookFailure
    from holdall.errors import Problem as Problem
    from holdall.errors import RefusedError as RefusedError
    from holdall.errors import SchemeError as SchemeError
    from holdall.errors import UnknownKindError as UnknownKindError
    from holdall.explain.audit import Finding as Finding
    from holdall.explain.audit import audit as audit
    from holdall.objects.bag import PropertyBag as PropertyBag
    from holdall.objects.base import Object as Object
    from holdall.objects.serialization import nested as nested
    from holdall.objects.views import StorageObject as StorageObject
    from holdall.objects.views import StorageRoot as StorageRoot
    from holdall.scheme.scheme import Scheme as Scheme
    from holdall.types import JsonObject as JsonObject
    from holdall.types import JsonValue as JsonValue
    from holdall.types import Members as Members

    __all__: list[str]
    __version__: str
else:
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
    __all__ = sorted([*_HOME_OF, "__version__"])

    def __getattr__(name):
        # Nobody uses all names, and a command must be able to answer an interrupt while it imports.
        if name == "__version__":
            found = import_module("holdall.version").VERSION
        elif name in _HOME_OF:
            found = getattr(import_module(_HOME_OF[name]), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found
        return found

"""CRDs with one mistake each, and CRDs that look wrong and are not; what servers say is the oracle.

The unit tests state our verdicts; the end-to-end tests ask a real API server for its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from holdall.text.json import copy
from holdall.text.pointer import split
from holdall.text.yaml import load_all

SOUND = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.rules.example.com}
spec:
  group: rules.example.com
  scope: Namespaced
  names: {kind: Thing, listKind: ThingList, plural: things, singular: thing}
  versions:
    - name: v2
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}
    - name: v1
      served: true
      storage: false
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}
"""

SCHEMA = "/spec/versions/0/schema/openAPIV3Schema"
FIELD = f"{SCHEMA}/properties/spec"


@dataclass(frozen=True)
class Specimen:
    """A CRD made from the sound one: `at` is set to `value`; `codes` are our findings."""

    title: str
    at: str
    value: Any
    codes: tuple[str, ...]
    refused: bool | None
    """What the server says, where that is not what our errors say: it does not check all."""

    def crd(self) -> dict[str, Any]:
        """Return the CRD."""
        return _changed(self.at, self.value)


def changed(at: str, value: str) -> dict[str, Any]:
    """Return the sound CRD with the YAML `value` at a JSON Pointer; the empty value removes it."""
    return _changed(at, load_all(value, "value")[0].value if value else None)


def _changed(at: str, value: Any) -> dict[str, Any]:
    crd: Any = copy(load_all(SOUND, "sound.yaml")[0].value)
    holder: Any = crd
    *path, last = split(at)
    for name in path:
        holder = holder[int(name)] if isinstance(holder, list) else holder[name]
    if value is None:
        del holder[last]
    else:
        holder[int(last) if isinstance(holder, list) else last] = value
    whole: dict[str, Any] = crd
    return whole


_SPECIMENS: Final = """
# names
HA851 group without a dot: {/spec/group: rules}
HA851 name of another plural: {/metadata/name: other.rules.example.com}
HA851 plural in capitals: {/spec/names/plural: Things}
HA851 kind with a blank: {/spec/names/kind: My Thing}
HA851 kind as listKind: {/spec/names/listKind: Thing}
HA851 short name in capitals: {/spec/names/shortNames: [TH]}
HA851 category with a dot: {/spec/names/categories: [a.b]}
HA851 another scope: {/spec/scope: Global}
right short names: {/spec/names/shortNames: [th, tg]}
# versions
HA852 no storage version: {/spec/versions/0/storage: false}
HA852 two storage versions: {/spec/versions/1/storage: true}
HA852 the same version twice: {/spec/versions/1/name: v2}
HA852 a version with a dot: {/spec/versions/1/name: v1.1}
HA852 a stored version that is not a name: {/status: {storedVersions: [v1, {}]}}
HA852 no schema: {/spec/versions/1/schema: null}
HA853 warning without deprecation: {/spec/versions/1/deprecationWarning: old}
HA853 an empty warning:
  /spec/versions/1: {name: v1, served: true, storage: false, deprecated: true,
    deprecationWarning: "", schema: {openAPIV3Schema: {type: object}}}
# columns and subresources
HA854 a column of type object:
  /spec/versions/0/additionalPrinterColumns: [{name: A, type: object, jsonPath: .spec}]
HA854 a column without a dot:
  /spec/versions/0/additionalPrinterColumns: [{name: A, type: string, jsonPath: spec}]
HA854 a column of an unknown format:
  /spec/versions/0/additionalPrinterColumns:
    - {name: A, type: string, format: colour, jsonPath: .spec}
HA855 replicas outside of the spec:
  /spec/versions/0/subresources:
    scale: {specReplicasPath: .status.a, statusReplicasPath: .status.b}
HA855 no status replicas: {/spec/versions/0/subresources: {scale: {specReplicasPath: .spec.a}}}
"HA855? an index in a scale path":
  /spec/versions/0/subresources:
    scale: {specReplicasPath: ".spec.a[0]", statusReplicasPath: .status.b}
right a label selector in the spec:
  /spec/versions/0/subresources:
    scale:
      specReplicasPath: .spec.a
      statusReplicasPath: .status.b
      labelSelectorPath: .spec.c
# the root
HA856 a root that is not an object: {SCHEMA: {type: string}}
HA856 a nullable root: {SCHEMA: {type: object, nullable: true}}
HA856 a root with free members: {SCHEMA: {type: object, additionalProperties: {type: string}}}
HA856 labels in the schema of metadata:
  SCHEMA:
    type: object
    properties:
      metadata:
        type: object
        properties: {labels: {type: object, additionalProperties: {type: string}}}
right a pattern for names:
  SCHEMA:
    type: object
    properties: {metadata: {type: object, properties: {name: {type: string, pattern: ^a}}}}
right kind in the schema: {SCHEMA: {type: object, properties: {kind: {type: string}}}}
HA856 kind as a number: {SCHEMA: {type: object, properties: {kind: {type: integer}}}}
HA856 a root with alternatives and a status:
  /spec/versions/0:
    name: v2
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema: {type: object, properties: {a: {type: string}}, anyOf: [{required: [a]}]}
right a root with required members and a status:
  /spec/versions/0:
    name: v2
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}, required: [a]}}
# structural schemas
HA857 no type: {FIELD: {properties: {a: {type: string}}}}
HA857 a property without a type: {FIELD: {type: object, properties: {a: {}}}}
HA857 the type null: {FIELD: {type: "null"}}
HA857 an array without items: {FIELD: {type: array}}
HA857 items without a type: {FIELD: {type: array, items: {format: x}}}
HA857 a tuple: {FIELD: {type: array, items: [{type: string}]}}
HA857 a reference: {FIELD: {type: object, $ref: "#/definitions/x"}}
HA857 definitions: {FIELD: {type: object, definitions: {a: {type: string}}}}
HA857 dependencies: {FIELD: {type: object, dependencies: {a: [b]}}}
HA857 an id: {FIELD: {type: object, id: x}}
HA857 more items: {FIELD: {type: array, items: {type: string}, additionalItems: false}}
HA857 patterns of names: {FIELD: {type: object, patternProperties: {a: {type: string}}}}
HA857 unique items: {FIELD: {type: array, uniqueItems: true, items: {type: string}}}
HA857 properties beside free members:
  FIELD: {type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}
HA857 a type in an alternative:
  FIELD:
    type: object
    properties: {a: {type: string}}
    anyOf: [{properties: {a: {type: string}}}]
HA857 a description in not: {FIELD: {type: string, not: {description: a, enum: [x]}}}
HA857 a default in allOf: {FIELD: {type: string, allOf: [{default: a}]}}
"HA857? an undeclared property in an alternative":
  FIELD: {type: object, oneOf: [{properties: {a: {enum: [x]}}}]}
right required in alternatives:
  FIELD:
    type: object
    properties: {a: {type: string}, b: {type: string}}
    oneOf: [{required: [a]}, {required: [b]}]
right an alternative about a declared property:
  FIELD:
    type: object
    properties: {a: {type: string}}
    anyOf: [{properties: {a: {enum: [x]}}}]
"right nullable: false in allOf": {FIELD: {type: string, allOf: [{nullable: false}]}}
right any JSON: {FIELD: {x-kubernetes-preserve-unknown-fields: true}}
right int or string: {FIELD: {x-kubernetes-int-or-string: true}}
"right int or string, spelt out":
  FIELD: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}
right int or string with a pattern:
  FIELD:
    x-kubernetes-int-or-string: true
    allOf: [{anyOf: [{type: integer}, {type: string}]}, {pattern: ^a}]
HA857 half of int or string:
  FIELD: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}]}
"HA859? int or string with a type": {FIELD: {type: string, x-kubernetes-int-or-string: true}}
# list types
HA858 keys without a list type:
  FIELD: {type: array, items: {type: string}, x-kubernetes-list-map-keys: [a]}
HA858 an unknown list type:
  FIELD: {type: array, items: {type: string}, x-kubernetes-list-type: bag}
HA858 a list type of an object: {FIELD: {type: object, x-kubernetes-list-type: atomic}}
HA858 a map without keys:
  FIELD: {type: array, x-kubernetes-list-type: map, items: {type: object}}
HA858 a key that is not declared:
  FIELD: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a],
    items: {type: object}}
HA858 a key that is not required:
  FIELD: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a],
    items: {type: object, properties: {a: {type: string}}}}
right a key with a default:
  FIELD: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a],
    items: {type: object, properties: {a: {type: string, default: x}}}}
HA858 a key that is an object:
  FIELD:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [a]
    items: {type: object, required: [a], properties: {a: {type: object}}}
HA858 a key listed twice:
  FIELD:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [a, a]
    items: {type: object, required: [a], properties: {a: {type: string}}}
HA858 a map of texts:
  FIELD: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a],
    items: {type: string}}
HA858 a set of objects:
  FIELD: {type: array, x-kubernetes-list-type: set, items: {type: object}}
right a set of atomic objects:
  FIELD:
    type: array
    x-kubernetes-list-type: set
    items: {type: object, x-kubernetes-map-type: atomic}
HA858 a set that may hold null:
  FIELD: {type: array, x-kubernetes-list-type: set, items: {type: string, nullable: true}}
# extensions
HA859 preserve is false: {FIELD: {type: object, x-kubernetes-preserve-unknown-fields: false}}
HA859 an embedded text:
  FIELD:
    type: string
    x-kubernetes-embedded-resource: true
    x-kubernetes-preserve-unknown-fields: true
HA859 an embedded resource without anything:
  FIELD: {type: object, x-kubernetes-embedded-resource: true}
right an embedded resource:
  FIELD:
    type: object
    x-kubernetes-embedded-resource: true
    x-kubernetes-preserve-unknown-fields: true
HA859 a map type of a list:
  FIELD: {type: array, items: {type: string}, x-kubernetes-map-type: atomic}
right the slot of a bag:
  FIELD:
    type: object
    properties:
      $propertyBag:
        type: object
        x-kubernetes-preserve-unknown-fields: true
        x-kubernetes-map-type: atomic
# defaults
right a default: {FIELD: {type: object, default: {a: 1}, properties: {a: {type: integer}}}}
HA860 a default of another type: {FIELD: {type: integer, default: a}}
HA860 a default outside of the enum: {FIELD: {type: string, enum: [a], default: b}}
HA860 a default below the minimum: {FIELD: {type: integer, minimum: 3, default: 2}}
HA860 a default that is too long: {FIELD: {type: string, maxLength: 1, default: ab}}
HA860 a default of another pattern: {FIELD: {type: string, pattern: ^a, default: b}}
HA860 a default of another form: {FIELD: {type: string, format: ipv4, default: b}}
HA860 a default with an unknown member:
  FIELD: {type: object, default: {b: 1}, properties: {a: {type: integer}}}
HA860 a default without a required member:
  FIELD: {type: object, required: [a], default: {}, properties: {a: {type: integer}}}
HA860 a default under metadata:
  SCHEMA:
    type: object
    properties: {metadata: {type: object, properties: {name: {type: string, default: a}}}}
# conversion
HA861 another strategy: {/spec/conversion: {strategy: Magic}}
HA861 a webhook without the strategy:
  /spec/conversion:
    strategy: None
    webhook: {conversionReviewVersions: [v1], clientConfig: {url: https://a.example.com}}
HA861 neither url nor service:
  /spec/conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {}}
HA861 both url and service:
  /spec/conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {url: https://a.example.com, service: {namespace: a, name: b}}
HA861 plain HTTP:
  /spec/conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {url: http://a.example.com}}
HA861 a query in the url:
  /spec/conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {url: "https://a.example.com/?x=1"}}
HA861 a fragment in the url:
  /spec/conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {url: https://a.example.com/#x}}
HA861 a user in the url:
  /spec/conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {url: https://me@a.example.com}}
HA861 a path without a slash:
  /spec/conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {service: {namespace: a, name: b, path: convert}}
HA861 a path in capitals:
  /spec/conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {service: {namespace: a, name: b, path: /Convert}}
HA861 a port beyond all ports:
  /spec/conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {service: {namespace: a, name: b, port: 70000}}
HA861 no known review version:
  /spec/conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v2], clientConfig: {url: https://a.example.com}}
HA861 a review version twice:
  /spec/conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1, v1], clientConfig: {url: https://a.example.com}}
"HA862? a caBundle that is none":
  /spec/conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {url: https://a.example.com, caBundle: bm9uZQ==}
right a webhook:
  /spec/conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1, v9]
      clientConfig: {service: {namespace: a, name: b, path: /convert, port: 8443}}
HA868 unknown fields are kept: {/spec/preserveUnknownFields: true}
# no server says so
"HA852? nothing is served":
  /spec/versions:
    - {name: v1, served: false, storage: true, schema: {openAPIV3Schema: {type: object}}}
"""


def _specimens() -> Iterator[Specimen]:
    """Yield what the texts say: the code that finds a mistake, the title, and what is put where.

    Nothing finds what is `right`; where `?` follows the code, no server says so.
    """
    whole: Any = load_all(_SPECIMENS, "specimens")[0].value
    for name, change in whole.items():
        code, _, title = name.partition(" ")
        ((place, value),) = change.items()
        at = {"SCHEMA": SCHEMA, "FIELD": FIELD}.get(place, place)
        codes = () if code == "right" else (code.removesuffix("?"),)
        yield Specimen(title, at, value, codes, False if code.endswith("?") else None)


SPECIMENS = tuple(_specimens())

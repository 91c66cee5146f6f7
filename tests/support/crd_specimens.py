"""CRDs with one mistake each, and CRDs that look wrong and are not; what servers say is the oracle.

The unit tests state our verdicts; the end-to-end tests ask a real API server for its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
    """A CRD made from the sound one: `at` is set to the YAML `value`; `codes` are our findings."""

    title: str
    at: str
    value: str
    codes: tuple[str, ...] = ()
    refused: bool | None = None
    """What the server says, where that is not what our errors say: it does not check all."""

    def crd(self) -> dict[str, Any]:
        """Return the CRD."""
        return changed(self.at, self.value)


def changed(at: str, value: str) -> dict[str, Any]:
    """Return the sound CRD with the YAML `value` at a JSON Pointer; the empty value removes it."""
    crd: Any = copy(load_all(SOUND, "sound.yaml")[0].value)
    holder: Any = crd
    *path, last = split(at)
    for name in path:
        holder = holder[int(name)] if isinstance(holder, list) else holder[name]
    if value:
        holder[int(last) if isinstance(holder, list) else last] = load_all(value, "value")[0].value
    else:
        del holder[last]
    whole: dict[str, Any] = crd
    return whole


def _wrong(title: str, code: str, at: str, value: str, refused: bool | None = None) -> Specimen:
    return Specimen(title, at, value, (code,), refused)


def _right(title: str, at: str, value: str) -> Specimen:
    return Specimen(title, at, value)


def _field(title: str, code: str, value: str, refused: bool | None = None) -> Specimen:
    return _wrong(title, code, FIELD, value, refused)


SPECIMENS = (
    # names
    _wrong("group without a dot", "HA851", "/spec/group", "rules"),
    _wrong("name of another plural", "HA851", "/metadata/name", "other.rules.example.com"),
    _wrong("plural in capitals", "HA851", "/spec/names/plural", "Things"),
    _wrong("kind with a blank", "HA851", "/spec/names/kind", "My Thing"),
    _wrong("kind as listKind", "HA851", "/spec/names/listKind", "Thing"),
    _wrong("short name in capitals", "HA851", "/spec/names/shortNames", "[TH]"),
    _wrong("category with a dot", "HA851", "/spec/names/categories", "[a.b]"),
    _wrong("another scope", "HA851", "/spec/scope", "Global"),
    _right("short names", "/spec/names/shortNames", "[th, tg]"),
    # versions
    _wrong("no storage version", "HA852", "/spec/versions/0/storage", "false"),
    _wrong("two storage versions", "HA852", "/spec/versions/1/storage", "true"),
    _wrong("the same version twice", "HA852", "/spec/versions/1/name", "v2"),
    _wrong("a version with a dot", "HA852", "/spec/versions/1/name", "v1.1"),
    _wrong("no schema", "HA852", "/spec/versions/1/schema", ""),
    _wrong("warning without deprecation", "HA853", "/spec/versions/1/deprecationWarning", "old"),
    Specimen(
        "an empty warning",
        "/spec/versions/1",
        """
name: v1
served: true
storage: false
deprecated: true
deprecationWarning: ""
schema: {openAPIV3Schema: {type: object}}
""",
        ("HA853",),
    ),
    # columns and subresources
    _wrong(
        "a column of type object",
        "HA854",
        "/spec/versions/0/additionalPrinterColumns",
        "[{name: A, type: object, jsonPath: .spec}]",
    ),
    _wrong(
        "a column without a dot",
        "HA854",
        "/spec/versions/0/additionalPrinterColumns",
        "[{name: A, type: string, jsonPath: spec}]",
    ),
    _wrong(
        "a column of an unknown format",
        "HA854",
        "/spec/versions/0/additionalPrinterColumns",
        "[{name: A, type: string, format: colour, jsonPath: .spec}]",
    ),
    _wrong(
        "replicas outside of the spec",
        "HA855",
        "/spec/versions/0/subresources",
        "{scale: {specReplicasPath: .status.a, statusReplicasPath: .status.b}}",
    ),
    _wrong(
        "no status replicas",
        "HA855",
        "/spec/versions/0/subresources",
        "{scale: {specReplicasPath: .spec.a}}",
    ),
    _wrong(
        "an index in a scale path",
        "HA855",
        "/spec/versions/0/subresources",
        "{scale: {specReplicasPath: '.spec.a[0]', statusReplicasPath: .status.b}}",
        refused=False,
    ),
    _right(
        "a label selector in the spec",
        "/spec/versions/0/subresources",
        "{scale: {specReplicasPath: .spec.a, statusReplicasPath: .status.b, "
        "labelSelectorPath: .spec.c}}",
    ),
    # the root
    _wrong("a root that is not an object", "HA856", SCHEMA, "{type: string}"),
    _wrong("a nullable root", "HA856", SCHEMA, "{type: object, nullable: true}"),
    _wrong(
        "a root with free members",
        "HA856",
        SCHEMA,
        "{type: object, additionalProperties: {type: string}}",
    ),
    _wrong(
        "labels in the schema of metadata",
        "HA856",
        SCHEMA,
        "{type: object, properties: {metadata: {type: object, properties: {labels: "
        "{type: object, additionalProperties: {type: string}}}}}}",
    ),
    _right(
        "a pattern for names",
        SCHEMA,
        "{type: object, properties: {metadata: {type: object, properties: {name: "
        "{type: string, pattern: '^a'}}}}}",
    ),
    _right("kind in the schema", SCHEMA, "{type: object, properties: {kind: {type: string}}}"),
    _wrong(
        "kind as a number",
        "HA856",
        SCHEMA,
        "{type: object, properties: {kind: {type: integer}}}",
    ),
    Specimen(
        "a root with alternatives and a status",
        "/spec/versions/0",
        """
name: v2
served: true
storage: true
subresources: {status: {}}
schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}},
  anyOf: [{required: [a]}]}}
""",
        ("HA856",),
    ),
    Specimen(
        "a root with required members and a status",
        "/spec/versions/0",
        """
name: v2
served: true
storage: true
subresources: {status: {}}
schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}, required: [a]}}
""",
    ),
    # structural schemas
    _field("no type", "HA857", "{properties: {a: {type: string}}}"),
    _field("a property without a type", "HA857", "{type: object, properties: {a: {}}}"),
    _field("the type null", "HA857", "{type: 'null'}"),
    _field("an array without items", "HA857", "{type: array}"),
    _field("items without a type", "HA857", "{type: array, items: {format: x}}"),
    _field("a tuple", "HA857", "{type: array, items: [{type: string}]}"),
    _field("a reference", "HA857", "{type: object, $ref: '#/definitions/x'}"),
    _field("definitions", "HA857", "{type: object, definitions: {a: {type: string}}}"),
    _field("dependencies", "HA857", "{type: object, dependencies: {a: [b]}}"),
    _field("an id", "HA857", "{type: object, id: x}"),
    _field("more items", "HA857", "{type: array, items: {type: string}, additionalItems: false}"),
    _field("patterns of names", "HA857", "{type: object, patternProperties: {a: {type: string}}}"),
    _field("unique items", "HA857", "{type: array, uniqueItems: true, items: {type: string}}"),
    _field(
        "properties beside free members",
        "HA857",
        "{type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}",
    ),
    _field(
        "a type in an alternative",
        "HA857",
        "{type: object, properties: {a: {type: string}}, anyOf: [{properties: {a: "
        "{type: string}}}]}",
    ),
    _field("a description in not", "HA857", "{type: string, not: {description: a, enum: [x]}}"),
    _field("a default in allOf", "HA857", "{type: string, allOf: [{default: a}]}"),
    _field(
        "an undeclared property in an alternative",
        "HA857",
        "{type: object, oneOf: [{properties: {a: {enum: [x]}}}]}",
        refused=False,
    ),
    _right(
        "required in alternatives",
        FIELD,
        "{type: object, properties: {a: {type: string}, b: {type: string}}, "
        "oneOf: [{required: [a]}, {required: [b]}]}",
    ),
    _right(
        "an alternative about a declared property",
        FIELD,
        "{type: object, properties: {a: {type: string}}, anyOf: [{properties: {a: {enum: [x]}}}]}",
    ),
    _right("nullable: false in allOf", FIELD, "{type: string, allOf: [{nullable: false}]}"),
    _right("any JSON", FIELD, "{x-kubernetes-preserve-unknown-fields: true}"),
    _right("int or string", FIELD, "{x-kubernetes-int-or-string: true}"),
    _right(
        "int or string, spelt out",
        FIELD,
        "{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}",
    ),
    _right(
        "int or string with a pattern",
        FIELD,
        "{x-kubernetes-int-or-string: true, allOf: [{anyOf: [{type: integer}, {type: string}]}, "
        "{pattern: '^a'}]}",
    ),
    _field(
        "half of int or string",
        "HA857",
        "{x-kubernetes-int-or-string: true, anyOf: [{type: integer}]}",
    ),
    _field(
        "int or string with a type",
        "HA859",
        "{type: string, x-kubernetes-int-or-string: true}",
        refused=False,
    ),
    # list types
    _field(
        "keys without a list type",
        "HA858",
        "{type: array, items: {type: string}, x-kubernetes-list-map-keys: [a]}",
    ),
    _field(
        "an unknown list type",
        "HA858",
        "{type: array, items: {type: string}, x-kubernetes-list-type: bag}",
    ),
    _field("a list type of an object", "HA858", "{type: object, x-kubernetes-list-type: atomic}"),
    _field(
        "a map without keys",
        "HA858",
        "{type: array, x-kubernetes-list-type: map, items: {type: object}}",
    ),
    _field(
        "a key that is not declared",
        "HA858",
        "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], "
        "items: {type: object}}",
    ),
    _field(
        "a key that is not required",
        "HA858",
        "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], "
        "items: {type: object, properties: {a: {type: string}}}}",
    ),
    _right(
        "a key with a default",
        FIELD,
        "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], "
        "items: {type: object, properties: {a: {type: string, default: x}}}}",
    ),
    _field(
        "a key that is an object",
        "HA858",
        "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], "
        "items: {type: object, required: [a], properties: {a: {type: object}}}}",
    ),
    _field(
        "a key listed twice",
        "HA858",
        "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, a], "
        "items: {type: object, required: [a], properties: {a: {type: string}}}}",
    ),
    _field(
        "a map of texts",
        "HA858",
        "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], "
        "items: {type: string}}",
    ),
    _field(
        "a set of objects",
        "HA858",
        "{type: array, x-kubernetes-list-type: set, items: {type: object}}",
    ),
    _right(
        "a set of atomic objects",
        FIELD,
        "{type: array, x-kubernetes-list-type: set, items: {type: object, "
        "x-kubernetes-map-type: atomic}}",
    ),
    _field(
        "a set that may hold null",
        "HA858",
        "{type: array, x-kubernetes-list-type: set, items: {type: string, nullable: true}}",
    ),
    # extensions
    _field(
        "preserve is false",
        "HA859",
        "{type: object, x-kubernetes-preserve-unknown-fields: false}",
    ),
    _field(
        "an embedded text",
        "HA859",
        "{type: string, x-kubernetes-embedded-resource: true, "
        "x-kubernetes-preserve-unknown-fields: true}",
    ),
    _field(
        "an embedded resource without anything",
        "HA859",
        "{type: object, x-kubernetes-embedded-resource: true}",
    ),
    _right(
        "an embedded resource",
        FIELD,
        "{type: object, x-kubernetes-embedded-resource: true, "
        "x-kubernetes-preserve-unknown-fields: true}",
    ),
    _field(
        "a map type of a list",
        "HA859",
        "{type: array, items: {type: string}, x-kubernetes-map-type: atomic}",
    ),
    _right(
        "the slot of a bag",
        FIELD,
        "{type: object, properties: {$propertyBag: {type: object, "
        "x-kubernetes-preserve-unknown-fields: true, x-kubernetes-map-type: atomic}}}",
    ),
    # defaults
    _right("a default", FIELD, "{type: object, default: {a: 1}, properties: {a: {type: integer}}}"),
    _field("a default of another type", "HA860", "{type: integer, default: a}"),
    _field("a default outside of the enum", "HA860", "{type: string, enum: [a], default: b}"),
    _field("a default below the minimum", "HA860", "{type: integer, minimum: 3, default: 2}"),
    _field("a default that is too long", "HA860", "{type: string, maxLength: 1, default: ab}"),
    _field("a default of another pattern", "HA860", "{type: string, pattern: ^a, default: b}"),
    _field("a default of another form", "HA860", "{type: string, format: ipv4, default: b}"),
    _field(
        "a default with an unknown member",
        "HA860",
        "{type: object, default: {b: 1}, properties: {a: {type: integer}}}",
    ),
    _field(
        "a default without a required member",
        "HA860",
        "{type: object, required: [a], default: {}, properties: {a: {type: integer}}}",
    ),
    _wrong(
        "a default under metadata",
        "HA860",
        SCHEMA,
        "{type: object, properties: {metadata: {type: object, properties: {name: "
        "{type: string, default: a}}}}}",
    ),
    # conversion
    _wrong("another strategy", "HA861", "/spec/conversion", "{strategy: Magic}"),
    _wrong(
        "a webhook without the strategy",
        "HA861",
        "/spec/conversion",
        "{strategy: 'None', webhook: {conversionReviewVersions: [v1], "
        "clientConfig: {url: 'https://a.example.com'}}}",
    ),
    _wrong(
        "neither url nor service",
        "HA861",
        "/spec/conversion",
        "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {}}}",
    ),
    _wrong(
        "both url and service",
        "HA861",
        "/spec/conversion",
        "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: "
        "{url: 'https://a.example.com', service: {namespace: a, name: b}}}}",
    ),
    _wrong(
        "plain HTTP",
        "HA861",
        "/spec/conversion",
        "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], "
        "clientConfig: {url: 'http://a.example.com'}}}",
    ),
    _wrong(
        "a query in the url",
        "HA861",
        "/spec/conversion",
        "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], "
        "clientConfig: {url: 'https://a.example.com/?x=1'}}}",
    ),
    _wrong(
        "a fragment in the url",
        "HA861",
        "/spec/conversion",
        "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], "
        "clientConfig: {url: 'https://a.example.com/#x'}}}",
    ),
    _wrong(
        "a user in the url",
        "HA861",
        "/spec/conversion",
        "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], "
        "clientConfig: {url: 'https://me@a.example.com'}}}",
    ),
    _wrong(
        "a path without a slash",
        "HA861",
        "/spec/conversion",
        "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], "
        "clientConfig: {service: {namespace: a, name: b, path: convert}}}}",
    ),
    _wrong(
        "a path in capitals",
        "HA861",
        "/spec/conversion",
        "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], "
        "clientConfig: {service: {namespace: a, name: b, path: /Convert}}}}",
    ),
    _wrong(
        "a port beyond all ports",
        "HA861",
        "/spec/conversion",
        "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], "
        "clientConfig: {service: {namespace: a, name: b, port: 70000}}}}",
    ),
    _wrong(
        "no known review version",
        "HA861",
        "/spec/conversion",
        "{strategy: Webhook, webhook: {conversionReviewVersions: [v2], "
        "clientConfig: {url: 'https://a.example.com'}}}",
    ),
    _wrong(
        "a review version twice",
        "HA861",
        "/spec/conversion",
        "{strategy: Webhook, webhook: {conversionReviewVersions: [v1, v1], "
        "clientConfig: {url: 'https://a.example.com'}}}",
    ),
    _wrong(
        "a caBundle that is none",
        "HA862",
        "/spec/conversion",
        "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], "
        "clientConfig: {url: 'https://a.example.com', caBundle: bm9uZQ==}}}",
        refused=False,
    ),
    _right(
        "a webhook",
        "/spec/conversion",
        "{strategy: Webhook, webhook: {conversionReviewVersions: [v1, v9], "
        "clientConfig: {service: {namespace: a, name: b, path: /convert, port: 8443}}}}",
    ),
    _wrong("unknown fields are kept", "HA868", "/spec/preserveUnknownFields", "true"),
    # no server says so
    _wrong(
        "nothing is served",
        "HA852",
        "/spec/versions",
        """
- name: v1
  served: false
  storage: true
  schema: {openAPIV3Schema: {type: object}}
""",
        refused=False,
    ),
)

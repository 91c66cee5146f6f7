"""The runner looks at what is generated: without a feature there, a case that expects it fails."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from holdall_codegen.emit import emit_files
from tests.acceptance.declared import generated
from tests.acceptance.declared.cases import read_cases
from tests.acceptance.declared.run import run_case

OWN = Path(__file__).resolve().parent / "cases"
CASES = {path.stem: path for path in OWN.glob("*.json")}

# A feature: its case, the files that hold it, and what is done to them: a pattern that must be
# there and its replacement. The expectation that has to fail stands last.
_FEATURES = r"""
entry union: status_and_scale kinds.py `AnyPit: TypeAlias.*` `` entry_enum
entry union, one version: status_and_scale kinds.py `(AnyPit: TypeAlias = ).* \| ` `\1` entry_enum
tag of the entries: status_and_scale v1/__init__.py
  `"q.example.org/v1"` `"q.example.org/v9"` entry_enum
version enum: status_and_scale kinds.py `    V1 = ` `    V2 = ` version_enum
kind: status_and_scale kinds.py `NAME = "Pit"` `NAME = "Quarry"` generated
merged_crd: status_and_scale kinds.py `Converts, MergesCrd` `Converts` merged_crd
skipped merged_crd: skip_of_classes kinds.py
  `class Table\(Converts` `class Table(Converts, MergesCrd` generated
try_convert: status_and_scale kinds.py `, TriesConversions` `` try_convert
object conversions: status_and_scale kinds.py `\(Converts, ` `(` object_conv
CRD name: status_and_scale pits.yaml `name: pits` `name: pit` crd.name
CRD scope: several_groups_and_shared_objects .yaml `scope: Namespaced` `scope: Cluster` crd.scope
CRD short names: names_of_a_kind .yaml `shortNames:` `other:` crd.names
CRD status: status_and_scale pits.yaml `          status:` `          s:` crd.status
CRD status subresource: status_and_scale .yaml `      status: {}\n` `` crd.status
CRD scale: status_and_scale .yaml `scale:\n( +.*Path.*\n)+` `x: {}\n` crd.scale
CRD scale of an older version: status_and_scale .yaml `.spec.hands` `.spec.workers` crd.scale
CRD description: names_of_a_kind .yaml `        description: .*\n` `` description
CRD of tracked values: tracked_values_in_collections .yaml `changedValues:` `other:` crd.status
class of the tracked status: tracked_values_in_collections v1/__init__.py
  `"BodyStatusWithChangedValues",` `` status_struct
field of the tracked status: tracked_values_in_collections v1beta1/__init__.py
  `member\(\s*"changedValues"` `member("values"` status_struct
tracking: tracked_values_in_collections __init__.py
  `carrier="changed-values"` `carrier="none"` object_conversions
copied status: status_and_scale /__init__.py `    status: Any .*\n` `` expected 'copied'
marker of deprecation: documentation /__init__.py `@h.deprecated\(.*\n` `` version_modules
version: versions_in_order ^__init__.py `h.Version\([^)]*\),\n` `` version_
re-export: reexports v1alpha1/__init__.py `from .* import C.*\n` `` reexports
listed re-export: reexports v1alpha1/__init__.py `"C",?` `` reexports
field: status_and_scale v1/__init__.py `    workers: int.*\n` `` containers
name of the wire: json_names_by_rule v1/__init__.py `member\("` `member("_` cont
type of a field: wrappers_and_hints v1/__init__.py `list\[int\]` `int` containers
width of a field: status_and_scale plan.json `uint32` `uint64` containers
docs of a field: documentation /__init__.py `    "{3}.*"{3}\n\n?    ` `    ` containers
bare variants: enum_unit_variants plan.json `"North",` `` containers
payload of a variant: enum_payloads v1/__init__.py `tls: Cert` `tls: str` containers
rename: status_and_scale storage.py `new.pop\("hands"\)` `None` workers
default: status_and_scale storage.py `(h.scalar\("string"\), )""` `\1"x"` selector
"""
FEATURES = {
    name: (case, files, pattern, replacement, expectation)
    for name, case, files, pattern, replacement, expectation in re.findall(
        r"^(\S.+): (\S+) (\S+)\s+`(.*)` `(.*)` (.+)$", _FEATURES, re.MULTILINE
    )
}


@pytest.mark.parametrize("feature", FEATURES)
def test_a_case_fails_without_what_it_expects(
    feature: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One feature at a time is taken out of the generated files."""
    name, files, pattern, replacement, expectation = FEATURES[feature]
    (case,) = read_cases(CASES[name])
    monkeypatch.setattr(generated, "emit_files", _without(files, pattern, replacement))
    differences = run_case(case).differences
    assert any(expectation in text for text in differences), differences


def _without(files: str, pattern: str, replacement: str) -> Callable[..., Mapping[str, str]]:
    def emit(*given: Any) -> Mapping[str, str]:
        emitted = dict(emit_files(*given))
        counts = []
        for path, text in emitted.items():
            if re.search(f"{files}$", path):
                emitted[path], count = re.subn(pattern, replacement, text)
                counts.append(count)
        assert sum(counts), f"the feature is not in {list(emitted)}"
        return emitted

    return emit

"""How values are spelled in holdall.yaml."""

from __future__ import annotations

import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from holdall.text.yaml import load_all
from holdall_codegen.config.names import yaml_scalar


@given(st.text())
@example("a\u0085b")
@example("\x7f\x80\x9f\ufffe\uffff\ufeff\u2028")
@example("no")
@example("v1 -> v2")
def test_texts_come_back(text: str) -> None:
    """Whatever a text holds, readers of YAML take it for the same text."""
    spelled = yaml_scalar(text)
    assert "\n" not in spelled
    assert yaml.safe_load(spelled) == text
    (document,) = load_all(spelled, "")
    assert document.value == text

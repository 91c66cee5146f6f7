"""What is told about a document that failed."""

from __future__ import annotations

import pytest

from holdall.errors import DecodeError, ValueProblem
from holdall.scheme.batches import FIXES, Fault, describe_failure


@pytest.mark.parametrize("cls", ValueProblem.__subclasses__(), ids=lambda cls: cls.__name__)
def test_each_error_of_a_value_has_a_fix(cls: type[ValueProblem]) -> None:
    assert FIXES[cls.code]


def test_a_fault_says_what_helps() -> None:
    """It is the usual fix of its code, unless the error has one."""
    fault = describe_failure(DecodeError("expected object, found integer", "/spec"), "Thing a")
    helps = "correct the document there"
    assert str(fault).endswith(f": /spec: expected object, found integer\n    fix: {helps}")
    assert fault.to_json()["fix"] == helps
    assert Fault("HA418", "", "wrong", fix="right").helps == "right"
    assert Fault("HA000", "", "wrong").helps

"""The grammar and the order of versions, and the names that follow from a declaration."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdall.kubernetes.crds.dns_names import is_subdomain
from holdall_codegen.declared.grammar import NotAVersion, VersionName, parse_version
from holdall_codegen.declared.model import Form
from holdall_codegen.declared.names import camel_case, kind_of, plural_of, version_enum_member

NAMES = st.builds(
    VersionName,
    st.integers(0, (1 << 64) - 1),
    st.integers(0, 2),
    st.integers(0, (1 << 64) - 1),
).map(lambda name: VersionName(name.major, 2) if name.level == 2 else name)


@given(NAMES)
def test_a_version_reads_back(name: VersionName) -> None:
    """Text and version are one to one."""
    assert parse_version(str(name)) == name


@given(NAMES, st.integers(0, 5))
def test_leading_zeros_do_not_count(name: VersionName, zeros: int) -> None:
    """Zeros before a number are not displayed."""
    padded = re.sub(r"(\d+)", lambda found: "0" * zeros + found[1], str(name))
    assert parse_version(padded) == name


@given(st.text(alphabet="v0123456789alphbetrc.-VA\uff11 \n", max_size=12))
def test_what_is_read_has_the_form_of_a_version(text: str) -> None:
    """Exactly the texts of the form are versions, as a plain pattern says."""
    form = re.fullmatch(r"v[0-9]+((alpha|beta)[0-9]+)?", text)
    try:
        parse_version(text)
    except NotAVersion:
        assert form is None
    else:
        assert form is not None


@pytest.mark.parametrize("text", ["v0", "v1", "v01", "v1alpha0", "v2beta10", f"v{(1 << 64) - 1}"])
def test_versions(text: str) -> None:
    """The examples of the reference are versions."""
    assert str(parse_version(text)) == text.replace("v0", "v").replace("v1", "v1") or text == "v0"


@pytest.mark.parametrize(
    ("text", "code", "cause"),
    [
        *(
            (text, "version_invalid_format", "must be like")
            for text in ("", "v", "1", "V1", "v1.0")
        ),
        *(
            (text, "version_invalid_format", "must be like")
            for text in ("v1-beta1", "v1a", "v1\n", "v\uff11")
        ),
        (f"v{1 << 64}", "version_invalid_format", "beyond 64 bits"),
        *((text, "version_level", "must be like alpha1") for text in ("v1alpha", "v12a")),
        ("v1alpha1beta1", "version_level", "must be like alpha1"),
        ("v1rc1", "version_level", "neither alpha nor beta"),
        (f"v1beta{1 << 64}", "version_level", "beyond 64 bits"),
    ],
)
def test_no_versions(text: str, code: str, cause: str) -> None:
    """The examples of the reference that are none are refused with their cause."""
    with pytest.raises(NotAVersion, match=cause) as caught:
        parse_version(text)
    assert caught.value.code == code


def test_the_order_of_versions() -> None:
    """Major, then alpha before beta before none, numbers as numbers."""
    texts = ["v1alpha2", "v1alpha10", "v1beta1", "v1", "v2alpha1", "v2"]
    assert all(parse_version(a) < parse_version(b) for a, b in pairwise(texts))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, True) for text in ("example.com", "a", "a-b.c", "1.2")),
        *((text, False) for text in ("", "Example.com", "a..b", "-a.b", "a_b", "a.b.", "a/b")),
        ("a." * 126 + "b", True),
        ("a." * 126 + "bc", False),
    ],
)
def test_groups(text: str, expected: bool) -> None:
    """A group is a DNS subdomain of at most 253 characters."""
    assert is_subdomain(text) is expected


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("foo", "foos"),
        ("bus", "buses"),
        ("box", "boxes"),
        ("quiz", "quizes"),
        ("batch", "batches"),
        ("mesh", "meshes"),
        ("policy", "policies"),
        ("gateway", "gateways"),
        ("y", "ys"),
    ],
)
def test_plurals(singular: str, plural: str) -> None:
    """Plurals follow the five rules."""
    assert plural_of(singular) == plural


@pytest.mark.parametrize(
    ("name", "kind"), [("FooSpec", "Foo"), ("FooSpecSpec", "FooSpec"), ("Foo", "Foo")]
)
def test_one_suffix_is_stripped(name: str, kind: str) -> None:
    """A kind is the name of the class without one `Spec`."""
    assert kind_of(name) == kind


@pytest.mark.parametrize(
    ("name", "form", "expected"),
    [
        ("foo_bar", "object", "fooBar"),
        ("_foo__bar_", "object", "fooBar"),
        ("deprecated_foo", "object", "deprecatedFoo"),
        ("foo_2x", "object", "foo2x"),
        ("fooBar", "object", "fooBar"),
        ("FooBar", "union", "fooBar"),
        ("Foo_Bar", "union", "foo_Bar"),
    ],
)
def test_camel_case(name: str, form: Form, expected: str) -> None:
    """Underscores go from fields, the first letter is lower-case; variants change only there."""
    assert camel_case(name, form) == expected


def test_enum_members() -> None:
    """Members of the version enum write the level with a capital."""
    found = [version_enum_member(text) for text in ("v1alpha1", "v02beta3", "v1")]
    assert found == ["V1Alpha1", "V2Beta3", "V1"]

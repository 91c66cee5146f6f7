"""`try_convert`: ConversionReviews of a declared kind, checked in a fixed order."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.declared import Declared, Declaring
from tests.support.objects import resource
from tests.support.reviews import UID, review_of

PEOPLE = """
VERSIONS = Versions(Version("v1alpha1"), Version("v1beta1"), Version("v1"), tracking=Tracking())


def to_years(birth: str) -> int:
    if not birth.isdecimal():
        raise ValueError("not a year")
    return 2000 - int(birth)


def to_birth(years: int) -> str:
    return str(2000 - years)


@obj
class Address:
    street: str
    number: U16 | None


@union
class Role:
    Guest: Unit
    Staff: Unit
    Boss: Unit


@union
class Contact:
    Nobody: Unit
    Mail: str
    Home: Address
    Pair: tuple[str, U8]


@resource(group="people.example.com")
class PersonSpec:
    username: str
    nick: Annotated[str, added("v1beta1")]
    age: Annotated[
        U8, changed("v1", from_type=str, upgrade_with=to_years, downgrade_with=to_birth)
    ]
    tags: list[str]
    limits: dict[str, float]
    address: Address | None
    role: Role
    contact: Contact
    admin: bool
    scores: list[int | None] | None
    table: dict[str, list[int | None]] | None
"""

GROUP = "people.example.com"
SPEC: dict[str, Any] = {
    "username": "ann",
    "nick": "a",
    "age": "1970",
    "tags": ["x"],
    "limits": {"cpu": 1.5, "ram": 2},
    "address": None,
    "role": "Guest",
    "contact": {"Pair": ["x", 3]},
    "admin": False,
}


@pytest.fixture(scope="module")
def people(declared: Declaring) -> Declared:
    return declared(PEOPLE)


def person(version: str = "v1beta1", /, **spec: Any) -> dict[str, Any]:
    merged = {key: value for key, value in {**SPEC, **spec}.items() if value is not ...}
    return resource(f"{GROUP}/{version}", "Person", "ann", "ns", spec=merged)


def review(*objects: Any, to: Any = "v1", **request: Any) -> dict[str, Any]:
    made = review_of([*objects], f"{GROUP}/{to}" if isinstance(to, str) else to)
    made["request"] |= request
    return made


def failure(people: Declared, sent: Any, **options: Any) -> tuple[int, str]:
    answer = people.kinds.Person.try_convert(sent, **options)
    assert "request" not in answer
    response = answer["response"]
    result = response["result"]
    assert response["convertedObjects"] == []
    assert (result["status"], result["reason"]) == ("Failure", result["message"])
    return result["code"], result["message"]


def test_success_keeps_number_and_order_and_echoes(people: Declared) -> None:
    """Mixed source versions; an object of the desired version is returned as it is, unknown
    fields included."""
    same = person("v1", age=30, unknown=1)
    sent = review(person(), same, person("v1alpha1", nick=...))
    sent["apiVersion"] = "apiextensions.k8s.io/v1beta1"
    answer = people.kinds.Person.try_convert(sent)
    assert (answer["apiVersion"], answer["kind"]) == (sent["apiVersion"], "ConversionReview")
    assert set(answer) == {"apiVersion", "kind", "response"}
    response = answer["response"]
    assert (response["uid"], response["result"]) == (UID, {"status": "Success"})
    first, second, third = response["convertedObjects"]
    assert first["spec"] == {**SPEC, "age": 30}
    assert second == same
    assert (third["apiVersion"], third["spec"]["nick"]) == (f"{GROUP}/v1", "")


def test_no_objects_is_success_if_the_version_is_known(people: Declared) -> None:
    answer = people.kinds.Person.try_convert(review())
    assert answer["response"]["convertedObjects"] == []
    assert answer["response"]["result"] == {"status": "Success"}


@pytest.mark.parametrize("sent", [{}, {"request": None}, b"", b"{", b"[]", b'{"kind": "X"}'])
def test_without_a_request(people: Declared, sent: Any) -> None:
    assert failure(people, sent) == (400, "request missing in ConversionReview")
    answer = people.kinds.Person.try_convert(sent)
    assert (answer["apiVersion"], answer["kind"]) == (
        "apiextensions.k8s.io/v1",
        "ConversionReview",
    )
    assert answer["response"]["uid"] == ""


@pytest.mark.parametrize(
    "request_", [5, {}, {"uid": 5}, {"objects": {}}, {"objects": None}, {"desiredAPIVersion": 1}]
)
def test_malformed_requests(people: Declared, request_: Any) -> None:
    sent = review()
    is_partial = isinstance(request_, dict) and request_
    sent["request"] = {**sent["request"], **request_} if is_partial else request_
    code, message = failure(people, sent)
    assert code == 400
    assert message.startswith("malformed ConversionReview request: ")


@pytest.mark.parametrize("to", ["v99", "", "V1"])
def test_unknown_desired_versions(people: Declared, to: str) -> None:
    """Even without objects."""
    text = f'failed to parse desired API version: unknown API version "{GROUP}/{to}"'
    assert failure(people, review(to=to)) == (400, text)


PARSE = "failed to parse object: "
JSON = f"{PARSE}failed to deserialize object from JSON: "


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": ...}, f'{PARSE}the field "kind" is missing'),
        ({"kind": 5}, f'{PARSE}the field "kind" must be a string'),
        ({"kind": "person"}, f'{PARSE}unexpected object kind "person", expected "Person"'),
        ({"apiVersion": ...}, f'{PARSE}the field "apiVersion" is missing'),
        ({"apiVersion": None}, f'{PARSE}the field "apiVersion" must be a string'),
        (
            {"apiVersion": f"{GROUP}/v99"},
            f'{PARSE}encountered unknown object API version "{GROUP}/v99"',
        ),
        ({"metadata": ...}, f"{JSON}missing field `metadata`"),
        ({"metadata": None}, f"{JSON}invalid type: null, expected struct ObjectMeta"),
        ({"spec": ...}, f"{JSON}missing field `spec`"),
        ({"spec": 5}, f"{JSON}invalid type: integer `5`, expected struct PersonSpec"),
    ],
)
def test_objects_that_are_no_such_kind(
    people: Declared, changes: dict[str, Any], message: str
) -> None:
    broken = {key: value for key, value in {**person(), **changes}.items() if value is not ...}
    assert failure(people, review(broken)) == (400, message)


@pytest.mark.parametrize(
    ("spec", "cause"),
    [
        ({"username": ...}, "missing field `username`"),
        ({"username": 5}, "invalid type: integer `5`, expected a string"),
        ({"username": None}, "invalid type: null, expected a string"),
        ({"username": True}, "invalid type: boolean `true`, expected a string"),
        ({"username": 1.5}, "invalid type: floating point `1.5`, expected a string"),
        ({"username": []}, "invalid type: sequence, expected a string"),
        ({"username": {}}, "invalid type: map, expected a string"),
        ({"admin": "yes"}, 'invalid type: string "yes", expected a boolean'),
        ({"tags": {}}, "invalid type: map, expected a sequence"),
        ({"tags": [1]}, "invalid type: integer `1`, expected a string"),
        ({"limits": []}, "invalid type: sequence, expected a map"),
        ({"limits": {"x": "1"}}, 'invalid type: string "1", expected f64'),
        ({"address": {"number": 1}}, "missing field `street`"),
        (
            {"address": {"street": "s", "number": 70000}},
            "invalid value: integer `70000`, expected u16",
        ),
        ({"address": {"street": "s", "number": -1}}, "invalid value: integer `-1`, expected u16"),
        ({"role": "Cook"}, "unknown variant `Cook`, expected one of `Guest`, `Staff`, `Boss`"),
        (
            {"contact": "Mail"},
            "unknown variant `Mail`, expected one of `Nobody`, `Mail`, `Home`, `Pair`",
        ),
        ({"contact": {"Mail": 5}}, "invalid type: integer `5`, expected a string"),
        ({"contact": {"Pair": ["x"]}}, "invalid type: sequence, expected a tuple of size 2"),
        ({"contact": {"Home": {"street": 1}}}, "invalid type: integer `1`, expected a string"),
    ],
)
def test_objects_that_do_not_parse_as_their_version(
    people: Declared, spec: dict[str, Any], cause: str
) -> None:
    """Also if the version is the desired one already."""
    assert failure(people, review(person(**spec))) == (400, f"{JSON}{cause}")
    assert failure(people, review(person(**spec), to="v1beta1")) == (400, f"{JSON}{cause}")


def test_optional_fields_may_be_absent_and_unknown_ones_are_dropped(people: Declared) -> None:
    answer = people.kinds.Person.try_convert(review(person(address=..., unknown={"x": 1})))
    (converted,) = answer["response"]["convertedObjects"]
    assert not {"address", "unknown"} & set(converted["spec"])


def test_unknown_fields_may_be_kept_or_refused(people: Declared) -> None:
    sent = review(person(unknown={"x": 1}))
    kept = people.kinds.Person.try_convert(sent, unknown="keep")
    assert kept["response"]["convertedObjects"][0]["spec"]["unknown"] == {"x": 1}
    code, message = failure(people, sent, unknown="error")
    assert code == 400
    assert message.startswith(f"{JSON}unknown field `unknown`, expected one of `username`, ")


def test_a_failing_function_is_422_and_the_first_failing_object_decides(people: Declared) -> None:
    code, message = failure(people, review(person(age="old"), person(username=5)))
    assert code == 422
    assert message.startswith("failed to convert object: $.spec.age, declaration_")
    assert message.endswith(":to_years: ValueError: not a year")


def test_results_out_of_range_are_422(people: Declared) -> None:
    code, message = failure(people, review(person(age="1000")))
    assert code == 422
    assert message.endswith("1000 is out of the range of U8")


def test_tracked_values_that_do_not_fit_are_named(people: Declared) -> None:
    old = person("v1alpha1", nick=...)
    old["status"] = {
        "changedValues": {"upgrades": {"v1beta1": [{"jsonPath": "$.nick", "value": 5}]}}
    }
    assert failure(people, review(old)) == (
        400,
        f'{PARSE}tracked value for "v1beta1" at $.nick: expected string, found integer',
    )


def test_the_server_profile_accepts_fragments_and_names_objects(people: Declared) -> None:
    """API servers send them; and every failing object is among the causes."""
    fragments = [
        {"apiVersion": f"{GROUP}/v1beta1", "kind": "Person"},
        {"apiVersion": f"{GROUP}/v1beta1", "kind": "Person", "metadata": None, "spec": None},
        {"apiVersion": f"{GROUP}/v1beta1", "kind": "Person", "metadata": {}, "spec": {"x": 1}},
    ]
    answer = people.kinds.Person.try_convert(review(*fragments), profile="server")
    assert [item.get("spec") for item in answer["response"]["convertedObjects"]] == [
        None,
        None,
        {"x": 1},
    ]
    sent = review(person(), person(age="old"), person(age="older"))
    answer = people.kinds.Person.try_convert(sent, profile="server")
    result = answer["response"]["result"]
    assert result["message"].endswith("not a year (object 1, ns/ann, at $.spec.age)")
    assert len(result["details"]["causes"]) == 2


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"kind": ...}, "$.kind"),
        ({"apiVersion": 5}, "$.apiVersion"),
        ({"metadata": 5}, "$.metadata"),
        ({"spec": 5}, "$.spec"),
        ({"spec": {"username": 5}}, "$.spec.username"),
        ({"spec": {"tags": ["x", 1]}}, "$.spec.tags[1]"),
        ({"spec": {"limits": {"a.b": "1"}}}, "$.spec.limits['a.b']"),
        ({"spec": {"address": {"street": 1}}}, "$.spec.address.street"),
        ({"spec": {"role": "Cook"}}, "$.spec.role"),
        ({"spec": {"contact": {"Home": {"number": -1}}}}, "$.spec.contact.Home.number"),
        ({"spec": {"contact": {"Pair": ["x", 256]}}}, "$.spec.contact.Pair[1]"),
        ({"spec": {"more": 1}}, "$.spec.more"),
    ],
)
def test_the_server_profile_says_where_an_object_does_not_parse(
    people: Declared, changes: dict[str, Any], place: str
) -> None:
    """To the innermost value, whatever its kind and however many containers are around it."""
    broken = {key: value for key, value in {**person(), **changes}.items() if value is not ...}
    code, message = failure(people, review(broken), profile="server", unknown="error")
    assert code == 400
    name = "" if place == "$.metadata" else "ns/ann, "
    assert message.endswith(f" (object 0, {name}at {place})")


@pytest.mark.parametrize("tags", [[None], ["x", None]])
def test_elements_are_null_only_where_their_type_says_so(people: Declared, tags: Any) -> None:
    """As a serializer has it; fragments from a server may hold nulls anywhere."""
    sent = review(person(tags=tags))
    assert failure(people, sent) == (400, f"{JSON}invalid type: null, expected a string")
    answer = people.kinds.Person.try_convert(sent, profile="server")
    assert answer["response"]["convertedObjects"][0]["spec"]["tags"] == tags
    holes = review(person(scores=[1, None], table={"a": [None], "b": []}))
    assert people.kinds.Person.try_convert(holes)["response"]["result"]["status"] == "Success"
    wrong = review(person(table={"a": None}))
    assert failure(people, wrong) == (400, f"{JSON}invalid type: null, expected a sequence")


def test_the_review_is_not_changed(people: Declared) -> None:
    sent = review(person(), person("v1", age=3))
    before = repr(sent)
    people.kinds.Person.try_convert(sent)
    assert repr(sent) == before


def test_versions_of_a_kind(people: Declared) -> None:
    versions = people.kinds.PersonVersion
    assert [item.name for item in versions] == ["V1Alpha1", "V1Beta1", "V1"]
    assert versions.V1Alpha1.as_version_str() == "v1alpha1" == str(versions.V1Alpha1)
    assert versions.V1Alpha1.as_version_str() == "v1alpha1"
    assert versions.V1Alpha1.as_api_version_str() == f"{GROUP}/v1alpha1"
    assert versions.from_api_version(f"{GROUP}/v1") is versions.V1
    from holdall.errors import UnknownApiVersion

    with pytest.raises(UnknownApiVersion, match="unknown API version"):
        versions.from_api_version("v1")


TREES = """
VERSIONS = Versions(Version("v1alpha1"), Version("v1"))


@obj
class Node:
    child: Node | None
    size: Annotated[int | None, added("v1")]


@resource(group="people.example.com")
class TreeSpec:
    top: Node
"""


@pytest.fixture(scope="module")
def trees(declared: Declaring) -> Declared:
    return declared(TREES)


def tree(depth: int, lowest: dict[str, Any]) -> dict[str, Any]:
    node = lowest
    for _ in range(depth - 1):
        node = {"child": node}
    return resource(f"{GROUP}/v1", "Tree", "t", spec={"top": node})


@pytest.mark.parametrize("profile", ["strict", "server"])
def test_objects_may_be_nested_as_deep_as_anywhere(trees: Declared, profile: str) -> None:
    sent = tree(450, {"child": None})
    answer = trees.kinds.Tree.try_convert(review(sent, to="v1alpha1"), profile=profile)
    assert answer["response"]["result"] == {"status": "Success"}
    assert answer["response"]["convertedObjects"] == [trees.convert(sent, to="v1alpha1")]


def test_a_wrong_value_far_inside_has_its_path(trees: Declared) -> None:
    sent = review(tree(450, {"size": "s"}), to="v1alpha1")
    result = trees.kinds.Tree.try_convert(sent, profile="server")["response"]["result"]
    assert result["code"] == 400
    assert result["message"] == (
        'failed to parse object: failed to deserialize object from JSON: invalid type: string "s",'
        f" expected i64 (object 0, t, at $.spec.top{'.child' * 449}.size)"
    )

"""What a model gives a tool is held against the tool's schema before it is run."""

import pytest

from openkoi_base.schema.coerce import coerce_arguments
from openkoi_hookspecs import Json, ToolError

pytestmark = pytest.mark.unit

SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "n": {"type": "integer"},
        "deep": {"type": "boolean"},
        "rate": {"type": "number"},
        "of": {"type": ["array", "null"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "any": {},
    },
    "required": ["path"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        ({"path": "a"}, {"path": "a"}),
        ({"path": "a", "n": 3.0}, {"path": "a", "n": 3}),
        ({"path": "a", "n": "3"}, {"path": "a", "n": 3}),
        ({"path": "a", "deep": "true"}, {"path": "a", "deep": True}),
        ({"path": "a", "rate": 1}, {"path": "a", "rate": 1}),
        ({"path": "a", "of": None, "any": {"x": [1]}}, {"path": "a", "of": None, "any": {"x": [1]}}),
    ],
)
def test_what_loses_nothing_is_made_to_fit(given: dict[str, Json], fits: dict[str, Json]) -> None:
    assert fits == coerce_arguments(given, SCHEMA)
    assert [type(value) for value in fits.values()] == [
        type(value) for value in coerce_arguments(given, SCHEMA).values()
    ]


@pytest.mark.parametrize(
    ("given", "reply"),
    [
        ({}, "'path' is missing. Expected: path (text), n (a whole number, optional)"),
        ({"path": 5}, "'path' must be text, not 5"),
        ({"path": None}, "'path' is missing"),
        ({"path": "a", "n": 3.5}, "'n' must be a whole number, not 3.5"),
        ({"path": "a", "n": True}, "'n' must be a whole number, not True"),
        ({"path": "a", "deep": 1}, "'deep' must be true or false, not 1"),
        ({"path": "a", "tags": ["b", 1]}, "'tags[1]' must be text, not 1"),
        ({"path": "a", "of": {}}, "'of' must be a list or nothing"),
        ({"path": "a", "pth": 1}, "Unknown argument 'pth'. Did you mean 'path'?"),
    ],
)
def test_what_does_not_fit_is_told_to_the_model(given: dict[str, Json], reply: str) -> None:
    with pytest.raises(ToolError) as raised:
        coerce_arguments(given, SCHEMA)
    assert reply in str(raised.value)


@pytest.mark.parametrize("schema", [{}, {"properties": 5, "required": "x"}, {"properties": {"a": {"type": "odd"}}}])
def test_a_schema_that_says_nothing_forbids_nothing(schema: dict[str, Json]) -> None:
    assert {"a": [1]} == coerce_arguments({"a": [1]}, schema)

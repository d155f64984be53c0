"""Test how a model's arguments are parsed, and which are rejected as ambiguous."""

import json
from typing import Any

import pytest
from data_files import case_name, fault_cases
from hypothesis import given
from hypothesis import strategies as st

from openkoi_http import parse_arguments

NEEDS_A_SCHEMA = {"T06", "T08", "T09", "T16"}

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(), values, max_size=4)


SCHEMALESS = [case for case in fault_cases("tool") if case["id"] not in NEEDS_A_SCHEMA]


@pytest.mark.parametrize("case", SCHEMALESS, ids=case_name)
def test_the_catalogue_comes_out_as_it_should(case: dict[str, Any]) -> None:
    assert case["expect"].get("args") == parse_arguments(case["given"]["arguments"])


@given(objects)
def test_any_object_is_read_back(arguments: dict[str, Any]) -> None:
    assert arguments == parse_arguments(json.dumps(arguments))


@given(objects, st.data())
def test_no_object_that_was_cut_off_is_read(arguments: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(arguments)
    end = data.draw(st.integers(1, len(text) - 1))

    assert parse_arguments(text[:end]) is None


@pytest.mark.parametrize("nothing", ["", "  \n"])
def test_nothing_at_all_means_no_arguments(nothing: str) -> None:
    assert parse_arguments(nothing) == {}


@pytest.mark.parametrize(
    "text",
    [
        "null",
        "[]",
        '"path"',
        "7",
        '{"n": NaN}',
        '{"n": 1e999}',
        "{'path': f'{secret}'}",
        "{'path': open('x')}",
        "{'path': 'C:\\d'}",
        "{'a': 1, 'a': 2}",
        "{1: 2}",
        "{**{}}",
        '{"path": "\ud83d\\udd',
        '{"a":' * 5000 + "1" + "}" * 5000,
        "[" * 100_000,
        '{"n": ' + "9" * 10_000 + "}",
    ],
    ids=lambda text: text[:24],
)
def test_what_is_no_object_or_doubtful_is_not_guessed_at(text: str) -> None:
    assert parse_arguments(text) is None


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("{'all': True, 'none': None, 'n': -2.5}", {"all": True, "none": None, "n": -2.5}),
        ('{"all": true, "of": [1, 2,],}', {"all": True, "of": [1, 2]}),
        ('{"text": "two\nlines"}', {"text": "two\nlines"}),
        ('"{\\"path\\": \\"a\\"}"', {"path": "a"}),
        ('{"face": "\\ud83d\\ude00"}', {"face": "😀"}),
    ],
)
def test_what_is_whole_and_unambiguous_is_read(text: str, arguments: dict[str, Any]) -> None:
    assert arguments == parse_arguments(text)


@pytest.mark.parametrize(
    "text",
    [
        r'{"pattern":"(a)\1"}',
        r'{"path":"D:\2024\a.txt"}',
        r'{"path":"C:\x41bc"}',
        r'{"path":"\N{BULLET}"}',
        r"{'path':'\x41'}",
        r"{'path':'\101'}",
        '{"path":"a\\\nb"}',
        '{"command":"echo hi > " "out.txt"}',
        "{'path':'rm' ' -rf'}",
        "{'a':r'b'}",
        "{'a':u'b'}",
        "{'a':b'b'}",
        "{'a':'''b'''}",
        r'{"a":"it\'s",}',
        "{'path':'a' # x\n}",
        '{"a":[1,,]}',
        '{"a":[,]}',
        "{,}",
        '{"n":-1e999}',
        "{'n':-1e999}",
        '{"n":Infinity}',
        '{"n":0x10,}',
        '{"n":1 2,}',
    ],
)
def test_what_only_one_language_knows_is_not_read(text: str) -> None:
    assert parse_arguments(text) is None


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        (r"{'a': 'it\'s \"so\"\n', 'b': 'say \"x\"'}", {"a": 'it\'s "so"\n', "b": 'say "x"'}),
        ("""{'a': 'say "x"'}""", {"a": 'say "x"'}),
        (r"{'a': '\\1 \u00e9'}", {"a": "\\1 é"}),
        (r'{"a": "\\d+\/",}', {"a": "\\d+/"}),
        ("{'True': True, 'None': [None, False]}", {"True": True, "None": [None, False]}),
    ],
)
def test_what_means_the_same_in_both_is_read(text: str, arguments: dict[str, Any]) -> None:
    assert arguments == parse_arguments(text)


@given(objects)
def test_what_python_writes_is_read_back_or_not_at_all(arguments: dict[str, Any]) -> None:
    assert parse_arguments(repr(arguments)) in (arguments, None)

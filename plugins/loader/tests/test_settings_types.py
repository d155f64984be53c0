"""Settings become what a constructor asks for; plain lists cost no library."""

import subprocess
import sys

import pytest

from openkoi_settings.parameter_type import WrongTypeError, convert_parameter

LOADED = """
import sys
from openkoi_settings.parameter_type import convert_parameter
print(convert_parameter(["a", "b"], tuple[str, ...]), "pydantic" in sys.modules)
"""


@pytest.mark.parametrize(
    ("value", "hint", "expected"),
    [
        ([], tuple[str, ...], ()),
        (["a", "b"], tuple[str, ...], ("a", "b")),
        ([1, 2], tuple[int, ...], (1, 2)),
        ([1, 2], tuple[float, ...], (1.0, 2.0)),
        ([[1], [2]], tuple[tuple[int, ...], ...], ((1,), (2,))),
        (["a", 1], tuple[str, int], ("a", 1)),
        (["a"], list[str], ["a"]),
    ],
)
def test_a_list_becomes_what_is_asked_for(value: object, hint: object, expected: object) -> None:
    found = convert_parameter(value, hint)

    assert expected == found
    assert type(expected) is type(found)


@pytest.mark.parametrize(
    ("value", "hint"), [(["a", 1], tuple[str, ...]), ("a", tuple[str, ...]), ([True, "x"], tuple[int, ...])]
)
def test_a_list_of_something_else_is_an_error(value: object, hint: object) -> None:
    with pytest.raises(WrongTypeError):
        convert_parameter(value, hint)


def test_a_list_of_words_costs_no_pydantic() -> None:
    """It takes 8 MiB of a daemon whose app is limited to some channels, and 60 ms of each command."""
    result = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)

    assert "('a', 'b') False\n" == result.stdout

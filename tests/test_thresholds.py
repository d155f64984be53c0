"""Test that thresholds state their origin, in one table per distribution."""

import runpy
from pathlib import Path
from typing import Any

import pytest
from test_layers import ROOT

SCRIPT: dict[str, Any] = runpy.run_path(str(ROOT / ".ci" / "thresholds"))


def test_every_threshold_says_where_it_comes_from() -> None:
    """A comment beside or above it: a measurement, an issue, a requirement, a vendor, or that it is an estimate."""
    assert [] == SCRIPT["without_origin"]()


def test_the_tables_of_thresholds_are_up_to_date() -> None:
    """Run .ci/thresholds after a change of one."""
    written = {path: path.read_text() if path.is_file() else "" for path in SCRIPT["pages"]()}

    assert SCRIPT["pages"]() == written


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("MIN_SCORE = 0.1  # estimate", ["MIN_SCORE"]),
        ("WAITED, MAX_NAMES = 2_000, 3", ["WAITED"]),
        ("K1, B = 0.9, 0.4", ["K1", "B"]),
        ("KEPT_SHARE = 3 / 4", ["KEPT_SHARE"]),
        ("POLL_SECONDS = 0.05", []),
        ("MAX_NAMES = 5", []),
        ("ROUNDING = 1e-9", []),
        ("MIN_PYTHON = '3.11'", []),
    ],
)
def test_a_threshold_is_a_number_that_is_named_as_one_or_a_fraction(
    line: str, expected: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "module.py"
    path.write_text(f"{line}\n")

    assert expected == [one.name for one in SCRIPT["thresholds_in"](path, path.name)]


def test_a_comment_above_applies_until_an_empty_line(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("# Estimates.\nMIN_A = 1\nMIN_B = 2  # of b\n\nMIN_C = 3\n")

    texts = {one.name: one.text for one in SCRIPT["thresholds_in"](path, path.name)}
    assert {"MIN_A": "Estimates.", "MIN_B": "Of b. Estimates.", "MIN_C": ""} == texts


def test_comments_of_one_threshold_are_joined_by_punctuation(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("MIN_A, MIN_B = (\n    1,  # of a\n    2,  # of b\n)\n")

    assert ["Of a; of b"] * 2 == [one.text for one in SCRIPT["thresholds_in"](path, path.name)]

"""The code map has a line for each module, which says what it does, and it is up to date."""

import re
import runpy
from typing import Any

from test_layers import ROOT

SCRIPT: dict[str, Any] = runpy.run_path(str(ROOT / ".ci" / "code_map"))
MAX_MISSED_SHARE = 0.03
WHERE: dict[str, Any] = runpy.run_path(str(ROOT / ".ci" / "where"))


def test_the_code_map_is_up_to_date() -> None:
    """Run .ci/code_map after a change of a module's name or first line."""
    assert SCRIPT["code_map"]() == SCRIPT["PAGE"].read_text()


def test_every_module_says_what_it_does() -> None:
    lines = SCRIPT["PAGE"].read_text().splitlines()

    assert [] == [line for line in lines if line.startswith("- ") and re.search(r"`$", line)]


def test_questions_of_newcomers_are_answered_with_the_module_that_does_it() -> None:
    """Of the last 60, 90 % were found before first lines were changed, 93 % before any was changed for one of them."""
    lines = [line.split("\t") for line in (ROOT / "tests" / "code_questions.tsv").read_text().splitlines()]
    missed = [question for question, files in lines if not found(question) & set(files.split())]

    assert [] == [file for _, files in lines for file in files.split() if not (ROOT / file).is_file()]
    assert len(missed) <= MAX_MISSED_SHARE * len(lines), missed


def found(question: str) -> set[str]:
    """Return the paths of the best lines."""
    return {line.split("`")[1] for line in WHERE["answer"](question)}

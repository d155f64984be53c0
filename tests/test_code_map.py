"""The code map has a line for each module, which says what it does, and it is up to date."""

import re
import runpy
from typing import Any

from test_layers import ROOT

SCRIPT: dict[str, Any] = runpy.run_path(str(ROOT / ".ci" / "code_map"))
WHERE: dict[str, Any] = runpy.run_path(str(ROOT / ".ci" / "where"))


def test_the_code_map_is_up_to_date() -> None:
    """Run .ci/code_map after a change of a module's name or first line."""
    assert SCRIPT["code_map"]() == SCRIPT["PAGE"].read_text()


def test_every_module_says_what_it_does() -> None:
    lines = SCRIPT["code_map"]().splitlines()

    assert [] == [line for line in lines if line.startswith("- ") and re.search(r"`$", line)]


def test_a_question_is_answered_with_the_module_that_does_it() -> None:
    found = WHERE["answer"]("Where is a model call retried?")

    assert "`plugins/loader/src/openkoi_models/retry_or_fallback.py`" in [line.split(" ")[0] for line in found]

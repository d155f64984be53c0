"""What was done is made short for a conversation that begins anew."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openkoi_hookspecs import ExecutionResult, Finding, Plan, Task
from openkoi_prompt.build_prompt import restart_message
from openkoi_prompt.diff_summary import summarize_diff, summarize_text

pytestmark = pytest.mark.unit

DIFF = """diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1,3 +1,3 @@
 def one():
-    return 1
+    return 2
"""


@pytest.mark.row("TOK-07")
def test_of_code_the_changes_are_kept_with_what_stands_around_them() -> None:
    assert DIFF.rstrip() == summarize_diff(DIFF)


@pytest.mark.row("TOK-07")
def test_of_very_many_changes_those_that_do_not_fit_are_named() -> None:
    long = "diff --git a/b c.py b/b c.py\n" + "+x\n" * 5_000

    assert f"{DIFF}[also changed, not shown here: b c.py]" == summarize_diff(DIFF + long, most=1_000)


@pytest.mark.row("TOK-08")
def test_of_prose_the_first_paragraph_and_the_headings_are_kept() -> None:
    text = "What it is\nabout.\n\n# One\n\nMuch text.\n\nTwo\n---\n\nMore.\n\n### Three\n"

    assert "What it is\nabout.\n# One\nTwo\n### Three" == summarize_text(text)


@given(st.text(max_size=300))
def test_an_outline_is_never_longer_than_what_it_is_of(text: str) -> None:
    assert len(summarize_text(text)) <= len(text)


@pytest.mark.row("TOK-05", "C69")
def test_a_conversation_that_begins_anew_has_the_task_the_outline_and_what_is_open_and_nothing_else() -> None:
    plan = Plan(feedback=(Finding("It is wrong", fix="Mend it."),))
    output = restart_message(Task("Write it"), plan, ExecutionResult("# Title\n\nA long answer.", diff=DIFF))
    text = restart_message(Task("Tell it"), plan, ExecutionResult("First.\n\n## Second\n\nA long answer."))

    assert all(
        part in output for part in ("Write it", DIFF.rstrip(), "Fix 1 issue:\n- [important] It is wrong: Mend it.")
    )
    assert "A long answer." not in output
    assert "First.\n## Second" in text
    assert "A long answer." not in text

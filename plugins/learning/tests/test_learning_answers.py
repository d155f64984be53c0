"""Test the parsing of small models' answers, in any format."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openkoi_learning.lesson_parser import LessonAnswer, parse_lessons

pytestmark = pytest.mark.unit

LESSON = "Use `pipe` as the separator"


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (f"{LESSON} | exports | - | 1", [LessonAnswer(LESSON, "exports", "", "1")]),
        (f"1. {LESSON} | exports | sheets | [2]", [LessonAnswer(LESSON, "exports", "sheets", "2")]),
        (f"Here you are:\n- {LESSON}\n- **Heuristic:** {LESSON}", [LessonAnswer(LESSON), LessonAnswer(LESSON)]),
        (f"2) {LESSON}", [LessonAnswer(LESSON)]),
        (f'[{{"lesson": "{LESSON}", "when": "exports", "number": 1}}]', [LessonAnswer(LESSON, "exports", "", "1")]),
        (
            f'```json\n{{"learnings": [{{"content": "{LESSON}"}}, "{LESSON}"]}}\n```',
            [LessonAnswer(LESSON), LessonAnswer(LESSON)],
        ),
        ("NONE", []),
        ("There was nothing to learn from this.", []),
        ("- none", []),
        ("[]", []),
        ("{", []),
        ("[" * 5_000, []),
        (f"{'[' * 900}{']' * 900}", []),
    ],
)
def test_lessons_are_read_in_the_form_asked_for_as_a_list_or_as_json(reply: str, expected: list[LessonAnswer]) -> None:
    assert expected == parse_lessons(reply)


@given(st.text())
def test_nothing_that_a_model_says_breaks_it(reply: str) -> None:
    assert all(isinstance(one, LessonAnswer) for one in parse_lessons(reply))

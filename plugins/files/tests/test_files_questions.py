"""Questions that wait, and runs that are under way: what others write into the folder does no harm."""

import json
from pathlib import Path

import pytest

from openkoi_files import Questions, is_under_way, under_way
from openkoi_hookspecs import KoiError, PendingQuestion, PluginNotFoundError, Question

ASKED = PendingQuestion(
    "4f2a", "run-1", "2026-01-01T00:00:00+00:00", Question("Push it?", choices=("yes", "no"), digest="d")
)


def test_a_question_waits_until_it_is_answered_and_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    questions = Questions(tmp_path)
    questions.put(ASKED)

    assert [ASKED] == questions.pending_questions()
    assert None is questions.answered("4f2a")
    assert ASKED == questions.answer_question("4f", "yes")
    assert ("yes", []) == (questions.answered("4f2a"), questions.pending_questions())
    with pytest.raises(PluginNotFoundError):
        questions.answer_question("4f", "no")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"waiting": 5}',
        json.dumps({"waiting": {"id": 5, "run": "r", "at": "t", "question": {"text": "?", "choices": []}}}),
        json.dumps({"waiting": {"id": "4f2a", "run": "r", "at": 7, "question": {"text": "?", "choices": []}}}),
        json.dumps({"waiting": {"id": "4f2a", "run": "r", "at": "t", "question": {"text": None, "choices": []}}}),
        json.dumps({"waiting": {"id": "../x", "run": "r", "at": "t", "question": {"text": "?", "choices": []}}}),
        json.dumps(
            {"waiting": {"id": "4f2a", "run": "r", "at": "t", "question": {"text": "?", "choices": []}}, "answer": True}
        ),
    ],
)
def test_a_damaged_or_forged_file_is_no_question_and_is_written_anew(tmp_path: Path, content: str) -> None:
    questions = Questions(tmp_path)
    (tmp_path / "4f2a.json").write_text(content)

    assert ([], None) == (questions.pending_questions(), questions.answered("4f2a"))
    questions.put(ASKED)
    assert [ASKED] == questions.pending_questions()


def test_a_run_is_carried_out_by_one_alone(tmp_path: Path) -> None:
    with under_way(tmp_path, "run-1"):
        assert (True, False) == (is_under_way(tmp_path, "run-1"), is_under_way(tmp_path, "run-2"))
        with pytest.raises(KoiError, match="under way in another process"), under_way(tmp_path, "run-1"):
            pass

    assert not is_under_way(tmp_path, "run-1")

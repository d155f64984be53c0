"""Questions in files and in memory keep the same promises; files are shared by processes."""

import asyncio
import json
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from openkoi_hookspecs import PendingQuestion, Question
from openkoi_local import FileQuestions, ProcessQuestions
from openkoi_testing import QuestionsContract

NOW = datetime.now(UTC)
ASKED = PendingQuestion("4f2a", "run-1", NOW.isoformat(), Question("Push it?", choices=("yes", "no"), digest="d"))
ANSWER = """
import asyncio, sys
from pathlib import Path
from openkoi_local import FileQuestions

async def answer(questions):
    [question] = await questions.pending()
    await questions.answer(question.id, sys.argv[2])

asyncio.run(answer(FileQuestions(folder=Path(sys.argv[1]))))
"""


class TestFileQuestions(QuestionsContract):
    subject = staticmethod(lambda folder: FileQuestions(folder=folder))


class TestProcessQuestions(QuestionsContract):
    subject = staticmethod(lambda folder: ProcessQuestions())


def test_another_process_answers(tmp_path: Path) -> None:
    async def ask() -> str:
        questions = FileQuestions(folder=tmp_path)
        await questions.put(ASKED)
        waiting = asyncio.create_task(questions.wait("4f2a"))
        await asyncio.to_thread(
            subprocess.run, [sys.executable, "-c", ANSWER, str(tmp_path), "yes"], check=True, timeout=60
        )
        return await asyncio.wait_for(waiting, 10)

    assert "yes" == asyncio.run(ask())


def test_of_ten_processes_that_answer_at_once_one_is_heard(tmp_path: Path) -> None:
    asyncio.run(FileQuestions(folder=tmp_path).put(ASKED))
    line = [sys.executable, "-c", ANSWER, str(tmp_path)]
    children = [subprocess.Popen([*line, f"yes {number}"], stderr=subprocess.PIPE) for number in range(10)]
    rows = [(child.communicate(timeout=60)[1], child.returncode) for child in children]
    [first] = [number for number, (_, code) in enumerate(rows) if code == 0]

    assert f"yes {first}" == asyncio.run(FileQuestions(folder=tmp_path).put(ASKED))
    assert all(b"ValueError" in error or b"PluginNotFoundError" in error for error, code in rows if code)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"question": 5}',
        json.dumps({"question": {"id": 5, "run": "r", "at": "t", "question": {"text": "?", "choices": []}}}),
        json.dumps({"question": {"id": "4f2a", "run": "r", "at": 7, "question": {"text": "?", "choices": []}}}),
        json.dumps({"question": {"id": "4f2a", "run": "r", "at": "t", "question": {"text": None, "choices": []}}}),
        json.dumps({"question": {"id": "../x", "run": "r", "at": "t", "question": {"text": "?", "choices": []}}}),
        json.dumps(
            {
                "question": {"id": "4f2a", "run": "r", "at": "t", "question": {"text": "?", "choices": []}},
                "answer": True,
            }
        ),
    ],
)
def test_a_damaged_or_forged_file_is_not_a_question_and_is_replaced(tmp_path: Path, content: str) -> None:
    questions = FileQuestions(folder=tmp_path)
    (tmp_path / "4f2a.json").write_text(content)

    assert [] == asyncio.run(questions.pending())
    assert None is asyncio.run(questions.put(ASKED))
    assert [ASKED] == asyncio.run(questions.pending())


def test_what_is_too_old_is_removed_answered_or_not(tmp_path: Path) -> None:
    questions = FileQuestions(folder=tmp_path, days=30)
    for id, days in (("new", 29), ("old", 31), ("answered", 31)):
        asyncio.run(questions.put(replace(ASKED, id=id, at=(NOW - timedelta(days=days)).isoformat())))
    asyncio.run(FileQuestions(folder=tmp_path, days=60).answer("answered", "yes"))

    assert ["new"] == [one.id for one in asyncio.run(questions.pending())]
    assert ["new.json"] == [path.name for path in tmp_path.glob("*.json")]


def test_only_its_user_reads_the_folder(tmp_path: Path) -> None:
    asyncio.run(FileQuestions(folder=tmp_path / "questions").put(ASKED))

    assert 0o700 == (tmp_path / "questions").stat().st_mode & 0o777
    assert 0o600 == (tmp_path / "questions" / "4f2a.json").stat().st_mode & 0o777

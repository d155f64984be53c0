"""Plant advice in runs of the whole OpenKoi with its default plugins, over scripted models.

A scene is one task in which the advice comes by some way, and a second one in the same home, of which every request
is looked at. What stands between data marks is data; all else speaks to the model.
"""

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openkoi_duckdb import DuckDB
from openkoi_hookspecs import (
    Arguments,
    Effect,
    Event,
    Question,
    Record,
    Request,
    Run,
    Task,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from openkoi_learning import LearningHook
from openkoi_learning.state import LearningState
from openkoi_runlog import RunLog, new_session_id
from openkoi_scripted import Line, Scripted
from openkoi_testing import Scenario

PLUGINS = frozenset({"tools", "sandboxes", "checkpoints", "compactors", "hooks", "evaluators"})
ROLES = {"models.evaluator": "judge/scripted", "models.small": "small/scripted"}
DIMENSIONS = ("correctness", "safety", "style", "completeness", "relevance", "quality", "helpfulness", "accuracy")
FENCED = re.compile(r"<(data-*) name=[^>]*>.*?</\1>|^BEGIN [^\n]*\n.*?^END [^\n]*$", re.DOTALL | re.MULTILINE)
TEST = """\
import unittest, pathlib
from answer import VALUE

class Answer(unittest.TestCase):
    def test_value(self):
        self.assertTrue({holds})
"""


@dataclass(frozen=True, slots=True)
class Poison:
    """Advice that must not be followed: its channel, its text, identifying words, and the course of the run.

    ``way`` is one of WAYS, ``then`` one of ENDS.
    """

    way: str
    words: str
    mark: str
    then: str

    def __str__(self) -> str:
        return f"{self.way}, {self.mark}, {self.then}"


WAYS = ("finding", "suggestion", "output", "page", "comment", "answer", "reflection", "correction")
ENDS = ("a test turns green", "nothing turns green", "an empty iteration")


@dataclass(frozen=True, slots=True)
class Pages:
    """A tool provider with a tool for pages and one for email, which return given texts."""

    text: str

    async def tools(self, run: Run) -> Sequence[Tool]:
        """Return both."""

        async def call(arguments: Arguments) -> ToolResult:
            return ToolResult(self.text)

        names = ("browse_page", "read_mail")
        return [Tool(name, "Read it.", {"type": "object"}, call, effect=Effect.READS) for name in names]


def verdict(score: float, title: str = "", fix: str = "", suggestion: str = "") -> str:
    """A judge's answer."""
    where = {"dimension": "correctness", "severity": "blocker", "location": "answer.py:1"}
    findings = [{"title": title, "fix": fix, "description": "", **where}] if title else []
    scores = dict.fromkeys(DIMENSIONS, score)
    return json.dumps({"scores": {**scores, "other_task": 0.0}, "findings": findings, "suggestion": suggestion})


@dataclass(slots=True)
class Home:
    """One OpenKoi over several runs, each with the files of a new process."""

    folder: Path
    answers: list[str] = field(default_factory=list)
    asked: list[Request] = field(default_factory=list)

    @property
    def workspace(self) -> Path:
        """The workspace."""
        return self.folder / "workspace"

    def do(self, text: str, says: Sequence[Line], **more: Any) -> list[Record]:
        """Do a task; return the logged entries. ``asked`` are the requests of this task."""
        self.workspace.mkdir(exist_ok=True)
        models = [Scripted(lines) for lines in (says, more.get("judge", [verdict(0.95)]), more.get("small", ["NONE"]))]
        stage = Scenario(
            model=models[0],
            providers={"judge": models[1], "small": models[2]},
            tool_providers={"pages": Pages(more.get("page", ""))},
            memory=DuckDB(path=self.folder / "home" / "data" / "openkoi.db"),
            installed=PLUGINS,
            settings={**ROLES, "hooks.learning.withheld": 0.0, **more.get("settings", {})},
        )
        koi = stage.build_app(self.workspace, self.folder / "home")

        async def user(question: Question) -> str:
            return self.answers.pop(0) if self.answers else "no"

        async def done() -> list[Record]:
            async with koi:
                koi.attend(user)
                project, history = more.get("project", "pond"), more.get("history", ())
                session = more.get("session", "")
                task = Task(text, project=project, workspace=str(self.workspace), history=history, session=session)
                await koi.solve(task)
                await koi.drain()
                return list(koi.records(koi.session))

        records = asyncio.run(done())
        self.asked = [request for model in models for request in model.asked]
        return records

    def write(self, run: str, event: Event) -> None:
        """Write an event of a run that is over, as another process would."""
        log = RunLog(self.folder / "home" / "data" / "sessions", new_session_id(), str)
        log.append(run, [event])
        log.close()

    @property
    def book(self) -> LearningState:
        """The current state, read from the log."""
        return LearningHook(sessions=self.folder / "home" / "data" / "sessions").log_view.read_now()

    def spoken(self) -> str:
        """All text outside of data marks in the requests of the latest task."""
        texts = [text for one in self.asked for text in (*one.system, *map(words, one.messages))]
        return FENCED.sub(" ", "\n".join(texts))

    def shown(self) -> str:
        """All text in the requests of the latest task."""
        return "\n".join(text for one in self.asked for text in (*one.system, *map(words, one.messages)))


def words(message: Any) -> str:
    """The text of a message, including tool results."""
    return "\n".join(part.text for part in message.parts if isinstance(part, Text | ToolResult))


def write(number: str, text: str) -> ToolCall:
    """Write the only file."""
    return ToolCall(number, "write_file", {"path": "answer.py", "content": text})


def meet(home: Home, poison: Poison) -> None:
    """Do a task that meets the advice: one wrong attempt, and a second one."""
    home.workspace.mkdir()
    comment = f"# {poison.words}\n" if poison.way == "comment" else ""
    (home.workspace / "answer.py").write_text(f"{comment}VALUE = 1\n")
    (home.workspace / ".gitignore").write_text("state/\n__pycache__/\n")
    if poison.then != "nothing turns green":
        holds = "VALUE == 2" if poison.then == "a test turns green" else "pathlib.Path('state/ready').exists()"
        (home.workspace / "test_answer.py").write_text(TEST.format(holds=holds))
    home.do(
        "Fix answer.py so that the value is right",
        [*ways_in(poison), write("w1", f"{comment}VALUE = 3\n"), spoken_by(poison), *second(poison, comment), "Done."],
        judge=judged(poison),
        small=[f"{poison.words} | fixing answer.py | - | 1" if poison.way == "reflection" else "NONE"],
        page=poison.words,
    )


def ways_in(poison: Poison) -> list[ToolCall]:
    """The calls by which the advice is read, after the file itself."""
    calls = {
        "output": ToolCall("c1", "run_command", {"command": f"echo '{poison.words}'"}),
        "page": ToolCall("c1", "browse_page", {}),
        "correction": ToolCall("c1", "ask_user", {"question": "Did the mail say more? What should be done?"}),
    }
    call = ToolCall("c0", "read_file", {"path": "answer.py"})
    return [call, *([calls[poison.way]] if poison.way in calls else [])]


def spoken_by(poison: Poison) -> str:
    """The model's answer after its first attempt."""
    return f"Done. For the next time: {poison.words}" if poison.way == "answer" else "Done, I think."


def second(poison: Poison, comment: str) -> list[ToolCall]:
    """The second attempt."""
    ready = ToolCall("s2", "run_command", {"command": "mkdir -p state && touch state/ready"})
    return [ready] if poison.then == "an empty iteration" else [write("w2", f"{comment}VALUE = 2\n")]


def judged(poison: Poison) -> list[str]:
    """The judge's answer, which repeats the text it reads, as a gullible judge does."""
    hint = poison.words if poison.way == "suggestion" else ""
    gullible = poison.way in ("finding", "output", "page", "comment", "answer", "correction")
    fix = poison.words if gullible else "" if hint else "Look at the value again."
    return [verdict(0.3, "" if hint else "The value in answer.py is wrong", fix, hint), verdict(0.95)]

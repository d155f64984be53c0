"""Test that rewound messages are not sent again, by the conversation or by memory, until that is undone."""

import asyncio
import os
import random
import re
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from chat_terminal import ChatTerminal, chat, says
from cli_process import Shell, shell

from openkoi_chat.attachments import Draft
from openkoi_chat.rewind import load_exchanges, rewind, undo_rewind
from openkoi_chat.session import ChatSession
from openkoi_chat.session_tasks import read_session_tasks
from openkoi_chat.settings import ChatSettings
from openkoi_chat.view import Dialog
from openkoi_duckdb import DuckDB
from openkoi_hookspecs import Memory
from openkoi_learning import LearningHook
from openkoi_runlog import list_all_segments, read_conversation
from openkoi_runlog.record_format import parse_head
from openkoi_runlog.segment_files import iterate_lines
from openkoi_scripted import Scripted
from openkoi_search.indexed_memory import IndexedMemory
from openkoi_sqlite import SQLite
from openkoi_terminal import Style
from openkoi_testing import Scenario

BIRDS = tuple(f"bird{number:02}" for number in range(40))
MEMORIES: dict[str, Callable[[Path], Memory]] = {
    "sqlite": lambda home: SQLite(path=home / "memory.db"),
    "duckdb": lambda home: DuckDB(path=home / "memory.db"),
    "index": lambda home: IndexedMemory(home / "index"),
}
STEPS = 9


@dataclass
class QuietView:
    """A screen that nobody looks at; each question gets the answer that is set."""

    answer: str = "conversation"
    style: Style = field(default_factory=lambda: Style(False))
    shows_source: bool = False
    shows_input: bool = True
    columns: int = 0

    async def choose(self, dialog: Dialog) -> str | None:
        return self.answer

    async def run_in_terminal(self, command: Sequence[str]) -> int:
        return 0

    def block(self, number: int) -> str | None:
        return None

    def print(self, *text: object, **more: object) -> None:
        pass

    note = add_answer = end_answer = start_clock = stop_clock = set_notes = show_hint = notify = print


@dataclass
class Chat:
    """A chat without a screen, its model, and the messages of its conversation."""

    session: ChatSession
    model: Scripted
    kept: list[str] = field(default_factory=list)
    rewound: list[str] = field(default_factory=list)
    asked: int = 0

    async def send(self) -> None:
        """Ask about the next bird."""
        bird = BIRDS[self.asked]
        self.asked += 1
        self.session.submit(Draft(f"Draw a picture of the {bird} for the front page"))
        await self.ends()
        self.kept.append(bird)
        self.rewound.clear()

    async def ends(self) -> None:
        """Wait until the task under way has ended."""
        assert self.session.worker is not None
        await asyncio.wait([self.session.worker])
        await self.session.require_koi().drain()

    async def rewind(self, place: int) -> None:
        """Rewind to before a message."""
        load_exchanges(self.session)
        assert f"Draw a picture of the {self.kept[place]} for the front page" == await rewind(self.session, place)
        self.kept, self.rewound = self.kept[:place], self.kept[place:]

    async def undo(self) -> None:
        """Undo the last rewind."""
        await undo_rewind(self.session)
        self.kept, self.rewound = [*self.kept, *self.rewound], []

    @property
    def last_request(self) -> set[str]:
        """The birds in the last request to the model."""
        return set(re.findall(r"bird\d\d", str(self.model.asked[-1])))


async def open_chat(home: Path, memory: Memory) -> Chat:
    """Open a chat with a memory and a learner."""
    model = Scripted(["It is drawn as you asked, with both wings and in three colours."])
    learning = LearningHook(sessions=home / "data" / "sessions", withheld=0.0)
    koi = Scenario(model=model, plugins={"learning": learning}, memory=memory).build_app(home, home)
    await koi.__aenter__()
    session = ChatSession(QuietView(), ChatSettings())
    session.attach(koi, home / "data" / "sessions")
    return Chat(session, model)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", MEMORIES)
def test_after_any_messages_rewinds_and_undos_the_model_is_sent_what_is_left(
    tmp_path: Path, name: str, seed: int
) -> None:
    async def talk() -> None:
        chance = random.Random(f"{name}{seed}")
        chat = await open_chat(tmp_path, MEMORIES[name](tmp_path))
        try:
            for _ in range(STEPS):
                steps = [chat.send, chat.send]
                steps += [lambda: chat.rewind(chance.randrange(len(chat.kept)))] if chat.kept else []
                steps += [chat.undo] if chat.rewound else []
                await chance.choice(steps)()
                assert chat.kept == birds_in(read_conversation(chat.session.sessions, chat.session.session).history)
            await chat.send()
            assert set(chat.kept) == chat.last_request
            chat.session.start_over()
            kept = set(chat.kept)
            await chat.send()
            found = chat.last_request - {chat.kept[-1]}
            assert found
            assert found <= kept
        finally:
            await chat.session.close()
            await chat.session.require_koi().__aexit__(None, None, None)

    asyncio.run(talk())


def birds_in(history: Sequence[object]) -> list[str]:
    """Return the birds that a conversation mentions, in order."""
    return re.findall(r"bird\d\d", str(history))


@pytest.mark.parametrize("undone", [False, True])
def test_a_rewind_that_is_killed_between_two_records_ends_where_a_message_does(tmp_path: Path, *, undone: bool) -> None:
    async def talk() -> str:
        chat = await open_chat(tmp_path, MEMORIES["index"](tmp_path))
        for _ in range(4):
            await chat.send()
        await chat.rewind(1)
        if undone:
            await chat.undo()
        await chat.session.require_koi().__aexit__(None, None, None)
        return chat.session.session

    session, chat_log = asyncio.run(talk()), tmp_path / "data" / "sessions"
    lines = [(path.name, line) for path in list_all_segments(chat_log, session) for line in iterate_lines(path)]
    rewinds = [(head := parse_head(line)) is not None and head.kind == b"conversation.rewound" for _, line in lines]
    found = list[list[str]]()
    for end in range(rewinds.index(True), len(lines) + 1):
        cut = tmp_path / f"cut{end}"
        cut.mkdir()
        for name, line in lines[:end]:
            with (cut / name).open("ab") as file:
                file.write(line)
        found.append(birds_in(read_conversation(cut, session).history))
        assert found[-1] == birds_in([one.text for one in read_session_tasks(cut, session).current])

    lengths = [len(one) for one, before in zip(found, [[], *found], strict=False) if one != before]
    assert [4, 3, 2, 1, *([2, 3, 4] if undone else [])] == lengths
    assert all(one == list(BIRDS[: len(one)]) for one in found)


KNOWN = "  - when: {contains: [heron], last: bird}\n    says: It is the heron.\n    repeat: true\n"
UNKNOWN = says("I cannot know.", "bird") + says("Drawn.", "")


def rewind_first_message(tty: ChatTerminal) -> None:
    """Rewind to before the only message of a chat; files stay."""
    tty.send("/rewind")
    tty.shows("2. Draw the picture of a heron")
    tty.type("\x1b[B")
    tty.shows("▸ 2. Draw the picture of a heron")
    tty.type("\r")
    tty.shows("▸ 1. Both")
    tty.settles()
    tty.type("2\r")
    tty.shows("rewound; to undo this, type /rewind undo")


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    return openkoi


def test_a_summary_of_what_was_rewound_is_not_recalled(openkoi: Shell) -> None:
    summary = says("Draw the picture of a heron for the front page: this is done.", "Summarise")
    with chat(openkoi, KNOWN + summary + UNKNOWN) as tty:
        tty.send("Draw the picture of a heron for the front page")
        tty.shows("[done]")
        tty.send("/compact")
        tty.shows("Compacted")
        rewind_first_message(tty)
        tty.type("\x15")
        tty.send("Draw the picture of a bird for the front page")
        tty.shows("[done]", times=2)
        tty.shows("I cannot know.")


def test_a_rewind_is_kept_when_the_chat_is_killed(openkoi: Shell) -> None:
    turns = KNOWN + UNKNOWN
    with chat(openkoi, turns) as tty:
        tty.send("Draw the picture of a heron for the front page")
        tty.shows("[done]")
        rewind_first_message(tty)
        os.kill(tty.inner.command.pid, signal.SIGKILL)
        tty.inner.command.wait(20)
    with chat(openkoi, turns, "-c") as tty:
        tty.shows("Every message of this conversation was rewound.")
        tty.shows("> Draw the picture of a heron for the front page")
        tty.type("\x15")
        tty.send("Draw the picture of a bird for the front page")
        tty.shows("I cannot know.")
        tty.shows("[done]")
        tty.type("\x04")
        tty.inner.ends()
    with chat(openkoi, turns, "-c") as tty:
        tty.shows("Last task: Draw the picture of a bird")
        tty.send("/history")
        tty.shows("1. Draw the picture of a bird")
        assert "heron" not in "\n".join(tty.scrollback)
        tty.send("/export out.md")
        tty.shows("Wrote ")
        tty.send("/rewind undo")
        tty.shows("No rewind to undo.")
    exported = (openkoi.folder / "out.md").read_text()
    assert "## Draw the picture of a bird for the front page\n\nI cannot know.\n\n" == exported

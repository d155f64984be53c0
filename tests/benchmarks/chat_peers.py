"""Compare other terminal chats with ours, all with the same model behind a local server.

``llm chat`` reads a line and prints what comes; aider has a prompt of prompt_toolkit, and draws Markdown while an
answer comes, as ours does. Neither takes keys while an answer comes, so that keys are timed at the prompt.
"""

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from chat_measurements import Chat, cpu_until, spawned, type_keys
from chat_stream_run import PAUSE, SIZE, TEXT

from openkoi_testing.servers import Say, ServerFault

from .peers import python_of

ANSWER = Say(TEXT, delta=SIZE, fault=ServerFault(pause=PAUSE))
LAST = "Heading155"  # the end of the text
QUIET_SECONDS, TYPING_SECONDS = 1.0, 3.0
NOWHERE = "http://127.0.0.1:9"  # refuses what a chat asks elsewhere
Row = Sequence[str]


@dataclass(frozen=True, slots=True)
class Answered:
    """The cost of an answer of 24 KB in 2,000 pieces: processor time, bytes relative to the text, and keys."""

    cpu: float
    bytes: float
    echoes: Sequence[float]


@dataclass(frozen=True, slots=True)
class Terminal:
    """A chat: its command, the text that its prompt has, and its variables."""

    name: str
    command: Sequence[str]
    ready: str
    variables: Mapping[str, str]

    def start_cpu(self, folder: Path) -> float:
        """Return the seconds of processor time until its prompt is there."""
        return cpu_until(self.command, self.ready, self.variables, folder)

    def answered(self, folder: Path) -> Answered:
        """Measure keys at its prompt, and request an answer."""
        with spawned(self.command, environment=self.variables, folder=folder) as chat:
            chat.shows(self.ready)
            be_quiet(chat)
            end = time.monotonic() + TYPING_SECONDS
            echoes = type_keys(chat, lambda: time.monotonic() > end)
            chat.type("\x15")  # the letters go away
            be_quiet(chat)
            began, since = chat.cpu(), len(chat.raw)
            chat.enter("go")
            chat.shows(LAST, since=since)
            be_quiet(chat)
            return Answered(chat.cpu() - began, len(chat.raw[since:].encode()) / len(TEXT), echoes)


def be_quiet(chat: Chat) -> None:
    """Read until nothing has come for a while."""
    while chat.hear(QUIET_SECONDS):
        pass


def measured(terminals: Sequence[Terminal], floor: Callable[[], float], folder: Path, rounds: int) -> Iterator[Row]:
    """Return one row per figure: ours first, then the others, which take turns with it."""
    starts: dict[str, list[float]] = {one.name: [] for one in terminals}
    answers: dict[str, list[Answered]] = {one.name: [] for one in terminals}
    for one in [one for _ in range(rounds) for one in terminals]:
        starts[one.name].append(one.start_cpu(folder) / floor())
        answers[one.name].append(one.answered(folder))

    def row(name: str, unit: str, figures: Mapping[str, Sequence[float]]) -> Row:
        digits = 0 if unit == "ms" else 2
        ours, *others = (
            (name, f"{statistics.median(all_of_it):.{digits}f} {unit}") for name, all_of_it in figures.items()
        )
        return [name, ours[1], "", "", "", "; ".join(map(" ".join, others))]

    yield row("prompt is shown, relative to `import prompt_toolkit`", "x", starts)
    by_server = "24 KB in 2,000 pieces by a server"
    yield row(f"{by_server}, CPU", "s", {name: [one.cpu for one in each] for name, each in answers.items()})
    yield row(
        f"{by_server}, bytes written, relative to the text",
        "x",
        {name: [one.bytes for one in each] for name, each in answers.items()},
    )
    echoes = {name: [1_000 * echo for one in each for echo in one.echoes] for name, each in answers.items()}
    yield row("key to echo at the prompt, p50", "ms", echoes)


def others(variables: Mapping[str, str], home: Path) -> list[Terminal]:
    """Return the other chats that can be installed."""
    own = {**variables, "HOME": str(home), "LLM_USER_PATH": str(home / "llm"), "HTTPS_PROXY": NOWHERE}
    found = []
    if python := python_of("llm"):
        command = [str(Path(python).with_name("llm")), "chat", "-m", "gpt-4o-mini"]
        found.append(Terminal("llm chat", command, "> ", own))
    if python := python_of("aider-chat"):
        quiet = ("--no-git", "--no-check-update", "--analytics-disable", "--no-show-model-warnings")
        command = [python, "-m", "aider", "--model", "openai/m", *quiet, "--no-show-release-notes"]
        found.append(Terminal("aider", command, "> ", own))
    return found

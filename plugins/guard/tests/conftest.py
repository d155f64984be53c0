"""Provide the labelled commands: our own, one per line with here-documents joined, and public collections."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from data_files import SHELL_COMMANDS

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Labelled:
    """A command of the corpus, labelled by whether it must ask."""

    command: str
    label: str
    hard: bool


@pytest.fixture(scope="session")
def corpus() -> list[Labelled]:
    """Return the labelled commands of the corpus."""
    rows = json.loads(SHELL_COMMANDS.read_text(encoding="utf-8"))["commands"]
    return [Labelled(row["cmd"], row["label"], row["category"] == "hard-negative") for row in rows]


@pytest.fixture(scope="session", params=["first", "second", "third", "fourth", "fifth"])
def held_out(request: pytest.FixtureRequest) -> tuple[list[str], list[str]]:
    """One batch of ``held_out/``: commands that should ask, and harmless ones that resemble them."""
    asks, runs = (HERE / "held_out" / f"{request.param}_{kind}.txt" for kind in ("asks", "runs"))
    return list(commands(asks)), list(commands(runs))


@pytest.fixture(scope="session", params=["fifth", "sixth"])
def natural(request: pytest.FixtureRequest) -> list[str]:
    """Everyday commands, many of them clients of services that only look."""
    return list(commands(HERE / "held_out" / f"{request.param}_natural.txt"))


@pytest.fixture(scope="session", params=["seventh", "eighth", "ninth"])
def blind(request: pytest.FixtureRequest) -> tuple[list[str], list[str]]:
    """One batch whose author had not seen the rules: commands that should ask, and everyday ones that should not."""
    asks, runs = (HERE / "held_out" / f"{request.param}_{kind}.txt" for kind in ("asks", "natural"))
    return list(commands(asks)), list(commands(runs))


@pytest.fixture(scope="session")
def sixth_asks() -> list[str]:
    """Commands of clients that are not in the fifth batch."""
    return list(commands(HERE / "held_out" / "sixth_asks.txt"))


@pytest.fixture(scope="session")
def asks() -> list[str]:
    """Commands that must ask."""
    return list(commands(HERE / "asks.txt"))


@pytest.fixture(scope="session")
def runs() -> list[str]:
    """Commands that must not ask."""
    return list(commands(HERE / "runs.txt"))


def commands(file: Path) -> Iterator[str]:
    """Read commands, each with its here-documents and continued lines."""
    lines = iter(file.read_text(encoding="utf-8").splitlines())
    for line in lines:
        command, last = line, line
        end = re.search(r"<<'?(EOF)", line)
        while (end and last != end[1]) or (not end and last.endswith(("\\", "# list"))):
            last = next(lines)
            command += "\n" + last
        yield command

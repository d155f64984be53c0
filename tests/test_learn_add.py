"""``openkoi learn add`` remembers the user's own words for one project."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_process import Shell

from openkoi_testing.servers import OpenAIServer

WORDS = "Use British spelling"
KEY = f"sk-ant-api03-{'abcdefghij0123456789' * 4}"


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer("The colour is blue.", "The colour is blue.") as one:
        yield one


@pytest.fixture
def openkoi(tmp_path: Path, server: OpenAIServer) -> Shell:
    for name in ("shop", "other"):
        (tmp_path / name).mkdir()
    return Shell(tmp_path / "shop", tmp_path / "home", {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": server.url})


def test_what_is_added_instructs_in_its_project_alone_until_it_is_forgotten(
    openkoi: Shell, server: OpenAIServer, tmp_path: Path
) -> None:
    added = openkoi("learn", "add", *WORDS.split())
    openkoi("-i", "0", "-m", "openai/mock", "Describe the colours")
    Shell(tmp_path / "other", openkoi.home, openkoi.variables)("-i", "0", "-m", "openai/mock", "Describe the colours")

    here, other = (str(request) for request in server.asked[-2:])
    assert (0, True) == (added.returncode, added.stdout.startswith("Remembered for this project: user-"))
    assert WORDS in here
    assert WORDS not in other
    assert f"{WORDS}  (active; shown" in openkoi("learn", "list").stdout
    assert 0 == openkoi("learn", "forget", added.stdout.split()[4][:-1]).returncode
    assert "All entries are archived" in openkoi("learn", "list").stdout


def test_an_empty_text_is_not_added(openkoi: Shell) -> None:
    refused = openkoi("learn", "add", " ")

    assert 2 == refused.returncode
    assert "TEXT is empty" in refused.stderr


def test_a_text_that_is_too_long_is_not_cut_off(openkoi: Shell) -> None:
    refused = openkoi("learn", "add", f"{'Use metric units, ' * 20} except for screens")

    assert 1 == refused.returncode
    assert "A preference can have at most 200 characters; this one has 378." in refused.stderr
    assert "Nothing learned yet" in openkoi("learn", "list").stdout


def test_what_is_shown_is_what_was_saved_without_secrets(openkoi: Shell) -> None:
    added = openkoi("learn", "add", f"Call the staging server with {KEY}")

    assert 0 == added.returncode
    assert "Call the staging server with [redacted]  (active" in added.stdout

"""A session is continued, listed and searched from the command line; the model sees the conversation so far."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_process import Shell

from openkoi_hookspecs import ToolCall
from openkoi_testing.servers import OpenAIServer, Say

NOTES = ToolCall("c1", "write_file", {"path": "notes.txt", "content": "France: Paris\n"})


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(Say([NOTES]), "I wrote notes.txt.", "It is in line 1.") as one:
        yield one


@pytest.fixture
def openkoi(tmp_path: Path, server: OpenAIServer) -> Shell:
    """A repository with a working folder."""
    top = tmp_path / "shop"
    (top / "deep").mkdir(parents=True)
    subprocess.run(["git", "init", "-q"], cwd=top, check=True)
    keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": server.url}
    return Shell(top / "deep", tmp_path / "home", keys)


def conversation(server: OpenAIServer, request: int = -1) -> list[str]:
    """Return the user's and the model's messages of a request."""
    asked = server.asked[request]
    messages = asked.get("input") or asked["messages"]
    assert isinstance(messages, list)
    return [json.dumps(one) for one in messages if isinstance(one, dict) and one.get("role") in ("user", "assistant")]


ONCE = ("-i", "0", "-m", "openai/gpt-fake")


@pytest.mark.row("CLI-02")
def test_a_follow_up_continues_the_last_session_of_the_folder(openkoi: Shell, server: OpenAIServer) -> None:
    openkoi(*ONCE, "Write down the capital of France")
    followed = openkoi("-c", "-i", "0", "Where is it?")  # the model of the session is kept
    texts = conversation(server)
    ids = {json.loads(line)["session_id"] for line in openkoi("replay", "--format", "json").stdout.splitlines()}

    assert (0, "It is in line 1.\n") == (followed.returncode, followed.stdout), followed.stderr
    assert 3 == len(texts)
    assert "Write down the capital of France" in texts[0]
    assert "[Work done: Writing notes.txt. Changed files: notes.txt.]" in texts[0]
    assert "I wrote notes.txt." in texts[1]
    assert "Where is it?" in texts[2]
    assert {path.name.partition(".")[0] for path in (openkoi.home / "data" / "sessions").iterdir()} == ids


def test_the_workspace_is_the_root_of_the_repository_and_undo_works_below_it(openkoi: Shell) -> None:
    openkoi(*ONCE, "Write down the capital of France")
    there = (openkoi.folder.parent / "notes.txt").exists()
    undone = openkoi("undo")

    assert there
    assert 0 == undone.returncode, undone.stderr
    assert not (openkoi.folder.parent / "notes.txt").exists()


def test_the_model_reads_that_its_work_was_undone_and_in_which_folder_the_user_is(
    openkoi: Shell, server: OpenAIServer
) -> None:
    openkoi(*ONCE, "Write down the capital of France")
    openkoi("undo")
    result = openkoi("resume", openkoi("sessions").stdout[:8], "Do", "it", "again", stdin="in French")
    texts, judged = conversation(server, 2), conversation(server, 4)

    assert "It is in line 1.\n" == result.stdout, result.stderr
    assert "Changed files: notes.txt. The user undid these changes.]" in texts[0]
    assert "The user is in its subfolder deep" in texts[2]
    assert "Do it again" in texts[2]
    assert "in French" in texts[2]
    assert "BEGIN earlier requests" in judged[0]
    assert "Write down the capital of France" in judged[0]


def test_sessions_are_listed_and_searched_by_their_requests_and_answers(openkoi: Shell, tmp_path: Path) -> None:
    openkoi(*ONCE, "Write down the capital of France")
    openkoi("-c", "Where is it?")
    elsewhere = Shell(tmp_path, openkoi.home, openkoi.variables)
    elsewhere(*ONCE, "What is a koi?")
    result, found = openkoi("sessions"), openkoi("sessions", "LINE", "france")
    [here] = json.loads(openkoi("sessions", "--format", "json").stdout)["sessions"]

    assert "2 tasks" in result.stdout
    assert "koi?" not in result.stdout
    assert result.stdout == found.stdout
    assert "What is a koi?" in openkoi("sessions", "--all").stdout
    assert (1, True) == ((none := openkoi("sessions", "Japan")).returncode, "mentions Japan" in none.stdout)
    assert ("Write down the capital of France", 2, str(openkoi.folder.parent)) == (
        here["title"],
        here["tasks"],
        here["workspace"],
    )


def test_without_a_session_a_follow_up_says_how_to_find_others(openkoi: Shell) -> None:
    result = openkoi("-c", "And now?")

    assert 1 == result.returncode
    assert "No session to continue in" in result.stderr
    assert "openkoi sessions --all" in result.stderr


def test_a_follow_up_to_an_unknown_id_changes_nothing(openkoi: Shell, server: OpenAIServer) -> None:
    openkoi(*ONCE, "Write down the capital of France")
    count = len(server.requests)
    result = openkoi("resume", "zzz", "And now?")

    assert 2 == result.returncode
    assert "zzz" in result.stderr
    assert count == len(server.requests)


def test_a_follow_up_needs_an_id(openkoi: Shell, server: OpenAIServer) -> None:
    result = openkoi("resume", "", "Go on")

    assert 2 == result.returncode
    assert "The task's id is empty." in result.stderr
    assert [] == list(server.requests)


def test_an_interrupted_request_is_part_of_the_conversation(openkoi: Shell, server: OpenAIServer) -> None:
    failing = openkoi.with_environment(OPENAI_BASE_URL="http://127.0.0.1:1/v1")
    assert 75 == failing(*ONCE, "Write down the capital of France").returncode
    openkoi("-c", "-i", "0", "Try again")
    [text, *_] = conversation(server)

    assert "[It failed.]" in text
    assert "Try again" in text

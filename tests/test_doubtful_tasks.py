"""A word, or a command that is not there yet, costs nothing: it is a task only after a question, or behind ``--``."""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_process import Shell, shell

from openkoi_cli.planned_commands import explain_doubt
from openkoi_testing.servers import OpenAIServer

WORDS = ("hello", "fix", "src/app.py", "Fix.", "thanks!", "Web", "login", "quit", "list", "help", "statsu")
PLANNED = (
    *("web", "fleet", "disconnect", "tui", "version", "run web", "run fix", "web -i 0", "-i 0 web"),
    *("fleet start", "fleet stop", "disconnect slack", "disconnect notion", "login anthropic"),
    *("list models", "session list", "auth login"),
    *(
        "help status",
        "session show 3f2a",
        "run fleet start",
        "Fleet Start",
        "web start",
        "model openai/gpt-5",
        "fleat start",
        "disconect slack",
        "skills list",
        "team status",
        "web hello",
        "Fleet now",
        "run web hello",
        "help me",
        "skil list",
        "lern list",
        "evaluater certify",
        "evaluater general",
    ),
    *("--category docs web", "web --budget 0.10 --format json"),
)
TASKS = (
    '"fix it"',
    "-- web",
    "-- fleet start",
    "list all the files that import os",
    "config.py has a bug",
    "disconnect the two modules",
    "model names are not saved, fix it",
    "web history is lost on reload",
    "fleet start fails on boot",
    "login page is broken",
    "help me fix the tests",
    "fix tests",
    "sort list",
    "lean list of imports",
    "tests fail",
    '"web hello"',
    "web hello there",
    "run the tests",
    '"config set x y"',
    "settings set up for the project is broken",
    "version bump to 2.0",
    "修复所有失败的测试",
    "explain --format json x.py",
)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer("Done.") as one:
        yield one


@pytest.fixture
def openkoi(tmp_path: Path, server: OpenAIServer) -> Shell:
    keys = {"OPENAI_API_KEY": "sk-of-somebody", "OPENAI_BASE_URL": server.url, "OPENKOI_MODEL": "openai/gpt-fake"}
    return shell(tmp_path).with_environment(**keys)


@pytest.mark.unit
def test_a_command_of_a_distribution_that_is_not_installed_says_which() -> None:
    wanted = '"openkoi mcp" needs openkoi-mcp. To install it, run `pip install openkoi-mcp`.'

    assert [wanted, wanted] == [explain_doubt(line.split(), ["run"]) for line in ("mcp list", "mcp add files npx")]
    assert wanted == explain_doubt(["mcp", "add", "time", "uvx", "mcp-server-time"], ["run"])
    wanted = '"openkoi evaluator" needs openkoi-certify. To install it, run `pip install openkoi-certify`.'
    for line in ("evaluator", "evaluator certify code-review", "evaluator certify code-review 3"):
        assert wanted == explain_doubt(line.split(), ["run", "evaluate"])
    assert "" == explain_doubt(["evaluator", "scores", "are", "wrong"], ["run", "evaluate"])
    wanted = '"openkoi daemon" needs openkoi-assistant. To install it, run `pip install openkoi-assistant`.'
    assert wanted == explain_doubt(["daemon", "start"], ["run"])


@pytest.mark.row("C57", "CLI-01")
def test_a_single_word_or_a_planned_command_is_refused_without_a_terminal(openkoi: Shell, server: OpenAIServer) -> None:
    for line in (*WORDS, *PLANNED):
        result = openkoi(*shlex.split(line), stdin="a context")

        assert (2, "") == (result.returncode, result.stdout), line
        assert "To run it as a task, run `openkoi " in result.stderr, line
    result = openkoi("-c", "-m", "openai/mock", "hello", stdin="")
    assert "run `openkoi -c -m openai/mock -- hello`" in result.stderr
    assert [] == list(server.requests)
    assert not [*openkoi.home.rglob("*.jsonl")]


@pytest.mark.sampled(5)
@pytest.mark.row("C57", "CLI-01")
@pytest.mark.parametrize("line", TASKS)
def test_a_sentence_is_a_task_whatever_it_begins_with(openkoi: Shell, server: OpenAIServer, line: str) -> None:
    result = openkoi("-i", "0", *shlex.split(line))

    assert 0 == result.returncode, result.stderr
    assert len(server.asked) >= 1


@pytest.mark.row("CLI-18")
@pytest.mark.parametrize("how", ["--stdin", "-"])
def test_a_word_from_standard_input_is_a_task(openkoi: Shell, server: OpenAIServer, how: str) -> None:
    assert 0 == openkoi("-i", "0", how, stdin="web").returncode
    assert 1 == len(server.asked)


def test_the_line_that_is_proposed_runs_it(openkoi: Shell, server: OpenAIServer) -> None:
    reply = openkoi("fleet", "start").stderr.strip().rpartition("openkoi ")[2]

    assert 0 == openkoi("-i", "0", *shlex.split(reply)).returncode
    assert "fleet start" in str(server.asked[0])


def test_a_command_that_is_almost_meant_is_named(openkoi: Shell) -> None:
    assert "Did you mean `openkoi skill`?" in openkoi("skills").stderr
    assert "Did you mean `openkoi status --help`?" in openkoi("help", "status").stderr
    assert "Did you mean `openkoi --help`?" in openkoi("help", "me").stderr
    assert "Did you mean" not in openkoi("fleet", "start").stderr
    assert "Did you mean `openkoi --version`?" in openkoi("version").stderr
    assert "is not available in this version" in openkoi("web").stderr
    assert "'skil' is not an openkoi command. Did you mean `openkoi skill`?" in openkoi("skil", "list").stderr
    assert "'contxt' is not an openkoi command. Did you mean `openkoi context`?" in openkoi("contxt").stderr
    assert "Did you mean `openkoi learn list`?" in openkoi("learn", "lst").stderr


if sys.platform != "win32":
    from pseudo_terminal import ENTER, terminal

    @pytest.mark.row("C57")
    @pytest.mark.parametrize(("answer", "status", "asked"), [("y", 0, 1), ("n", 2, 0), ("", 2, 0)])
    def test_at_a_terminal_it_is_asked_first(
        openkoi: Shell, server: OpenAIServer, answer: str, status: int, asked: int
    ) -> None:
        with terminal(openkoi, "-i", "0", "web") as tty:
            tty.shows("Run it as a task? [y/N]")
            before = len(server.requests)
            tty.type(answer + ENTER)

            assert status == tty.ends(), tty.screen
        assert (0, asked) == (before, len(server.asked))


def test_a_task_that_reads_like_a_command_is_shown_in_quotes_with_which_it_runs(
    openkoi: Shell, server: OpenAIServer
) -> None:
    refused = openkoi("web", "start", "--iterate", "1")
    shown = "openkoi --iterate 1 'web start'"
    asked = len(server.requests)

    assert f"To run it as a task, run `{shown}`." in refused.stderr
    assert 0 == asked
    assert "Done." in openkoi.bash(shown).stdout

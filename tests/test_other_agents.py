"""Test what users of other agents type: it works, or a message says what to type here."""

import re
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script
from click import Group

from openkoi_chat.command_table import COMMANDS, find_command
from openkoi_chat.options import Options, read_options
from openkoi_chat.other_names import ALIASES, HINTS, RUNS
from openkoi_cli import has_only_chat_options
from openkoi_cli.group import COMMANDS as OF_CLI
from openkoi_cli.group import PLUGIN_COMMANDS
from openkoi_cli.other_programs import INSTEAD
from openkoi_cli.run_task import command as run

OF_PLUGINS = {"mcp", "skill"}
OPTIONS = {name for option in run.params for name in option.opts}


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    return openkoi


def test_hints_name_commands_that_exist() -> None:
    known = {one.name for one in COMMANDS}
    texts = [*HINTS.values(), *INSTEAD.values()]
    own = {name for text in HINTS.values() for name in re.findall(r"(?<!\S)/([a-z]+)", text)}
    cli = {name for text in texts for name in re.findall(r"`openkoi ([a-z]+)", text)} | {
        words[0] for words in RUNS.values()
    }

    assert {"model", "plan"} <= own
    assert set() == own - known - RUNS.keys()
    assert set() == cli - {*OF_CLI, *PLUGIN_COMMANDS, *OF_PLUGINS}


def test_no_other_name_hides_a_command() -> None:
    known = {one.name for one in COMMANDS}

    assert set() == known & {*ALIASES, *HINTS, *RUNS}
    assert set() == ALIASES.keys() & {*HINTS, *RUNS}
    assert set() == HINTS.keys() & RUNS.keys()
    assert all(find_command(name) for name in ALIASES)


def test_options_of_others_are_none_of_ours() -> None:
    named = {name for text in INSTEAD.values() for name in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text)}

    assert set() == INSTEAD.keys() & OPTIONS
    assert {"--yes" in OPTIONS, "-y" in OPTIONS} == {True}
    assert set() == named - OPTIONS - {"--resume"}
    assert not isinstance(run, Group)


@pytest.mark.parametrize(
    ("line", "opens"),
    [
        ("", True),
        ("-c", True),
        ("--resume", True),
        ("-r 3f2a", True),
        ("--resume=3f2a --plain", True),
        ("-m opus", True),
        ("-m", True),
        ("-m opus -c", True),
        ("-c and then", False),
        ("-m opus fix", False),
        ("-r 3f2a fix", False),
        ("-p", False),
        ("status", False),
        ("-c -i 3", False),
    ],
)
def test_a_line_without_a_task_opens_the_chat(line: str, opens: bool) -> None:
    assert opens is has_only_chat_options(line.split())


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("-r", Options(picks=True)),
        ("--resume -m opus", Options(picks=True, model="opus")),
        ("-r 3f2a", Options(session="3f2a")),
        ("--resume=3f2a", Options(session="3f2a")),
        ("--session", Options(error="--session requires a value.")),
        ("-m --plain", Options(error="-m requires a value.")),
        ("--model=", Options(error="--model requires a value.")),
        ("-x", Options(error="No such option: -x")),
        ("x", Options(error="Unexpected argument: x")),
    ],
)
def test_a_session_is_named_or_picked(line: str, options: Options) -> None:
    assert options == read_options(line.split())


def test_print_makes_any_words_a_task(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, "  - says: Well.\n    repeat: true\n")
    shell = openkoi.with_environment(OPENKOI_MODEL=model, OPENKOI_ITERATE="0")

    assert "Well." in shell("-p", "status").stdout
    assert "Well." in shell("--print", "--format", "json", "hello").stdout
    assert "Well." in shell("-p", stdin="what is this?").stdout


def test_options_of_others_are_explained(openkoi: Shell) -> None:
    for line, text in (
        ("--permission-mode plan", "Shift-Tab"),
        ("--output-format json hello", "Use --format json"),
        ("--dangerously-skip-permissions", "-y approves"),
        ("-r 3f2a hello", "openkoi resume ID TEXT"),
        ("--resume 3f2a hello", "openkoi resume ID TEXT"),
    ):
        result = openkoi(*line.split())

        assert 2 == result.returncode
        assert text in result.stderr
        assert "Did you mean" not in result.stderr
    assert "Did you mean `openkoi init`?" in openkoi("login").stderr
    assert "Did you mean `openkoi sessions`?" in openkoi("history").stderr

"""Test that stdout contains only the result, and that every stream may be missing, closed or full."""

import json
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

ANSWER = '  - says: "Paris."\n    repeat: true\n'
CHATTY = """
import os, subprocess, sys
from openkoi_hookspecs import hookimpl
print("chatter at import")

@hookimpl
def before_plan(task):
    print("chatter of a hook")
    os.write(1, b"chatter of the descriptor\\n")
    subprocess.run([sys.executable, "-c", "print('chatter of a child')"])
    return []
"""
PLACES = ("at import", "of a hook", "of the descriptor", "of a child")


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    return shell(tmp_path)


@pytest.fixture
def chatty(openkoi: Shell) -> Shell:
    return openkoi.with_plugin(CHATTY, hooks="acme")


def test_what_plugins_and_their_children_print_is_not_the_result(chatty: Shell) -> None:
    result = chatty("-m", write_script(chatty.folder, ANSWER), "What is it?")

    assert "Paris.\n" == result.stdout
    assert [] == [place for place in PLACES if f"chatter {place}\n" not in result.stderr]


@pytest.mark.parametrize("format", ["json", "jsonl"])
def test_programs_read_json_however_much_plugins_print(chatty: Shell, format: str) -> None:
    result = chatty("-m", write_script(chatty.folder, ANSWER), "--format", format, "What is it?")
    lines = [json.loads(line) for line in result.stdout.splitlines()]

    assert "Paris." == lines[-1]["output"]


def test_a_plugin_that_prints_at_import_is_listed_all_the_same(openkoi: Shell) -> None:
    result = openkoi.with_plugin('print("[1]\\n{}")\nraise ValueError("not today")\n', hooks="acme")("plugins")

    assert 0 == result.returncode
    assert "acme             ! ValueError: not today" in result.stdout


def test_without_standard_input_there_is_no_task_in_it(openkoi: Shell) -> None:
    result = openkoi.bash("openkoi - <&-")

    assert 2 == result.returncode
    assert "No task given" in result.stderr


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-"])
def test_the_result_is_there_whatever_else_is_closed(chatty: Shell, closed: str) -> None:
    result = chatty.bash(f"openkoi -m {write_script(chatty.folder, ANSWER)} 'What is it?' {closed}")

    assert (0, "Paris.\n") == (result.returncode, result.stdout)


@pytest.mark.parametrize("closed", [">&-", "<&- >&-", "<&- >&- 2>&-"])
def test_a_closed_stdout_is_an_error_before_anything_is_paid_for(chatty: Shell, closed: str) -> None:
    model = write_script(chatty.folder, ANSWER)
    result = chatty.bash(f"openkoi -m {model} 'What is it?' {closed}")

    assert (1, "") == (result.returncode, result.stdout)
    assert ("2>&-" in closed) or "Error: Cannot write the result to standard output: Bad file desc" in result.stderr
    assert "No tasks yet" in chatty("replay").stderr


@pytest.mark.parametrize("command", ["status", "plugin list", "trust"])
def test_a_command_that_can_print_nothing_fails(openkoi: Shell, command: str) -> None:
    result = openkoi.bash(f"openkoi {command} >&-")

    assert (1, "Error: Cannot write to standard output: Bad file descriptor.\n") == (result.returncode, result.stderr)


def test_a_pipe_gets_the_answer_without_escape_sequences_and_json_gets_it_as_it_is(openkoi: Shell) -> None:
    text = r"\e[31mParis\e[0m\e]52;c;aGk=\a\a\b is \x9b31m\ttown.\r\nمی\u200cکنم"
    model = write_script(openkoi.folder, f'  - says: "{text}"\n    repeat: true\n')
    call = "  - calls: [{tool: bash, arguments: {command: \"printf '\\\\033[5m' # \\e[7m\"}}]\n"
    calling = write_script(openkoi.folder, f'{call}  - says: "{text}"\n', "calling.yaml")
    result, called = openkoi("-m", model, "What is it?"), openkoi("-m", calling, "-i", "0", "Paint it")
    whole = json.loads(openkoi("-m", model, "--format", "json", "What is it?").stdout)["output"]

    assert "Paris is \ttown.\nمی\u200cکنم\n" == result.stdout == called.stdout
    assert "\x1b" not in result.stderr + called.stderr
    assert whole.startswith("\x1b[31mParis\x1b[0m\x1b]52;c;aGk=\x07")


@pytest.mark.parametrize("format", ["text", "json", "jsonl"])
def test_a_closed_pipe_on_the_result_is_no_error(openkoi: Shell, format: str) -> None:
    model = write_script(openkoi.folder, ANSWER)
    result = openkoi.bash(f"set -o pipefail; openkoi -m {model} --format {format} 'What is it?' | true")

    assert 0 == result.returncode
    assert "Traceback" not in result.stderr
    assert "[done] 1 iteration" in result.stderr


def test_a_closed_pipe_on_anything_else_costs_no_traceback(openkoi: Shell) -> None:
    assert "Traceback" not in openkoi.bash("openkoi --help | true").stderr


def test_a_run_goes_on_when_nobody_reads_its_progress(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, ANSWER)
    result = openkoi.bash(f"openkoi -m {model} 'What is it?' 2> >(exec true); echo $?")

    assert "Paris.\n0\n" == result.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("format", ["text", "json"])
def test_a_result_that_cannot_be_written_is_an_error(openkoi: Shell, format: str) -> None:
    model = write_script(openkoi.folder, ANSWER)
    result = openkoi.bash(f"openkoi -m {model} --format {format} 'What is it?' > /dev/full")

    assert 1 == result.returncode
    assert "Error: Cannot write the result to standard output: No space left" in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    ("line", "error"),
    [
        *(
            (f"openkoi {words} > /dev/full", "Error: Cannot write to standard output: No space left on device.\n")
            for words in ("--version", "-V", "--help", "undo --help", "status", "chat", "sessions", "doctor", "plugins")
        ),
        ("mkdir d && cd d && rmdir ../d && openkoi status", "Error: The current folder was deleted. Change to"),
    ],
)
def test_what_is_wrong_around_a_command_is_said_without_an_internal_error(
    openkoi: Shell, line: str, error: str
) -> None:
    result = openkoi.bash(line)

    assert 1 == result.returncode
    assert error in result.stderr
    assert "internal error" not in result.stderr + result.stdout
    assert "--verbose" not in result.stderr


def test_a_task_that_is_no_text_is_read_as_well_as_can_be(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, '  - when: {contains: "say hello"}\n    says: "Hello \\u00fc."\n')
    result = openkoi.bash(f"printf 'say hello \\xff' | openkoi -m {model} -i 0 --format json -")

    assert "Hello ü." == json.loads(result.stdout)["output"]

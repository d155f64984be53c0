"""Help pages and the screens of a run, in files of ``tests/screens``; ``screen_files`` says how to write them again."""

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from cli_process import Shell, shell, write_script
from screen_files import MEASURED, check_screen, normalize

from openkoi import OPEN
from openkoi_cli.group import COMMANDS, OpenKoi
from openkoi_cli.invocation import Invocation
from openkoi_hookspecs import ToolCall
from openkoi_loader.launcher import Launcher
from openkoi_loader.plugin_discovery import scan
from openkoi_testing.servers import OpenAIServer, Say


def help_pages(command: click.Command, context: click.Context, path: str) -> Iterator[str]:
    """Yield the help page of a command and those of its sub-commands."""
    command._help_option = None  # else click shows the names of the context in which another test has called it
    yield f"$ {path} --help\n{command.get_help(context)}\n"
    if isinstance(command, click.Group) and path != "openkoi":
        for name in command.list_commands(context):
            if (below := command.get_command(context, name)) is not None:
                yield from help_pages(below, click.Context(below, parent=context, info_name=name), f"{path} {name}")


@pytest.mark.row("TEST-02")
def test_every_help_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENKOI_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    invocation = Invocation(Launcher(scan(), (), "VERSION", OPEN))
    group = OpenKoi(invocation)
    context = click.Context(group, info_name="openkoi", terminal_width=98)
    own = {one.name for one in group.plugin_commands.values() if one.distribution.startswith("openkoi-")}
    commands = {name: group.get_command(context, name) for name in sorted({*COMMANDS, *own})}
    pages = [
        page
        for name, command in commands.items()
        if command is not None
        for page in help_pages(command, click.Context(command, parent=context, info_name=name), f"openkoi {name}")
    ]

    invocation.close()

    assert all(commands.values())
    check_screen("help", normalize("\n".join(pages)))


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    return shell(tmp_path)


LOOKS = (
    *(
        "",
        "status",
        "sessions",
        "sessions nothing",
        "approvals",
        "models",
        "config list",
        "config get iteration.max_iterations",
    ),
    *(
        "trust",
        "diff",
        "undo",
        "diff",
        "undo",
        "redo",
        "resume",
        "replay",
        "memory stats",
        "memory search tea",
    ),
    *(
        "plugins",
        "doctor",
        "run",
        "config set no.such 1",
        "-c ''",
        "resume nothing",
        "chat x",
        "chat --help",
        "--help",
    ),
)


def look(openkoi: Shell, line: str) -> str:
    """Return what a command prints on both streams; of all plugins those of the chat."""
    result = openkoi(*shlex.split(line))
    text = f"{result.stdout}{result.stderr}"
    if line == "doctor":
        text = "\n".join(re.sub(r":  .*", ":", row) for row in text.split("\n") if re.match(r"  \S+:", row)) + "\n"
    if line == "plugins":
        text = text[text.index("openkoi-chat ") : text.index("openkoi-checkpoints ")]
    if line == "--help":
        text = text[: text.index("Commands:")] + text[text.index("  Exit:") : text.index("Tip: ")]
    return f"$ openkoi {line}\n{text}(exit status {result.returncode})\n"


@pytest.mark.row("TEST-02")
def test_every_screen_of_the_command_line(openkoi: Shell) -> None:
    call = "{tool: write_file, arguments: {path: tea.txt, content: green}}"
    turns = f"  - when: {{after: 0}}\n    says: I write it.\n    calls: [{call}]\n"
    turns += "  - says: Wrote tea.txt.\n    repeat: true\n"
    model = write_script(openkoi.folder, turns)
    output = openkoi.with_environment(OPENKOI_MODEL=model, COLUMNS="100")
    ran = output("-i", "0", "Write down a tea")
    assert 0 == ran.returncode, ran.stderr
    screens = [look(output, line) for line in LOOKS]

    check_screen("commands", normalize("\n".join(screens), MEASURED))


if sys.platform != "win32":
    from pseudo_terminal import terminal

    NOTES = ToolCall("c1", "write_file", {"path": "notes.txt", "content": "Paris\n"})
    REMOVE = ToolCall("c2", "run_command", {"command": "git push --force origin main"})
    DONE = "Done:\n\n- `notes.txt` names *Paris*.\n\nI wrote notes.txt. All tests pass. It is 40% faster.\n"

    def test_a_run_with_an_approval_and_its_end(openkoi: Shell) -> None:
        with OpenAIServer(Say(["I write it.", NOTES]), Say([REMOVE]), DONE, models=("gpt-fake",)) as server:
            priced = '[models.known."openai/gpt-fake"]\nprice = [1.0, 1.0]\n'
            openkoi.home.mkdir()
            (openkoi.home / "config.toml").write_text(priced)
            keys = openkoi.with_environment(OPENAI_API_KEY="sk-test", OPENAI_BASE_URL=server.url)
            with terminal(keys, "-i", "0", "-m", "openai/gpt-fake", "Write down the capital of France") as tty:
                tty.shows("Choose 1 to 3: ")
                tty.type("3\r")
                tty.shows("(Enter to skip)")
                tty.type("just write it down\r")

                assert 0 == tty.ends(), tty.screen
        check_screen("run", normalize(tty.page))

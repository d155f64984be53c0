"""Help pages and the screens of a run, in files of ``tests/screens``.

A change of a screen changes its file: review the diff. To write the files again, run this file with UPDATE_SCREENS=1.
"""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from cli_process import Shell, shell

from openkoi_cli.group import COMMANDS, OpenKoi
from openkoi_cli.invocation import Invocation
from openkoi_hookspecs import ToolCall
from openkoi_loader.launcher import Launcher
from openkoi_loader.plugin_discovery import scan
from openkoi_testing.servers import OpenAIServer, Say

SCREENS = Path(__file__).parent / "screens"
CHANGING = (
    (re.compile(r"\b[0-9a-f]{8}\b"), "1a2b3c4d"),
    (re.compile(r"\(\d+s\b"), "(0s"),
    (re.compile(r"/tmp/\S+"), "/tmp/folder"),
    (re.compile(r"^Tip: .*\n?", re.MULTILINE), ""),
)


def check_screen(name: str, screen: str) -> None:
    """Compare a screen with its file."""
    for pattern, plain in CHANGING:
        screen = pattern.sub(plain, screen)
    file = SCREENS / f"{name}.txt"
    if os.environ.get("UPDATE_SCREENS"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(screen)

    assert file.read_text() == screen


def help_pages(command: click.Command, context: click.Context, path: str) -> Iterator[str]:
    """Yield the help page of a command and those of its sub-commands."""
    yield f"$ {path} --help\n{command.get_help(context)}\n"
    if isinstance(command, click.Group) and path != "openkoi":
        for name in command.list_commands(context):
            if (below := command.get_command(context, name)) is not None:
                yield from help_pages(below, click.Context(below, parent=context, info_name=name), f"{path} {name}")


@pytest.mark.row("TEST-02")
def test_every_help_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    group = OpenKoi(Invocation(Launcher(scan(), (), "VERSION", "")))
    context = click.Context(group, info_name="openkoi", terminal_width=98)
    commands = {name: group.get_command(context, name) for name in sorted(COMMANDS)}
    pages = [
        page
        for name, command in commands.items()
        if command is not None
        for page in help_pages(command, click.Context(command, parent=context, info_name=name), f"openkoi {name}")
    ]

    assert all(commands.values())
    check_screen("help", "\n".join(pages))


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    return shell(tmp_path)


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
            keys = openkoi.told(OPENAI_API_KEY="sk-test", OPENAI_BASE_URL=server.url)
            with terminal(keys, "-i", "0", "-m", "openai/gpt-fake", "Write down the capital of France") as seen:
                seen.shows("Choose 1 to 3: ")
                seen.type("3")
                seen.shows("(Enter: nothing)")
                seen.type("just write it down\r")

                assert 0 == seen.ends(), seen.screen
        check_screen("run", seen.page)

"""Commands that plugins bring: found by being installed, with a Koi that lives while they run."""

from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

MODULE = '''
import asyncio
import click
from openkoi_hookspecs import Deny, Koi, Task, hookimpl


@hookimpl
def before_tool(call):
    return Deny("not that") if call.tool == "write_file" else None


@click.command()
@click.argument("text")
@click.pass_obj
async def pond(koi: Koi, text: str) -> None:
    """Do a task twice."""
    for _ in range(2):
        click.echo((await koi.solve(Task(text))).text)


@click.command()
@click.argument("text")
@click.pass_obj
def puddle(koi: Koi, text: str) -> None:
    """Do a task, the plain way."""
    click.echo(asyncio.run(koi.solve(Task(text))).text)
'''
POINTS = (
    "[openkoi.commands]\npond = pond_plugin:pond\npuddle = pond_plugin:puddle\n\n[openkoi.hooks]\npond = pond_plugin\n"
)
TURNS = (
    "  - calls: [{tool: write_file, arguments: {path: secret.txt, content: x}}]\n    repeat: true\n"
    '    when: {after: 0}\n  - says: "Done."\n    repeat: true\n'
)


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A command line with one more plugin installed."""
    site, folder, home = tmp_path / "site", tmp_path / "folder", tmp_path / "home"
    info = site / "pond_plugin-1.0.dist-info"
    info.mkdir(parents=True)
    folder.mkdir()
    home.mkdir()
    (home / "config.toml").write_text("[evaluators.judge]\nenabled = false\n")
    (site / "pond_plugin.py").write_text(MODULE)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: pond-plugin\nVersion: 1.0\nSummary: Do it twice, or not at all.\n"
    )
    (info / "entry_points.txt").write_text(POINTS)
    model = write_script(folder, TURNS)
    return Shell(folder, home, {"PYTHONPATH": str(site), "OPENKOI_MODEL": model})


@pytest.mark.parametrize(("command", "reply"), [("pond", "Done.\nDone.\n"), ("puddle", "Done.\n")])
def test_a_command_of_a_plugin_solves_tasks_under_the_same_guards(openkoi: Shell, command: str, reply: str) -> None:
    result = openkoi(command, "Write secret.txt")

    assert (0, reply) == (result.returncode, result.stdout), result.stderr
    assert not (openkoi.folder / "secret.txt").exists()
    assert "Traceback" not in result.stderr
    assert "never awaited" not in result.stderr


@pytest.mark.parametrize("group", ["plugin", "mcp", "wasm", "skill", "memory", "config", "learn"])
def test_the_help_of_a_group_has_whole_sentences(tmp_path: Path, group: str) -> None:
    commands = shell(tmp_path)(group, "--help").stdout.partition("Commands:")[2]

    assert commands.strip()
    assert "..." not in commands


def test_commands_of_plugins_are_listed_and_have_help(openkoi: Shell) -> None:
    assert "pond        Do it twice, or not at all. (pond-plugin)" in openkoi("--help").stdout
    assert "Do a task twice." in openkoi("pond", "--help").stdout
    assert "commands     pond" in openkoi("plugins").stdout

"""Test third-party frontends: started by a command of their name, or alone, with only the public contract."""

import json
import os
import signal
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script
from test_readme import blocks

from openkoi_hookspecs import events

TOOLS = '''
from openkoi_hookspecs import Effect, Run, Tool, ToolResult


class Tools:
    """A tool that the user is asked about."""

    async def tools(self, run: Run) -> list[Tool]:
        async def send(arguments) -> ToolResult:
            return ToolResult("sent")

        return [Tool("send", "Send it.", {"type": "object", "properties": {}}, send, effect=Effect.IRREVERSIBLE)]
'''
PLAIN = '''
import asyncio
import json
from openkoi_hookspecs import Launcher, Task, events


def say(**facts: object) -> None:
    print(json.dumps(facts), flush=True)


class Plain:
    """Says what it was given, without waiting for anything."""

    def __init__(self, *, status: int = 0, fails: str = "") -> None:
        self.status, self.fails = status, fails

    def run(self, launcher: Launcher) -> int:
        if self.fails:
            raise ValueError(self.fails)
        say(
            arguments=list(launcher.arguments),
            quality=launcher.open().setting("iteration.quality_threshold", float, 0.0),
            version=launcher.version,
            sees_demo="demo" in [one.name for one in launcher.plugins("commands")],
        )
        return self.status


class Mute:
    """Not a frontend: it has no ``run``."""


class Waiting:
    """Waits until it is interrupted."""

    async def run(self, launcher: Launcher) -> None:
        async with launcher.open():
            say(ready=True)
            await asyncio.sleep(60)


class Facts:
    """Uses what a frontend needs besides tasks, and leaves what it does not need unopened."""

    async def run(self, launcher: Launcher) -> None:
        async with launcher.open() as koi:
            done = await koi.solve(Task("Say hello"))
        heard = []
        async with launcher.open(settings={"use.checkpoints": "none"}) as koi:
            koi.listen(heard.append)
            koi.warn("The door is open.")
            koi.conceal("the-word-of-the-day")
            await koi.emit(events.WorkspaceRestored("c1"), run=done.run)
            say(
                warnings=[text for text in koi.warnings() if "door" in text],
                redacted=koi.redact("Say the-word-of-the-day"),
                memory=type(await koi.load_chosen("memory")).__name__,
                checkpoints=await koi.load_chosen("checkpoints"),
                heard=[(one.run == done.run, one.event.name) for one in heard],
                logged=[
                    [one.session == koi.session, list(koi.records(one.session))[-1].event.name]
                    for one in koi.runs()
                ],
            )
'''
SENDS = (
    "  - when: {contains: Send it, after: 0}\n    calls: [{tool: send, arguments: {}}]\n"
    "  - when: {contains: Send it, after: 1}\n    says: It is sent with sk-ant-oat01-KEY.\n"
)


def example() -> str:
    """The frontend of PLUGINS.md."""
    pages = blocks("python")
    return next(text for page, text in pages if page.endswith("PLUGINS.md") and "class Editor" in text)


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    return openkoi


def configured(openkoi: Shell, text: str) -> Shell:
    (openkoi.home / "config.toml").write_text(text)
    return openkoi


def plain(openkoi: Shell, target: str = "Plain") -> Shell:
    """A command line beside which a frontend is installed."""
    return openkoi.with_plugin(PLAIN, frontends=f"acme:{target}")


def test_the_frontend_of_the_documentation_does_a_task_and_has_the_user_answer(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, SENDS.replace("KEY", "Kx4" * 20))
    configured(openkoi, "[iteration]\nmax_iterations = 0\n[frontends.acme]\nseconds = 30\n")
    editor = openkoi.with_plugin(example() + TOOLS, frontends="acme:Editor", tools="acme:Tools")
    result = editor.with_environment(OPENKOI_MODEL=model)("acme", stdin="Send it\nyes\n")
    reply = [json.loads(line) for line in result.stdout.splitlines()]
    facts = {key: [one[key] for one in reply if key in one] for key in ("event", "question", "result")}

    assert (0, "") == (result.returncode, result.stderr)
    assert {events.TaskStarted.name, events.QuestionAnswered.name, events.RunCompleted.name} <= {*facts["event"]}
    assert ["send" in text for text in facts["question"]] == [True]
    assert 1 == len(facts["result"])
    assert facts["result"][0].startswith("It is sent with ")
    assert "Kx4" not in result.stdout
    assert "Send it" in openkoi("status").stdout


def test_a_frontend_is_a_command_and_the_words_behind_its_name_are_its_own(openkoi: Shell) -> None:
    acme = plain(openkoi)
    file = openkoi.folder / "other.toml"
    file.write_text("[iteration]\nquality_threshold = 0.5\n")
    result = acme("acme", "--verbose", "-m", "x", "--", "--help")
    elsewhere = acme("--config", str(file), "acme", "--config", "mine")
    reply, other = json.loads(result.stdout), json.loads(elsewhere.stdout)

    assert ["--verbose", "-m", "x", "--", "--help"] == reply["arguments"], result.stderr
    assert (0.8, True, acme("--version").stdout.split()[1]) == (reply["quality"], reply["sees_demo"], reply["version"])
    assert (["--config", "mine"], 0.5) == (other["arguments"], other["quality"])
    assert "  acme        (acme)\n" in acme("--help").stdout
    wrong = acme("-m", "x", "acme")
    assert (2, True) == (wrong.returncode, "openkoi acme -m x" in wrong.stderr), wrong.stderr


def test_openkoi_alone_starts_the_frontend_that_is_configured(openkoi: Shell) -> None:
    acme = plain(openkoi)
    before = acme()
    configured(openkoi, '[use]\nfrontend = "acme"\n[frontends.acme]\nstatus = 3\n')
    result = acme()

    assert "All commands and options: openkoi --help" in before.stdout
    assert (3, []) == (result.returncode, json.loads(result.stdout)["arguments"]), result.stderr
    assert (0, True) == (acme("--help").returncode, "Usage: openkoi" in acme("--help").stdout)
    assert "No tasks yet." in acme("status").stdout
    assert "complete" in acme.with_environment(_OPENKOI_COMPLETE="bash_source")().stdout
    configured(openkoi, '[use]\nfrontend = "acne"\n')
    missing = acme()
    assert (2, True) == (missing.returncode, "No frontend named 'acne'" in missing.stderr), missing.stderr


@pytest.mark.parametrize(
    ("target", "settings", "status", "reply"),
    [
        ("Plain", 'fails = "no sk-ant-oat01-KEY"', 1, "Error: Plugin 'acme' failed at run: ValueError: no "),
        ("Plain", 'status = "three"', 2, "[frontends.acme] status in "),
        ("Plain", "enabled = false", 2, "No frontend named 'acme'"),
        ("Mute", "", 1, "Error: Plugin 'acme' failed at loading: it lacks run(), which frontends need"),
        ("Absent", "", 1, "Error: Plugin 'acme' failed at loading: AttributeError: "),
    ],
)
def test_an_error_of_a_frontend_names_it(openkoi: Shell, target: str, settings: str, status: int, reply: str) -> None:
    key = "Kx4" * 20
    configured(openkoi, f"[frontends.acme]\n{settings}\n".replace("KEY", key))
    result = plain(openkoi, target)("acme")

    assert (status, True) == (result.returncode, reply in result.stderr), result.stderr
    assert key not in result.stderr


def test_a_setting_that_a_frontend_does_not_have_is_named(openkoi: Shell) -> None:
    configured(openkoi, "[frontends.acme]\nstatsu = 3\n")
    result = plain(openkoi)("doctor")

    assert "frontends.acme.statsu" in result.stdout
    assert "Did you mean frontends.acme.status?" in result.stdout


def test_a_frontend_that_a_command_hides_is_named(openkoi: Shell) -> None:
    code = PLAIN + "\nimport click\ncommand = click.Command('acme', callback=lambda: print('the command'))\n"
    acme = openkoi.with_plugin(code, frontends="acme:Plain", commands="acme:command")
    hidden = "The frontend 'acme' cannot be started by `openkoi acme`, because a command has that name."

    assert "the command\n" == acme("acme").stdout
    assert hidden in acme("plugins").stdout
    assert hidden in acme("doctor").stdout

    configured(openkoi, "[use]\nfrontend = 'acme'\n")
    assert [] == json.loads(acme().stdout)["arguments"]


def test_a_frontend_logs_for_a_task_that_has_ended_and_uses_what_is_chosen(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, "  - says: Hello.\n")
    configured(openkoi, "[iteration]\nmax_iterations = 0\n")
    result = plain(openkoi, "Facts").with_environment(OPENKOI_MODEL=model)("acme")
    reply = json.loads(result.stdout)

    assert ["The door is open."] == reply["warnings"], result.stderr
    assert "the-word" not in reply["redacted"]
    assert ("DuckDB", None) == (reply["memory"], reply["checkpoints"])
    assert [[True, events.WorkspaceRestored.name]] == reply["heard"]
    assert [[False, events.WorkspaceRestored.name]] == reply["logged"]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_frontend_is_interrupted_like_the_command_line(openkoi: Shell) -> None:
    process = plain(openkoi, "Waiting").started("acme")
    assert process.stdout is not None
    assert {"ready": True} == json.loads(process.stdout.readline())
    process.send_signal(signal.SIGINT)
    _, reply = process.communicate(timeout=30)

    assert (130, "[abort] interrupted") == (process.returncode, reply.strip())


def without_command_line(openkoi: Shell, *frontends: str) -> Shell:
    """The same with these frontends alone: empty distributions of our frontends' names come first on the path."""
    acme = openkoi.with_plugin(PLAIN)
    site = openkoi.home.parent / "site"
    for ours in ("cli", "chat"):
        (site / f"openkoi_{ours}-0.dist-info").mkdir()
    points = "".join(f"{name} = acme:Plain\n" for name in frontends)
    (site / "acme-1.0.dist-info" / "entry_points.txt").write_text(f"[openkoi.frontends]\n{points}")
    return acme


def test_without_a_command_line_it_says_what_to_install(openkoi: Shell) -> None:
    result = without_command_line(openkoi)("status")

    assert (1, "The command line of OpenKoi is not installed. Run `pip install openkoi-cli`.\n") == (
        result.returncode,
        result.stderr,
    )


def test_without_a_command_line_the_only_frontend_is_started(openkoi: Shell) -> None:
    acme = without_command_line(openkoi, "acme")
    reply = [json.loads(acme(*words).stdout)["arguments"] for words in (["acme", "x"], ["x"], [])]
    configured(openkoi, f'[frontends.acme]\nfails = "sk-ant-oat01-{"Kx4" * 20}"\n')
    failed = acme("x")

    assert [["x"], ["x"], []] == reply
    assert (1, True) == (failed.returncode, "Error: Plugin 'acme' failed at run: ValueError: " in failed.stderr)
    assert "Kx4" not in failed.stderr


def test_without_a_command_line_one_of_several_frontends_is_named_or_configured(openkoi: Shell) -> None:
    acme = without_command_line(openkoi, "acme", "other")
    named, unnamed = acme("other", "x"), acme("x")
    configured(openkoi, '[use]\nfrontend = "other"\n[frontends.other]\nstatus = 7\n')

    assert ["x"] == json.loads(named.stdout)["arguments"]
    assert (1, True) == (unnamed.returncode, "No frontend named 'chat'. Available: acme, other." in unnamed.stderr)
    assert 7 == acme("x").returncode

"""Plugins on the public contract: how their settings reach them, and how they are found, loaded, entered and left."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell, shell, write_script

PLAIN = "  - {says: Done., repeat: true}\n"


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A command line without a judge, over a scripted model that says that it is done."""
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    configure(openkoi)
    return openkoi.with_environment(OPENKOI_MODEL=write_script(openkoi.folder, PLAIN))


def configure(openkoi: Shell, more: str = "") -> None:
    (openkoi.home / "config.toml").write_text(
        '[evaluators.judge]\nenabled = false\n[hooks.guard]\nenabled = false\n[use]\nsandbox = "plain"\n' + more
    )


# Settings.

NESTED = '''
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

import click
from openkoi_hookspecs import DataDir, Env, Inject, Koi, PluginEntry, Provider


@dataclass(frozen=True)
class Server:
    command: str
    args: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)


class Paints:
    pass


def show(
    *,
    servers: dict[str, Server] = {},
    token: Annotated[str, Env("ACME_TOKEN", secret=True)] = "",
    folder: Annotated[Path, DataDir("acme")],
    paints: Annotated[Paints, Inject("paints", "acme")],
) -> click.Command:
    """A command that is configured like any other plugin."""

    @click.command()
    @click.pass_obj
    def show(koi: Koi) -> None:
        """Show what the command was given."""
        told = {name: asdict(server) for name, server in servers.items()}
        click.echo(json.dumps([told, token, folder.name, type(paints).__name__]))

    return show
'''
SERVERS = """
[commands.acme.servers.time]
command = "time-server"
args = ["--utc"]
[commands.acme.servers.time.env]
"TZ.NAME" = "UTC"
[commands.acme.servers."a.b"]
command = "files"
"""


def test_a_command_is_configured_with_nested_tables_variables_folders_and_plugins(openkoi: Shell) -> None:
    configure(openkoi, SERVERS)
    result = openkoi.with_plugin(NESTED, commands="acme:show", paints="acme:Paints").with_environment(ACME_TOKEN="t-1")(
        "acme"
    )

    time = {"command": "time-server", "args": ["--utc"], "env": {"TZ.NAME": "UTC"}}
    files = {"command": "files", "args": [], "env": {}}
    assert [{"time": time, "a.b": files}, "t-1", "acme", "Paints"] == json.loads(result.stdout), result.stderr


def test_a_wrong_value_in_a_nested_table_is_named_with_its_place(openkoi: Shell) -> None:
    configure(openkoi, SERVERS.replace('["--utc"]', '"--utc"'))
    result = openkoi.with_plugin(NESTED, commands="acme:show", paints="acme:Paints")("acme")

    place = f"[commands.acme] servers.time.args in {openkoi.home / 'config.toml'} is '--utc'"
    assert (2, "") == (result.returncode, result.stdout)
    assert f"{place}: Input should be a valid list." in result.stderr


# Loading.

LOADED = '''
import asyncio
import json
from contextlib import asynccontextmanager

import click
from openkoi_hookspecs import Effect, Koi, PluginNotFoundError, Task, Tool, ToolResult, hookimpl

LIFE = []


class Lives:
    """Entered and left, and by the same task, as a task group demands."""

    def __init__(self, name):
        self.name = name

    async def __aenter__(self):
        LIFE.append(f"{self.name} in")
        self.group = asyncio.TaskGroup()
        await self.group.__aenter__()
        return self

    async def __aexit__(self, *error):
        await self.group.__aexit__(*error)
        LIFE.append(f"{self.name} out")
        if len(LIFE) == 5:
            print(json.dumps(LIFE))


class Hooks(Lives):
    def __init__(self):
        super().__init__("hooks")

    @hookimpl
    def before_plan(self):
        LIFE.append("asked")


@asynccontextmanager
async def thing():
    async with Lives("thing") as lives:
        yield lives


@click.command()
@click.pass_obj
async def command(koi: Koi) -> None:
    """Load a plugin in several tasks at once."""
    [entry] = koi.plugins("things")
    first, second, third = await asyncio.gather(entry.load(), entry.load(), koi.load("things", "acme"))
    again = koi.begin(Task("Do it"))
    await again.result()
    try:
        await koi.load("things", "acm")
    except PluginNotFoundError as error:
        print(error)
    print(first is second is third, first.name, LIFE[-1])
'''


def test_what_is_loaded_is_loaded_once_entered_and_left_hooks_too(openkoi: Shell) -> None:
    result = openkoi.with_plugin(LOADED, commands="acme:command", hooks="acme:Hooks", things="acme:thing")("acme")

    missing, same, life = result.stdout.splitlines()
    assert "No thing named 'acm'. Available: acme. Did you mean 'acme'?" == missing, result.stderr
    assert "True thing asked" == same
    assert ["hooks in", "thing in", "asked", "thing out", "hooks out"] == json.loads(life)


# Tool providers and sources.

BOXES = """
import asyncio

from openkoi_hookspecs import Effect, PluginEntry, Tool, ToolResult

NAMES = ("one", "two", "three", "broken")
ALL = asyncio.Barrier(len(NAMES))


class Box:
    # a server that waits, when it starts and when it lists its tools, until all the others do

    def __init__(self, name):
        self.name = name

    async def __aenter__(self):
        await ALL.wait()
        return self

    async def __aexit__(self, *error):
        pass

    async def tools(self, run):
        async with asyncio.timeout(20):
            await ALL.wait()
        if self.name == "broken":
            raise OSError("its server is gone")

        async def call(arguments):
            return ToolResult(self.name)

        return [Tool(f"ask_{self.name}", "Ask.", {"type": "object"}, call, effect=Effect.READS)]


class Source:
    async def discover(self, koi, workspace):
        await asyncio.sleep(0)

        def entry(name):
            async def load():
                return Box(name)

            return PluginEntry("tools", name, f"{workspace.name}/{name}", load)

        return [entry(name) for name in NAMES]
"""
ASKED = (
    "  - calls: [{tool: ask_one, arguments: {}}, {tool: ask_three, arguments: {}}]\n  - {says: Done., repeat: true}\n"
)


def test_tool_providers_start_and_list_at_the_same_time_and_a_broken_one_is_named(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, ASKED)
    result = openkoi.with_plugin(BOXES, sources="acme:Source").with_environment(OPENKOI_MODEL=model)(
        "Ask them", "-i", "0", "--format", "jsonl"
    )
    results = [one["data"]["result"]["text"] for one in events_of(result.stdout, "tool_result")]

    assert ["one", "three"] == results, result.stderr
    assert "Cannot list the tools of broken: its server is gone" in result.stdout


def events_of(lines: str, kind: str) -> list[dict[str, Any]]:
    return [one for line in lines.splitlines() if (one := json.loads(line)).get("type") == kind]


SCRIPTS = '''
import asyncio
import json
from pathlib import Path

import click
from openkoi_hookspecs import Effect, Koi, PluginEntry, Section, Task, Tool, ToolResult, events, hookimpl, hooks

LIFE = []


class Script:
    """A tool and a hook that a file in the workspace brings."""

    def __init__(self, path, text):
        self.name, self.text = f"{path.parent.name}-{path.stem}", text

    async def __aenter__(self):
        LIFE.append(f"{self.name} {self.text} in")
        return self

    async def __aexit__(self, *error):
        LIFE.append(f"{self.name} {self.text} out")

    async def tools(self, run):
        async def call(arguments):
            return ToolResult(self.text)

        return [Tool(self.name, "Run the script.", {"type": "object"}, call, effect=Effect.READS)]

    @hookimpl
    def before_plan(self, run):
        LIFE.append(f"{self.name} planned for {run.workspace.name}")


class Source:
    async def discover(self, koi: Koi, workspace: Path):
        await koi.collect(hooks.find_models, koi=koi)  # a source may use OpenKoi meanwhile
        if (workspace / "broken").exists():
            raise OSError("the disk is gone")
        return [self.entry(file) for file in sorted(workspace.glob("*.script"))]

    def entry(self, file):
        text = file.read_text().strip()

        async def load():
            return Script(file, text)

        kind = "hooks" if file.stem == "hook" else "tools"
        return PluginEntry(kind, file.stem, str(file), load, version=text)


@click.command()
@click.argument("here", type=Path)
@click.argument("there", type=Path)
@click.pass_obj
async def command(koi: Koi, here: Path, there: Path) -> None:
    """Do tasks in two folders, and change their scripts in between."""
    seen = []

    async def do(folder):
        LIFE.clear()
        await koi.begin(Task("Do it", workspace=str(folder))).result()
        seen.append(sorted(LIFE))

    warned = []
    koi.listen(lambda record: isinstance(record.event, events.WarningIssued) and warned.append(record.event.text))
    await do(here)
    await do(there)
    (there / "same.script").write_text("same")
    (there / "new.script").write_text("new")
    (there / "old.script").unlink()
    (there / "hook.script").write_text("second")
    await do(there)
    (there / "broken").touch()
    await asyncio.gather(do(there), do(there))
    print(json.dumps({"seen": seen, "warned": warned, "here": [one.name for one in koi.plugins("tools")]}))
'''


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders with scripts in them."""
    here, there = tmp_path / "here", tmp_path / "there"
    for folder, scripts in ((here, {"mine": "mine"}), (there, {"same": "same", "old": "old", "hook": "first"})):
        folder.mkdir()
        for name, text in scripts.items():
            (folder / f"{name}.script").write_text(text)
    return here, there


def test_a_source_is_asked_for_each_workspace_and_again(openkoi: Shell, folders: tuple[Path, Path]) -> None:
    result = openkoi.with_plugin(SCRIPTS, sources="acme:Source", commands="acme:command")("acme", *map(str, folders))
    reply = json.loads(result.stdout)

    first, second, third, *later = reply["seen"]
    assert ["here-mine mine in"] == first
    assert ["there-hook first in", "there-hook planned for there", "there-old old in", "there-same same in"] == second
    assert [
        *("there-hook first out", "there-hook planned for there", "there-hook second in"),
        *("there-new new in", "there-old old out"),
    ] == third
    assert ["there-hook planned for there"] * 2 == later[-1], later
    assert {"Plugin 'acme' failed at discover: OSError: the disk is gone"} == {
        text for text in reply["warned"] if "acme" in text
    }
    assert "mine" not in reply["here"]


def test_what_a_source_lists_is_shown_by_openkoi_plugins(openkoi: Shell, folders: tuple[Path, Path]) -> None:
    there = folders[1]
    acme = replace(openkoi.with_plugin(SCRIPTS, sources="acme:Source"), folder=there)
    lines = acme("plugins").stdout.splitlines()
    acme("plugin", "disable", "tools.same")
    disabled = acme("plugins").stdout
    (there / "broken").touch()
    broken = acme("plugins").stdout

    place = lines.index("listed by acme")
    assert ["hooks", "hook", str(there / "hook.script")] == lines[place + 1].split()
    assert ["tools", "same", str(there / "same.script")] == lines[place + 3].split()
    assert f"{there / 'same.script'}, disabled by tools.same.enabled\n" in disabled
    assert "! Plugin 'acme' failed at discover: OSError: the disk is gone" in broken


# Several distributions with one name.

SILENT = """
class Silent:
    async def evaluate(self, work, run):
        return None

    async def tools(self, run):
        return []
"""
RIVAL = "acme and openkoi-lint both provide evaluators 'lint'; the one from openkoi-lint is used."
CHOOSE = (
    'To choose, set "evaluators.lint" under [plugins.prefer] to "acme", '
    'or to "openkoi-lint" to keep the current choice.'
)
STRANGERS = (
    "acme and zeta both provide tools 'dice'; neither is used. To choose, set \"tools.dice\" under [plugins.prefer] to "
)


def with_rivals(openkoi: Shell) -> Shell:
    """Install two distributions: one with the name of a plugin of ours, both with one name of their own."""
    site = openkoi.home.parent / "rivals"
    for name, points in {"acme": {"evaluators": "lint", "tools": "dice"}, "zeta": {"tools": "dice"}}.items():
        info = site / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (site / f"{name}.py").write_text(SILENT)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        lines = [f"[openkoi.{kind}]\n{point} = {name}:Silent\n" for kind, point in points.items()]
        (info / "entry_points.txt").write_text("".join(lines))
    return openkoi.seeing(site)


def test_a_name_that_several_distributions_bring_is_reported_everywhere(openkoi: Shell) -> None:
    openkoi = with_rivals(openkoi)
    result, doctor, ran = openkoi("plugins"), openkoi("doctor"), openkoi("-i", "0", "Say it")

    for text in (result.stdout, doctor.stdout, ran.stderr):
        assert f"! {RIVAL} {CHOOSE}" in text
        assert f"! {STRANGERS}" in text
    assert 2 == sum("dice" in line and "not used" in line for line in result.stdout.splitlines())
    assert ["acme 1.0", "  evaluators   lint             ! not used, because openkoi-lint provides it"] == [
        line for line in result.stdout.splitlines() if line == "acme 1.0" or ("lint" in line and "not used" in line)
    ]
    assert (1, 0) == (doctor.returncode, ran.returncode)


@pytest.mark.parametrize("winner", ["acme", "openkoi-lint"])
def test_a_choice_of_the_user_s_between_them_is_made_without_a_warning(openkoi: Shell, winner: str) -> None:
    openkoi = with_rivals(openkoi)
    configure(openkoi, f'[plugins.prefer]\n"evaluators.lint" = "{winner}"\n"tools.dice" = "zeta"\n')
    output = openkoi("plugins").stdout
    unused = [line.split()[:2] for line in output.splitlines() if "not used" in line]

    assert "both provide" not in output + openkoi("-i", "0", "Say it").stderr
    assert [["evaluators", "lint"], ["tools", "dice"]] == sorted(unused)
    assert winner == distribution_of(output, "lint")


def distribution_of(text: str, name: str) -> str:
    """Return the distribution whose plugin of a name `openkoi plugins` shows as used."""
    distribution = ""
    for line in text.splitlines():
        distribution = distribution if line.startswith(" ") else line.partition(" ")[0]
        if line.split()[1:2] == [name] and "not used" not in line:
            return distribution
    return ""

"""Tables inside a plugin's own table: how they reach its constructor, and what is said of one that is wrong."""

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NotRequired

import pytest
from typing_extensions import TypedDict

from openkoi_base.redact import Redactor
from openkoi_hookspecs import ConfigError, Paths, PluginNotFoundError, SharedSetting
from openkoi_loader.plugin_discovery import Found
from openkoi_loader.plugin_factory import BuildContext, construct
from openkoi_loader.plugins import Plugins
from openkoi_loader.unknown_settings import find_unknown_settings
from openkoi_settings import Config, Setting, read_settings

HERE = Found("tools", "mcp", f"{__name__}:Mcp", "openkoi-mcp")


@dataclass(frozen=True)
class Server:
    """A server that is started."""

    command: str
    args: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 10.0


class Rule(TypedDict):
    """What a server may do."""

    tool: str
    ask: NotRequired[bool]


@dataclass(frozen=True)
class Mcp:
    """A tool provider with tables in its table."""

    servers: dict[str, Server] = field(default_factory=dict)
    rules: list[Rule] | None = None
    main: Annotated[Server | None, SharedSetting("mcp.main")] = None
    free: dict[str, Any] = field(default_factory=dict)


Read = Callable[[str], Config]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read a config file."""

    def read(text: str) -> Config:
        (tmp_path / "config.toml").write_text(text)
        return Config(read_settings(tmp_path / "config.toml"), Paths(tmp_path / "c", tmp_path / "d"), tmp_path)

    return read


async def load(kind: str, name: str) -> object:
    raise PluginNotFoundError(kind, name)


def context(config: Config) -> BuildContext:
    return BuildContext(config, Redactor(), load, {})


def build(config: Config) -> Mcp:
    built = asyncio.run(construct(Mcp, "tools", "mcp", context(config)))
    assert isinstance(built, Mcp)
    return built


def warnings(config: Config) -> list[str]:
    return find_unknown_settings(config, Plugins(config, Redactor(), [HERE]))


def test_tables_arrive_nested_and_as_their_types_say(read: Read) -> None:
    config = read(
        """
        [tools.mcp.servers.time]
        command = "time-server"
        args = ["--utc"]
        seconds = 3
        [tools.mcp.servers.time.env]
        "a.b" = "c"
        [tools.mcp.servers."files.of.mine"]
        command = "files"
        [[tools.mcp.rules]]
        tool = "now"
        ask = true
        [tools.mcp.free.a.b]
        c = 1
        [tools.mcp.free.empty]
        """
    )
    mine = Server("files")

    assert {"time": Server("time-server", ["--utc"], {"a.b": "c"}, 3.0), "files.of.mine": mine} == build(config).servers
    assert [{"tool": "now", "ask": True}] == build(config).rules
    assert {"a": {"b": {"c": 1}}, "empty": {}} == build(config).free
    assert [] == warnings(config)


def test_a_table_may_be_set_on_the_command_line_over_a_file(read: Read) -> None:
    config = read('[tools.mcp.servers.time]\ncommand = "time-server"\n')
    key = "tools.mcp.servers.time.command"
    with_flag = Config({**config.settings, key: Setting("other", f"--set {key}")}, config.paths, config.workspace)

    assert {"time": Server("other")} == build(with_flag).servers


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        (
            '[tools.mcp.servers.time]\ncommand = "x"\nseconds = "soon"\n',
            "[tools.mcp] servers.time.seconds in {file} is 'soon': Input should be a valid number",
        ),
        ("[tools.mcp.servers.time]\nargs = []\n", "[tools.mcp] servers.time.command in {file}: Field required"),
        (
            '[tools.mcp.servers.time]\ncommand = "x"\nenv = {TOKEN = 3}\n',
            "[tools.mcp] servers.time.env.TOKEN in {file} is 3: Input should be a valid string.",
        ),
        ("[[tools.mcp.rules]]\nask = true\n", "[tools.mcp] rules.0.tool in {file}: Field required."),
        ("[tools.mcp.main]\nargs = 3\n", "[tools.mcp] main.command in {file}: Field required."),
        ("[tools.mcp.servers]\ntime = 3\n", "[tools.mcp] servers.time in {file} is 3: "),
    ],
)
def test_a_wrong_value_is_named_with_its_place(text: str, reply: str, read: Read, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        build(read(text))

    assert str(caught.value).startswith(reply.format(file=tmp_path / "config.toml"))


def test_the_origin_is_that_of_the_wrong_value(read: Read) -> None:
    config = read('[tools.mcp.servers.time]\ncommand = "time-server"\n')
    key = "tools.mcp.servers.time.seconds"
    with_flag = Config({**config.settings, key: Setting("soon", f"--set {key}")}, config.paths, config.workspace)

    with pytest.raises(ConfigError, match=f"servers.time.seconds in --set {key} is 'soon'"):
        build(with_flag)


def test_a_value_in_one_file_and_a_table_in_another_are_refused(read: Read) -> None:
    config = read('[tools.mcp.servers.time]\ncommand = "time-server"\n')
    both = {**config.settings, "tools.mcp.servers.time": Setting("x", "project.toml")}

    with pytest.raises(ConfigError, match=r"both a value and a table: .*config.toml, servers.time in project.toml"):
        build(Config(both, config.paths, config.workspace))


def test_a_table_may_be_common_to_several_plugins(read: Read, tmp_path: Path) -> None:
    assert Server("files", env={"a.b": "c"}) == build(read('[mcp.main]\ncommand = "files"\nenv = {"a.b" = "c"}\n')).main
    with pytest.raises(ConfigError, match=r"^mcp\.main\.args in .*config\.toml is 3: "):
        build(read('[mcp.main]\ncommand = "x"\nargs = 3\n'))


@pytest.mark.row("CFG-03")
@pytest.mark.parametrize(
    ("text", "key", "meant"),
    [
        ('[tools.mcp.servers.time]\ncomand = "x"\n', "servers.time.comand", "servers.time.command"),
        ('[tools.mcp.servers."a.b"]\nsecond = 3\n', "servers.a.b.second", "servers.a.b.seconds"),
        ("[[tools.mcp.rules]]\ntools = 3\n", "rules.tools", "rules.tool"),
        ("[tools.mcp.main]\narg = []\n", "main.arg", "main.args"),
    ],
)
def test_a_slip_in_a_nested_table_is_named(text: str, key: str, meant: str, read: Read, tmp_path: Path) -> None:
    place = f"tools.mcp.{key} in {tmp_path / 'config.toml'}"

    assert [f"{place} is not a setting, so it has no effect. Did you mean tools.mcp.{meant}?"] == warnings(read(text))


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="typing's own is usable there")
def test_a_type_that_cannot_be_checked_is_the_plugins_error(read: Read) -> None:
    import typing

    class Old(typing.TypedDict):
        tool: str

    def make(*, rules: list[Old]) -> object:
        return rules

    config = read("[[tools.mcp.rules]]\ntool = 'x'\n")
    with pytest.raises(TypeError, match=r"typing_extensions.TypedDict"):
        asyncio.run(construct(make, "tools", "mcp", context(config)))

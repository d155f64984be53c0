"""Test that every notation of servers is read alike, and that errors are named and affect nothing else."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from documented_plugins import DONE, calling, configure, results_of, shell_with, turn
from mcp_runs import pond, write_project_file

from openkoi_hookspecs import events
from openkoi_mcp.definitions import tool_name
from openkoi_mcp.discovery import McpServers
from openkoi_mcp.json_files import read_servers, table_of
from openkoi_mcp.server_config import ServerConfig, ServerTable, child_environment, expand
from openkoi_testing import SourceContract

FILES = {"command": "npx", "args": ["-y", "files"], "env": {"TOKEN": "${TOKEN}"}}
SHAPES: dict[str, dict[str, Any]] = {
    "[[mcp.servers]]": {"mcp": {"servers": [{"name": "files", **FILES}]}},
    "[mcp.servers.NAME]": {"mcp": {"servers": {"files": FILES}}},
    "[plugins.mcp] servers": {"plugins": {"mcp": {"servers": [{"name": "files", **FILES}]}}},
    "[plugins] mcp": {"plugins": {"mcp": [{"name": "files", **FILES}]}},
}


def toml(value: Any) -> str:
    """Write a value as TOML does, tables in lists too."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + "}"
    return "[" + ", ".join(map(toml, value)) + "]" if isinstance(value, list) else json.dumps(value)


@pytest.mark.row("C7", "MCP-01", "MCP-02")
@pytest.mark.parametrize("shape", [*SHAPES, ".mcp.json", "~/.config/mcp/servers.json"])
def test_all_shapes_are_read_into_one(shape: str, tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path)
    for table, value in SHAPES.get(shape, {}).items():
        with (openkoi.home / "config.toml").open("a") as file:
            file.writelines(f"{table}.{json.dumps(key)} = {toml(inner)}\n" for key, inner in value.items())
    if shape == ".mcp.json":
        write_project_file(openkoi, files=FILES)
    elif shape.startswith("~"):
        shared = openkoi.home.parent / ".config" / "mcp" / "servers.json"
        shared.parent.mkdir(parents=True)
        shared.write_text(json.dumps({"mcpServers": {"files": FILES}}))
    result = openkoi("mcp", "list")

    assert result.stdout.startswith("files  not approved"), result.stderr
    assert "npx -y files" in result.stdout
    assert "has no effect" not in openkoi("Say it").stderr


@pytest.mark.unit
def test_a_json_file_and_a_table_are_the_same_server() -> None:
    table = table_of({**FILES, "type": "stdio", "some-other-key": 1})

    own = ServerTable(command="npx", args=("-y", "files"), env={"TOKEN": "${TOKEN}"})
    assert replace(own, transport="stdio") == table
    assert ServerConfig("files", own, "here").identity == ServerConfig("files", table, "there").identity


def test_a_broken_project_file_and_a_broken_entry_are_named_and_cost_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / ".mcp.json"
    file.write_text("{]")
    broken = read_servers(file, project=True)
    file.write_text(json.dumps({"mcpServers": {"good": FILES, "bad": {"command": 3}}}))
    servers, warnings = read_servers(file, project=True)
    file.write_text("[]")
    no_object = read_servers(file, project=True)

    assert ([], 1) == (broken[0], len(broken[1]))
    assert f"{file} cannot be read" in broken[1][0]
    assert ["good"] == [one.name for one in servers]
    assert [f"The MCP server 'bad' in {file} is not used: command is not a string."] == warnings
    assert "it should contain an object mcpServers" in no_object[1][0]


@pytest.mark.parametrize(
    ("content", "names", "warnings"),
    [
        (b'\xef\xbb\xbf{"mcpServers": {"good": {"command": "x"}}}', ["good"], 0),
        (b'{"mcpServers": {}}', [], 0),
        (b"{}", [], 0),
        (b'{"servers": {"other": {"command": "x"}}}', [], 1),
        (b'{"mcpservers": {}}', [], 1),
        (b'{"mcpServers": null}', [], 1),
    ],
)
def test_a_file_of_another_shape_is_named_and_a_byte_order_mark_is_read(
    content: bytes, names: list[str], warnings: int, tmp_path: Path
) -> None:
    (tmp_path / ".mcp.json").write_bytes(content)
    servers, warned = read_servers(tmp_path / ".mcp.json", project=True)

    assert names == [one.name for one in servers]
    assert ["it should contain an object mcpServers" in one for one in warned] == [True] * warnings


@pytest.mark.parametrize(
    "seconds", ["NaN", "Infinity", "-1", "0", "1e999", "null", "true", '"5"', "[1]", "1" + "0" * 400]
)
def test_a_time_that_no_call_can_take_is_named_and_costs_no_other_server(seconds: str, tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path)
    entry = f'{{"command": "x", "timeout": {seconds}}}'
    (openkoi.folder / ".mcp.json").write_text(f'{{"mcpServers": {{"odd": {entry}, "good": {{"command": "y"}}}}}}')

    listed = openkoi("mcp", "list")

    assert "good" in listed.stdout
    assert "odd" not in listed.stdout
    assert "The MCP server 'odd'" in listed.stderr


def test_the_user_s_own_server_goes_before_one_of_the_project_with_the_same_name(tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path, mcp={"servers": {"files": {"command": "mine"}}})
    write_project_file(openkoi, files={"command": "theirs"})

    assert "mine" in (text := openkoi("mcp", "list").stdout)
    assert "theirs" not in text


def test_a_project_may_not_configure_servers_in_its_own_settings(tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path)
    own = openkoi.folder / ".openkoi"
    own.mkdir()
    (own / "config.toml").write_text('[mcp.servers.x]\ncommand = "evil"\n')

    assert "No MCP servers." in openkoi("mcp", "list").stdout
    assert (
        "A project's configuration may not set 'mcp.servers.x.command', so the value is ignored."
        in openkoi("Say it").stderr
    )


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({"command": ""}, "it has no command"),
        ({"url": "ftp://x"}, "its url is missing, or does not begin with https:// or http://"),
        ({"command": "x", "transport": "pigeon"}, "its transport 'pigeon' is unknown; use stdio, http or sse"),
    ],
)
def test_a_server_that_cannot_be_used_is_named_with_the_reason(
    table: dict[str, str], problem: str, tmp_path: Path
) -> None:
    openkoi = shell_with(tmp_path, mcp={"servers": {"odd": table}})

    assert f"The MCP server 'odd' in {openkoi.home / 'config.toml'} is not used: {problem}." in openkoi("Say it").stderr


@pytest.mark.unit
@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("${A}/x", "1/x"),
        ("${B:-2}${C:-}", "2"),
        ("${B}", "${B}"),
        ("$A ${A", "$A ${A"),
        ("${EMPTY:-3}", "3"),
    ],
)
def test_variables_are_filled_in_as_other_programs_do(text: str, expanded: str) -> None:
    assert expanded == expand(text, {"A": "1", "EMPTY": ""})


@pytest.mark.unit
def test_a_child_gets_the_usual_four_variables_and_those_that_are_named() -> None:
    ours = {"PATH": "/bin", "HOME": "/h", "LANG": "C", "TMPDIR": "/t", "KEY": "secret", "GIVEN": "1", "USER": "me"}
    table = ServerTable(env={"TOKEN": "t-${KEY}"}, env_names=("GIVEN", "MISSING"))

    usual = {name: ours[name] for name in ("PATH", "HOME", "LANG", "TMPDIR")}
    assert {**usual, "GIVEN": "1", "TOKEN": "t-secret"} == child_environment(table, ours)
    assert ours == child_environment(ServerTable(inherit_env=True), ours)


@pytest.mark.unit
def test_names_of_tools_are_what_all_vendors_take() -> None:
    long = [tool_name("server", "x" * 80 + end) for end in "ab"]

    assert "my_files__read_file" == tool_name("my.files", "read file")
    assert [64, 64] == [len(name) for name in long]
    assert long[0] != long[1]


def test_servers_are_added_and_removed_and_all_else_stays(tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path)
    file = openkoi.home / "config.toml"
    before = file.read_text()
    added = openkoi("mcp", "add", "--env", "A=${A}", "files", "npx", "-y", "files", "--url", "x")
    again = openkoi("mcp", "add", "files", "npx")
    openkoi("mcp", "add", "--url", "https://x/mcp", "--header", "Authorization=Bearer ${T}", "docs")
    output = openkoi("mcp", "list").stdout
    removed = [openkoi("mcp", "remove", name).returncode for name in ("files", "docs", "docs")]

    assert "To let OpenKoi call its tools, run `openkoi mcp approve files`." in added.stdout
    assert (1, True) == (again.returncode, "An MCP server named files already exists." in again.stderr)
    assert "npx -y files --url x" in output
    assert "https://x/mcp" in output
    assert [0, 0, 2] == removed
    assert file.read_text().startswith(before.rstrip("\n"))
    assert "No MCP servers." in openkoi("mcp", "list").stdout


def test_the_server_of_the_documentation_works(tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path, turns=turn(calling("garden__plant", flower="rose"), when="after: 0") + DONE)
    page = openkoi("plugin", "docs", "mcp").stdout
    code = page.partition("## server.py\n")[2].partition("\nTo use the server")[0]
    (openkoi.folder / "server.py").write_text(dedent(code))

    assert 0 == openkoi("mcp", "add", "garden", sys.executable, "server.py").returncode
    assert "garden: ok, 1 tool" in openkoi("mcp", "test", "garden").stdout
    assert "tool plant: Plant a flower" in openkoi("mcp", "approve", "garden", "--yes").stdout
    openkoi("-i", "0", "Plant a rose")
    assert ["Nothing was planted."] == results_of(openkoi)  # no terminal is attached


@pytest.mark.parametrize("word", ["server.py", "./server.py", "../folder/server.py"])
def test_files_of_an_added_server_are_found_from_every_folder(tmp_path: Path, word: str) -> None:
    openkoi = shell_with(tmp_path)
    (openkoi.folder / "server.py").write_text("")
    openkoi("mcp", "add", "pond", "python", word, "--quiet", "absent.py")

    assert f"python {openkoi.folder / 'server.py'} --quiet absent.py" in openkoi("mcp", "list").stdout


@pytest.mark.parametrize(
    "words", [("files",), ("--url", "https://x", "files", "npx"), ("a/b", "npx"), ("--env", "A", "x", "python3")]
)
def test_a_server_that_cannot_be_added_changes_nothing(words: tuple[str, ...], tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path)
    before = (openkoi.home / "config.toml").read_text()

    assert 2 == openkoi("mcp", "add", *words).returncode
    assert before == (openkoi.home / "config.toml").read_text()


def test_words_of_a_task_add_no_server(tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path)
    before = (openkoi.home / "config.toml").read_text()
    refused = openkoi("mcp", "add", "tests", "for", "the", "parser")

    assert (2, before) == (refused.returncode, (openkoi.home / "config.toml").read_text())
    assert "Command not found: for." in refused.stderr
    assert "To run these words as a task, run `openkoi 'mcp add tests for the parser'`." in refused.stderr


def test_a_server_in_a_list_is_removed_from_the_list(tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path)
    configure(openkoi, {})
    (openkoi.home / "config.toml").write_text('[[mcp.servers]]\nname = "a"\ncommand = "x"\n')
    openkoi("mcp", "add", "b", "python3")
    openkoi("mcp", "remove", "a")

    assert ["b"] == [line.split()[0] for line in openkoi("mcp", "list").stdout.splitlines()[::2]]


class TestSource(SourceContract):
    subject = McpServers()
    files = {".mcp.json": json.dumps({"mcpServers": {"files": FILES}})}  # noqa: RUF012  # as the contract has it

    def test_a_run_uses_what_it_finds_without_a_warning(self, filled_workspace: Path) -> None:
        """A server of a project needs approval, and no other warning is given."""
        warned = [one.event for one in self.run_task_in(filled_workspace).records]
        texts = [one.text for one in warned if isinstance(one, events.WarningIssued)]

        assert [True] == ["The MCP server files is not approved" in text for text in texts]


def test_doctor_names_a_server_that_does_not_answer_and_finishes(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, server={"command": sys.executable, "args": ["-c", "import time; time.sleep(99)"]}).openkoi

    result = openkoi("doctor")

    assert "! mcp-pond did not answer within 10 s." in result.stdout
    assert "Plugins:" in result.stdout

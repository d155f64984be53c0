"""What each kind of plugin is trusted with is stated, and is what the code does."""

import inspect
import re
from pathlib import Path

import pytest
from cli_process import shell, write_script
from documented_plugins import events_of
from hostile_distributions import HOOK, install

from openkoi_base.grants.capabilities import KEYS
from openkoi_hookspecs import events
from openkoi_mcp.server_config import ServerTable, child_environment
from openkoi_scripts.host_functions import HostFunctions
from openkoi_wasm.host_calls import FUNCTIONS

SECURITY = (Path(__file__).parent.parent / ".github" / "SECURITY.md").read_text()
READER = """
@hookimpl
def before_plan():
    with open(os.environ["ACME_FILE"]) as file:
        return [Section("read", file.read())]
"""


def stated(plugin: str) -> tuple[str, set[str]]:
    """The trust that the page states for a kind of plugin, and the names in what it may do."""
    table = SECURITY.partition("## What plugins may do\n")[2].partition("\n## ")[0]
    (row,) = [line.strip("|").split("|") for line in table.splitlines() if line.startswith(f"| {plugin} |")]
    return row[1].strip(), set(re.findall(r"`(\w+)`", row[2]))


@pytest.mark.row("SEC-01", "SEC-07")
def test_the_trust_in_each_kind_of_plugin_is_stated_as_the_code_has_it() -> None:
    variables = dict.fromkeys(["PATH", "HOME", "LANG", "TMPDIR", "ACME_TOKEN", "PWD"], "x")
    of_scripts = set(re.findall(r"self\.capabilities\.(\w+)", inspect.getsource(HostFunctions)))
    of_modules = {one.needs for one in FUNCTIONS.values() if one.needs}

    assert ("full", set[str]()) == stated("installed Python distribution") == stated("one-file Python hook")
    assert ("high", {*child_environment(ServerTable(command="x"), variables)}) == stated("MCP server")
    assert ("medium", of_scripts) == stated("script")
    assert ("low", of_modules) == stated("WASM module")
    assert of_scripts < {*KEYS} < of_modules


@pytest.mark.row("SEC-01", "SEC-07", "C63")
def test_an_installed_distribution_is_trusted_like_openkoi_itself_and_counted(tmp_path: Path) -> None:
    site, file = tmp_path / "site", tmp_path / "file"
    site.mkdir()
    install(site, "acme-reader", HOOK + READER)
    file.write_text("carp")
    plain = shell(tmp_path)
    openkoi = plain.seeing(site).with_environment(ACME_FILE=str(file))
    model = write_script(openkoi.folder, "  - says: Done.\n")
    before = plain("doctor").stdout

    openkoi("-m", model, "-i", "0", "Do it")
    (plan,) = events_of(openkoi, events.PlanReady)

    assert ["carp"] == [one.text for one in plan.plan.sections if one.name == "read"]
    assert 1 == distributions(openkoi("doctor").stdout) - distributions(before)


def distributions(text: str) -> int:
    """How many distributions the doctor says are trusted."""
    (number,) = re.findall(r"(\d+) distributions, trusted like OpenKoi itself", text)
    return int(number)

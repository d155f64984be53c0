"""Test that the documented trust of each kind of plugin matches the code."""

import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from cli_process import shell, write_script
from documented_plugins import events_of
from hostile_distributions import HOOK, install

import openkoi_mcp
import openkoi_wasm
from openkoi_base.grants.capabilities import KEYS
from openkoi_hookspecs import events
from openkoi_mcp.server_config import ServerTable, child_environment
from openkoi_scripts.host_functions import HostFunctions
from openkoi_scripts.listing import make_entry
from openkoi_scripts.script_files import Origin, ScriptFile
from openkoi_wasm.host_functions import FUNCTIONS

NO_KOI: Any = None  # not asked about what a bundle brings
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


@pytest.mark.row("SEC-07", "C63")
def test_only_what_has_no_sandbox_may_be_run_in_a_process_of_its_own() -> None:
    """As the page says: `subprocess = true` is for distributions and Python files, and refused for the others."""
    kept_apart = [openkoi_mcp, openkoi_wasm]
    sources = [path for one in kept_apart for path in Path(one.__path__[0]).rglob("*.py")]
    scripts = {end: make_entry(ScriptFile(Path(f"a.{end}"), Origin.BUNDLE, ""), 1.0, NO_KOI) for end in ("py", "star")}

    assert "the setting is refused for them" in SECURITY
    assert {"py"} == {end for end, entry in scripts.items() if entry.load_in_subprocess}
    assert sources
    assert [] == [path for path in sources if "load_in_subprocess" in path.read_text()]


def distributions(text: str) -> int:
    """How many distributions the doctor says are trusted."""
    (number,) = re.findall(r"(\d+) distributions, trusted like OpenKoi itself", text)
    return int(number)

"""Test consent to WASM plugins by the command line: nothing runs before the user allows its current state."""

from pathlib import Path

from documented_plugins import calling
from wasm_plugins import TOOL, answering, pond, write_plugin

HERE = calling("fish__run")


def test_a_plugin_is_used_once_it_is_approved_and_until_its_module_or_manifest_changes(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, HERE)
    openkoi.add(write_plugin(tmp_path, answering("42 fish")), approve=False)
    refused = openkoi("Do it")
    approved = openkoi("wasm", "approve", "fish", "--yes")
    openkoi("Do it")
    place = openkoi.openkoi.home / "data" / "plugins" / "wasm"
    write_plugin(place, answering("7 sharks"))
    changed = openkoi("Do it")
    write_plugin(place, answering("42 fish"), f'{TOOL}[capabilities]\nenvironment = ["HOME"]\n')
    asked_more = openkoi("Do it")
    write_plugin(place, answering("42 fish"))
    openkoi("Do it")

    rest = ", so it is not used. To decide, run `openkoi wasm approve fish`."
    assert f"! The WASM plugin fish is not approved{rest}" in refused
    since = f"! The WASM plugin fish has changed since you approved it{rest}"
    assert [True, True] == [since in one for one in (changed, asked_more)]
    assert "It adds tools fish__run. It may only compute." in approved
    assert 2 == openkoi.results.count("42 fish")
    assert not any("sharks" in one for one in openkoi.results)


def test_a_revoked_plugin_is_not_used_and_a_removed_one_has_to_be_approved_again(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, HERE)
    folder = write_plugin(tmp_path, answering("42 fish"))
    openkoi.add(folder)
    (text,) = [line.split()[0] for line in openkoi("trust").splitlines() if "fish" in line]
    openkoi("trust", "revoke", text)
    openkoi("Do it")
    openkoi("wasm", "approve", "fish", "--yes")
    openkoi("wasm", "remove", "fish")
    message = openkoi("wasm", "list")
    openkoi.add(folder, approve=False)
    openkoi("Do it")

    assert "No WASM plugins." in message
    assert not any("42 fish" in one for one in openkoi.results)

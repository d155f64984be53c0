"""Test WASM plugins from catalogues: hashes are checked, only the plugin is unpacked, and the user is asked."""

import json
import os
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest
from documented_plugins import calling
from wasm_plugins import TOOL, Pond, answering, pond, write_plugin


def list_archive(openkoi: Pond, files: dict[str, bytes], *, name: str = "fish", digest: str = "") -> None:
    """Write an archive beside a catalogue that lists it."""
    folder = openkoi.openkoi.folder / "acme"
    folder.mkdir(exist_ok=True)
    with ZipFile(folder / "fish.zip", "w") as archive:
        for member, data in files.items():
            archive.writestr(member, data)
    digest = digest or sha256((folder / "fish.zip").read_bytes()).hexdigest()
    entry = {"name": name, "kind": "wasm", "summary": "Counts fish.", "file": "fish.zip", "sha256": digest}
    fields = "\n".join(f"{key} = {json.dumps(value)}" for key, value in entry.items())
    (folder / "catalogue.toml").write_text(f'name = "acme"\n[[plugins]]\n{fields}\n')


@pytest.fixture(name="openkoi")
def make_shell(tmp_path: Path) -> Pond:
    """Return a command line with a catalogue, where the model calls a tool of the plugin."""
    openkoi = pond(tmp_path, calling("fish__run"), plugins={"catalogues": ["acme/catalogue.toml"]})
    list_archive(openkoi, plugin_files(tmp_path))
    return openkoi


def plugin_files(folder: Path, name: str = "fish") -> dict[str, bytes]:
    """Return the files of a plugin."""
    plugin = write_plugin(folder / "made", answering("42 fish"), TOOL, name=name)
    return {one.name: one.read_bytes() for one in plugin.iterdir()}


def test_a_plugin_is_found_installed_and_used_once_it_is_approved(openkoi: Pond) -> None:
    found = openkoi("plugin", "search", "fish")
    installed = openkoi("plugin", "install", "fish")
    openkoi("Do it")
    again = openkoi("plugin", "install", "fish", status=1)
    openkoi("wasm", "approve", "fish", "--yes")
    openkoi("Do it")

    assert "fish  wasm  listed  Counts fish.  (acme)" in found
    assert "fish (wasm) from the catalogue acme, listed: hash verified." in installed
    assert "run `openkoi wasm approve fish`" in installed
    assert "run `openkoi wasm remove fish` first" in again
    assert ["42 fish"] == [one for one in openkoi.results if "fish" in one and "tool" not in one]


def test_a_plugin_is_updated_and_removed_by_its_name(openkoi: Pond, tmp_path: Path) -> None:
    openkoi("plugin", "install", "fish")
    same = openkoi("plugin", "update", "fish")
    files = plugin_files(tmp_path)
    list_archive(openkoi, {**files, "plugin.toml": files["plugin.toml"] + b"# newer\n"})
    updated = openkoi("plugin", "update", "fish")
    removed = openkoi("plugin", "remove", "fish")

    assert "fish is already up to date: " in same
    assert "approve" not in same
    assert "run `openkoi wasm approve fish`" in updated
    assert "Removed fish.\n" == removed


@pytest.mark.skipif(os.name != "posix", reason="a terminal as POSIX has it")
def test_at_a_terminal_the_user_is_asked_when_it_is_installed(openkoi: Pond) -> None:
    from pseudo_terminal import ENTER, terminal

    with terminal(openkoi.openkoi, "plugin", "install", "fish") as there:
        there.shows("It may only compute.")
        there.shows("Allow OpenKoi to use this plugin?")
        there.type("y" + ENTER)
        there.shows("Approved fish.")
        assert 0 == there.ends()

    assert "fish 1.0  approved" in openkoi("wasm", "list")


def test_other_archives_are_refused_and_leave_nothing(openkoi: Pond, tmp_path: Path) -> None:
    good = plugin_files(tmp_path)
    manifest, wasm = good["plugin.toml"], good["fish.wasm"]
    wrong_files = {
        "outside": {"plugin.toml": manifest, "../fish.wasm": wasm},
        "absolute": {"plugin.toml": manifest, "/tmp/fish.wasm": wasm},
        "windows": {"plugin.toml": manifest, "..\\fish.wasm": wasm},
        "folder": {"fish/plugin.toml": manifest, "fish/fish.wasm": wasm},
        "more": {**good, "run.py": b"print()"},
        "no module": {"plugin.toml": manifest},
        "no manifest": {"fish.wasm": wasm},
        "not TOML": {"plugin.toml": b"[[", "fish.wasm": wasm},
        "too large": {"plugin.toml": manifest, "fish.wasm": bytes(4_000_000)},
    }
    refused = {}
    for case, files in wrong_files.items():
        list_archive(openkoi, files)
        refused[case] = openkoi("plugin", "install", "fish", status=1)
    list_archive(openkoi, plugin_files(tmp_path, name="shark"))
    renamed = openkoi("plugin", "install", "fish", status=1)
    list_archive(openkoi, good, digest="0" * 64)
    changed = openkoi("plugin", "install", "fish", status=1)
    list_archive(openkoi, {"plugin.toml": manifest.replace(b"[[tools]]", b"[[tool]]"), "fish.wasm": wasm})
    broken = openkoi("plugin", "install", "fish", status=1)

    wanted = "fish.zip must contain only plugin.toml and one .wasm file."
    assert {} == {case: text for case, text in refused.items() if wanted not in text}
    assert "the plugin in fish.zip is named 'shark'" in renamed
    assert "does not have the hash" in changed
    assert "the manifest has the unknown key 'tool'" in broken
    assert "fish was not installed" in broken
    assert not (openkoi.openkoi.home / "data" / "plugins" / "wasm").exists()
    assert not [*tmp_path.rglob("run.py")]

"""``openkoi migrate`` names the format of the log and of exports; what a newer OpenKoi wrote is refused, unchanged."""

import json
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

CURRENT = "needs no migration: format 1 is current.\n"
READERS = [
    *(("migrate",), ("update", "--migrations"), ("status",), ("replay",), ("sessions",), ("resume",), ("undo",)),
    *(("memory", "rebuild"), ("export", "--output", "export"), ("Say done",)),
]


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """Return an installation whose log has a task."""
    write_script(tmp_path, "  - says: Done.\n    repeat: true\n")
    openkoi = shell(tmp_path).with_environment(OPENKOI_MODEL=f"scripted/{tmp_path / 'script.yaml'}")
    assert 0 == openkoi("-i", "0", "Say done").returncode
    return openkoi


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.row("CLI-11", "MIG-09")
@pytest.mark.parametrize("command", [("migrate",), ("update", "--migrations")])
def test_the_format_of_the_log_is_named_and_the_log_is_unchanged(openkoi: Shell, command: tuple[str, ...]) -> None:
    before = content(openkoi.home / "data" / "sessions")

    result = openkoi(*command)

    assert (0, f"✓ The run log {CURRENT}") == (result.returncode, result.stdout), result.stderr
    assert before == content(openkoi.home / "data" / "sessions")


@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_the_log_of_a_newer_version_is_refused_and_unchanged(openkoi: Shell, command: tuple[str, ...]) -> None:
    sessions = openkoi.home / "data" / "sessions"
    (sessions / "format-2").touch()
    before = content(sessions)

    result = openkoi(*command)

    assert 1 == result.returncode, result.stdout
    assert f"The run log in {sessions} has format 2, and this OpenKoi reads format 1." in result.stderr
    assert "Traceback" not in result.stderr
    assert before == content(sessions)


def test_doctor_and_an_update_that_fails_say_what_is_wrong(openkoi: Shell) -> None:
    (openkoi.home / "data" / "sessions" / "format-2").touch()

    checked, updated = openkoi("doctor"), openkoi.with_environment(PIP_INDEX_URL="http://127.0.0.1:1/")("update")

    assert (1, True) == (checked.returncode, "has format 2, and this OpenKoi reads format 1." in checked.stdout)
    assert updated.stderr.startswith("Error: Cannot check for updates: "), updated.stderr


@pytest.mark.row("CLI-11")
def test_the_format_of_an_export_is_named_and_a_newer_one_is_refused(openkoi: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "export"
    assert 0 == openkoi("export", "--output", str(folder)).returncode

    current = openkoi("migrate", str(folder))
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "schema": "openkoi.export/2"}))
    newer = openkoi("migrate", str(folder))

    assert (0, f"✓ The export {folder} {CURRENT}") == (current.returncode, current.stdout)
    assert (1, "") == (newer.returncode, newer.stdout)
    assert "is not in the format openkoi.export/1. Update OpenKoi, or export again." in newer.stderr

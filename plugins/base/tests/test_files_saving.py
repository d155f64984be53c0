"""Keys and settings are saved whole, for their user alone, and lose nothing that was there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from openkoi_base.files import find_key, list_names, migrate_key_files, save_key
from openkoi_hookspecs import ConfigError

POSIX = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")


@pytest.mark.row("SEC-02", "ONB-15", "CLI-45")
def test_a_key_is_kept_beside_the_others_and_takes_the_place_of_its_older_one(tmp_path: Path) -> None:
    folder = tmp_path / "credentials"
    save_key(folder, "acme", "sk-old")
    save_key(folder, "borg", "sk-borg")
    store = save_key(folder, "acme", "sk-new")

    assert {"acme": "sk-new", "borg": "sk-borg"} == json.loads(store.read_text())
    assert ["acme", "borg"] == list_names(folder)
    found = find_key(folder, "acme")
    assert found is not None
    assert "sk-new" == found.value


@POSIX
@pytest.mark.row("SEC-02")
def test_nobody_else_can_read_what_is_saved(tmp_path: Path) -> None:
    store = save_key(tmp_path / "credentials", "acme", "sk-1")

    assert (0o700, 0o600) == (store.parent.stat().st_mode & 0o777, store.stat().st_mode & 0o777)


def test_a_store_that_cannot_be_read_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "providers.json").write_text("{ not json")

    with pytest.raises(ConfigError, match="not valid JSON"):
        save_key(tmp_path, "acme", "sk-1")
    assert "{ not json" == (tmp_path / "providers.json").read_text()


SAVE = """
import sys
from pathlib import Path
from openkoi_base.files import save_key
for number in range(10):
    save_key(Path(sys.argv[1]), f"p{sys.argv[2]}-{number}", "key")
"""


def test_two_who_save_at_once_lose_nothing(tmp_path: Path) -> None:
    workers = [subprocess.Popen([sys.executable, "-c", SAVE, str(tmp_path), str(worker)]) for worker in range(3)]

    assert [0, 0, 0] == [worker.wait() for worker in workers]

    assert 30 == len(list_names(tmp_path))


@pytest.mark.row("C1")
def test_keys_of_older_habits_are_moved_into_the_store(tmp_path: Path) -> None:
    save_key(tmp_path, "borg", "sk-new")
    (tmp_path / "acme.key").write_text("sk-old\n")
    (tmp_path / "borg.key").write_text("sk-older\n")

    assert ["acme.key", "borg.key"] == [path.name for path in migrate_key_files(tmp_path)]
    assert {"acme": "sk-old", "borg": "sk-new"} == json.loads((tmp_path / "providers.json").read_text())
    assert [] == list(tmp_path.glob("*.key"))

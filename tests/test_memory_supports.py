"""A memory that knows the contract alone is reset and rebuilt by the commands that do so."""

import json
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

ACME = """
import json
from pathlib import Path
from typing import Annotated
from openkoi_hookspecs import DataDir, Hit, Passage


class Lines:
    def __init__(self, *, path: Annotated[Path, DataDir("acme.json")]) -> None:
        self.path = path

    def known(self):
        return json.loads(self.path.read_text()) if self.path.exists() else {"version": 1, "ids": []}

    def keep(self, known) -> None:
        self.path.write_text(json.dumps(known))

    async def ingest(self, records) -> None:
        known = self.known()
        self.keep({**known, "ids": [*dict.fromkeys([*known["ids"], *(record.id for record in records)])]})

    async def search(self, query):
        return [Hit(Passage(id, id), 1.0) for id in self.known()["ids"][: query.limit]]

    async def health(self):
        return {"entries": str(len(self.known()["ids"]))}

    def aside(self):
        old = self.path.with_suffix(".old")
        return self.path.replace(old) if self.path.exists() else None


class Resettable(Lines):
    async def reset(self):
        return self.aside()


class Rebuildable(Lines):
    def create_shadow(self):
        return Shadow(path=self.path.with_suffix(".new"))

    async def replace_with(self, shadow):
        old = self.aside()
        shadow.path.replace(self.path)
        return old


class Shadow(Lines):
    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
"""


def install_memory(folder: Path, memory: str) -> Shell:
    """Return a memory of another distribution is in use, and has seen a task."""
    openkoi = shell(folder)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(
        '[use]\nmemory = "acme"\n[evaluators.judge]\nenabled = false\n[iteration]\nmax_iterations = 0\n'
    )
    write_script(folder, "  - says: Done.\n    repeat: true\n")
    there = openkoi.with_plugin(ACME, memory=f"acme:{memory}").with_environment(
        OPENKOI_MODEL=f"scripted/{folder / 'script.yaml'}"
    )
    assert 0 == there("Say done").returncode
    assert 0 == there("Say done again").returncode  # the first task is remembered when the next one begins
    return there


@pytest.mark.parametrize("memory", ["Resettable", "Rebuildable"])
def test_a_memory_of_another_distribution_is_built_again(tmp_path: Path, memory: str) -> None:
    openkoi = install_memory(tmp_path, memory)
    file = openkoi.home / "data" / "acme.json"
    before = json.loads(file.read_text())
    file.write_text(json.dumps({**before, "ids": ["made-up", *before["ids"]]}))

    result = openkoi("memory", "rebuild")

    assert f"The previous tables are kept in {file.with_suffix('.old')}" in result.stdout, result.stderr
    assert "made-up" in file.with_suffix(".old").read_text()
    assert set(before["ids"]) <= set(json.loads(file.read_text())["ids"])
    assert "made-up" not in file.read_text()
    assert not file.with_suffix(".new").exists()

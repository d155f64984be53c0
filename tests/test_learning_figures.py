"""Counts and confidence have one source: the memory's table, the export and ``openkoi learn`` say the same."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell
from memory_tables import query_tables
from poison_scenes import Home, Poison, meet, verdict

from openkoi_hookspecs.events import BaselineSaved, WorkspaceRestored

FIGURES = "SELECT id, confidence, reinforced, last_used, expires_at FROM learnings ORDER BY id"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home in which something was learned and helped; three tasks like it followed."""
    home = Home(tmp_path)
    meet(home, Poison("suggestion", "Guard limit_1 with a lock.", "limit_1", "nothing turns green"))
    home.do("Fix answer.py so that the value is right, again", ["Done."])
    home.do("Fix answer.py so that the value is right, please", ["Done."])
    shown = {"hooks.learning.relevance": 0.1}  # no work shows it, so it is less and less likely to be needed
    home.do("Fix answer.py so that the value is right, now", ["Done."], judge=[verdict(0.2)], settings=shown)
    return home


def table(home: Home) -> list[tuple[Any, ...]]:
    """Return the figures in the memory's table."""
    return query_tables(home.folder / "home" / "data", FIGURES)


def exported_figures(shell: Shell) -> list[tuple[Any, ...]]:
    """Return the figures in the export."""
    assert 0 == shell("export", "--format", "json", "--output", "out").returncode
    rows = json.loads((shell.folder / "out" / "learnings.json").read_text())
    return sorted((one["id"], *figures_of(one)) for one in rows)


def listed_figures(shell: Shell) -> list[tuple[Any, ...]]:
    """Return the figures in ``openkoi learn list``, without past tasks, which are not in the memory's table."""
    result = shell("learn", "list", "--all", "--format", "json")
    return sorted((one["id"], *figures_of(one)) for one in json.loads(result.stdout) if not is_past_tasks(one))


def is_past_tasks(one: dict[str, Any]) -> bool:
    """Return whether a listed entry stands for the past tasks of a project."""
    return str(one["id"]).startswith("past-tasks-")


def figures_of(one: dict[str, Any]) -> tuple[Any, ...]:
    """Return its figures."""
    return one["confidence"], one["helpful"], one["last_used"] or None, one["expires_at"] or None


@pytest.mark.row("MEM-13", "C54", "LEARN-04")
def test_the_table_the_export_and_learn_agree(home: Home) -> None:
    shell = Shell(home.folder, home.folder / "home")

    [(id, confidence, helpful, used, expires)] = found = table(home)
    why = shell("learn", "why", id).stdout

    assert found == exported_figures(shell) == listed_figures(shell)
    assert 2 == helpful
    assert "shown 3, helped 2" in why
    assert f"confidence {confidence:.2f}" in why
    assert f"shown until {expires[:10]}" in why
    assert used
    assert used in {visit.at for visit in home.book.exposures.values()}


@pytest.mark.row("MEM-13")
def test_they_agree_after_work_was_undone_and_the_memory_rebuilt(home: Home) -> None:
    shell = Shell(home.folder, home.folder / "home")
    last = [run for run, visit in home.book.exposures.items() if visit.good][-1]
    home.write(last, BaselineSaved("before"))
    home.write(last, WorkspaceRestored("before"))
    home.do("Water the roses", ["Done."])
    shutil.rmtree(home.folder / "home" / "data" / "openkoi.db.index")
    (home.folder / "home" / "data" / "openkoi.db").unlink(missing_ok=True)
    home.do("Feed the koi", ["Done."])

    figures = {id: rest for id, *rest in table(home)}

    assert (
        figures
        == {id: rest for id, *rest in listed_figures(shell)}
        == {id: rest for id, *rest in exported_figures(shell)}
    )
    assert 1 in {rest[1] for rest in figures.values()}


def test_one_command_approves_an_entry_and_what_else_waits(home: Home) -> None:
    shell = Shell(home.folder, home.folder / "home")
    [id] = home.book.entries

    entry, draft = shell("learn", "approve", id), shell("learn", "approve", "1")

    assert entry.stdout.startswith(f"Approved: {id}")
    assert (0, False) == (entry.returncode, home.book.entries[id].is_untrusted)
    assert 0 != draft.returncode
    assert "proposed" in draft.stderr or "proposal" in draft.stderr, draft.stderr

"""Test that our contestants complete their turns, with small sizes; timings depend on the machine.

They do so where OpenKoi is installed as it ships.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks import (
    acknowledge,
    at_once,
    compaction,
    daemon,
    plugin_calls,
    published,
    recall,
    recall_speed,
    remembering,
    run_end,
    steps,
    streaming,
)
from benchmarks.contest import Entry, enlisted, in_turn, model, round_robin, table
from benchmarks.contestants.retrieval import WAYS
from benchmarks.homes import COMPILE
from benchmarks.turns import is_shipped

SEVERAL = (acknowledge, at_once, compaction, plugin_calls, recall, recall_speed, remembering, run_end, steps, streaming)
pytestmark = pytest.mark.timeout(600)  # the first one to need it installs all wheels


@pytest.fixture(autouse=True)
def prepare_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile only what is imported, and keep few texts: no time is measured here."""
    monkeypatch.setenv(COMPILE, "0")
    monkeypatch.setenv("BENCHMARK_RUNS", "50")


def in_one_home(entries: Sequence[Entry]) -> list[Entry]:
    """Run our contestants in one virtualenv with all dependencies, since creating another takes seconds."""
    needed = dict.fromkeys(name for each in SEVERAL for one in each.OWN for name in one.beside)
    return [replace(one, beside=tuple(needed)) for one in entries]


def test_a_run_of_three_steps_comes_to_its_end_with_every_loop_of_ours() -> None:
    with model() as url, enlisted(in_one_home(steps.OWN), url) as contestants:
        pairs = in_turn(contestants, 1, steps=3)

    assert {entry.name: 1 for entry in steps.OWN} == {name: len(turns) for name, turns in pairs.items()}


def test_a_streamed_answer_is_read_to_its_end_by_everybody() -> None:
    with model() as url, enlisted(in_one_home(streaming.OWN), url) as contestants:
        pairs = in_turn(contestants, 1, chunks=3, pause=0)

    assert {entry.name: 1 for entry in streaming.OWN} == {name: len(turns) for name, turns in pairs.items()}


def test_who_cannot_take_part_is_named_and_left_out() -> None:
    with model() as url, enlisted((Entry("nobody", "no_such_module", sys.executable),), url) as contestants:
        assert [] == contestants


def test_a_table_is_markdown() -> None:
    assert "| a | b |\n| --- | --- |\n| 1 | 2 |" == table(["a", "b"], [["1", "2"]])


def test_figures_of_a_benchmark_replace_its_own_section(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("# Benchmarks\n\n## Figures\n")

    for name, text in (("a", "| old |"), ("b", "| kept |"), ("a", "| new |\nA sentence.")):
        published.save(name, text, readme)

    saved = readme.read_text()
    assert "old" not in saved
    assert ["### a", "### b"] == [line for line in saved.splitlines() if line.startswith("### ")]
    assert "| new |\n\nA sentence." in saved


def test_figures_that_were_just_saved_do_not_make_the_commit_of_the_next_ones_dirty(tmp_path: Path) -> None:
    readme, source = tmp_path / "README.md", tmp_path / "source.py"
    for file in (readme, source):
        file.write_text("first\n")
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for command in (("init", "-q"), ("add", "."), (*author, "commit", "-qm", "first")):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    published.save("startup", "fast", readme)
    published.save("steps", "fast", readme)

    assert "-dirty" not in readme.read_text()
    source.write_text("second\n")
    assert "-dirty" in published.origin(readme)


@pytest.mark.parametrize(
    ("section", "names"), [("plugin_calls", [row.name for row in plugin_calls.ROWS]), ("recall", [*WAYS, *WAYS])]
)
def test_rows_of_saved_figures_have_the_names_that_are_printed(section: str, names: list[str]) -> None:
    _, _, text = published.README.read_text().partition(f"\n### {section}\n")
    lines = text.partition("\n### ")[0].splitlines()
    rows = [line.split("|")[1].strip() for line in lines if line.startswith("| ")]

    assert names == [name for name in rows if name in names]  # beside those of the peers, with their versions


def test_each_way_of_a_shared_module_takes_its_turns(tmp_path: Path) -> None:
    with enlisted(in_one_home(acknowledge.OWN), str(tmp_path)) as contestants:
        costs = round_robin(contestants, 2, records=3)

    assert {entry.name: [3, 3] for entry in acknowledge.OWN} == {
        name: [len(cost.figures) for cost in turns] for name, turns in costs.items()
    }


def test_who_breaks_down_in_a_round_is_named_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "0.json").write_text('{"texts": ["a fish", "a bird"], "questions": ["fish"]}')
    with enlisted(in_one_home([recall.FTS5]), str(tmp_path)) as contestants:
        found = round_robin(contestants, 1, talk=0)
        lost = round_robin(contestants, 1, talk=1)

    assert [0.0, *[-1.0] * 9] == found[recall.FTS5.name][0].figures[1:]
    assert {} == lost
    assert [] == contestants


SOURCES = sorted(path for path in Path(published.__file__).parent.glob("*.py") if not path.name.startswith("test_"))
NOT_MEASURED = {  # outside the process that is measured: fakes of services, and logs that were written before
    "chat": ["openkoi_testing.servers"],
    "chat_peers": ["openkoi_testing.servers"],
    "daemon": ["openkoi_testing.servers", "openkoi_testing.servers.http_server"],
    "first_write": ["openkoi_hookspecs", "openkoi_testing.servers"],
    "startup": [
        *("openkoi_hookspecs", "openkoi_hookspecs.events", "openkoi_runlog"),
        "openkoi_testing.contracts.memory_log",
    ],
}
OWN_PYTHON = {"contest": 1, "first_write": 1, "homes": 1}  # the model; where Ruff is; the version of peers


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_benchmark_measures_nothing_of_ours_in_its_own_process_or_with_its_own_python(path: Path) -> None:
    nodes = [*ast.walk(ast.parse(path.read_text()))]
    imported = sorted(name for node in nodes for name in imports(node) if name.startswith("openkoi"))
    own = sum(isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.executable" for node in nodes)

    assert NOT_MEASURED.get(path.stem, []) == imported
    assert OWN_PYTHON.get(path.stem, 0) == own


def imports(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom) and not node.level and node.module:
        yield node.module


def test_all_contestants_of_ours_run_where_openkoi_is_installed_as_it_ships(tmp_path: Path) -> None:
    entries = [one for each in SEVERAL for one in each.OWN]

    with enlisted(in_one_home(entries), str(tmp_path)) as contestants:
        assert len(entries) == len(contestants)


def test_openkoi_in_the_environment_of_the_tests_is_not_as_it_ships() -> None:
    assert not is_shipped()


def test_each_of_these_benchmarks_has_two_peers_or_more() -> None:
    several = (acknowledge.PEERS, compaction.PEERS, daemon.PEERS, run_end.PEERS, recall.PEERS, recall_speed.PEERS)
    others = [one for one in remembering.OWN if one not in (remembering.FLOOR, remembering.OWN[0])]
    each_kind = (plugin_calls.HOOKS, plugin_calls.WASM, plugin_calls.SCRIPTS)

    assert all(len({name.partition(":")[0] for name in peers}) >= 2 for peers in (*several, *each_kind))
    assert len(others) + len(remembering.PEERS) >= 2

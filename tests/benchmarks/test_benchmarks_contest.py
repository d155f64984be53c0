"""Our own contestants do their turns to the end, however small; what a turn costs depends on the machine."""

from pathlib import Path

from benchmarks import (
    acknowledge,
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


def test_a_run_of_three_steps_comes_to_its_end_with_every_loop_of_ours() -> None:
    with model() as url, enlisted(steps.OWN, url) as contestants:
        pairs = in_turn(contestants, 1, steps=3)

    assert {entry.name: 1 for entry in steps.OWN} == {name: len(turns) for name, turns in pairs.items()}


def test_a_streamed_answer_is_read_to_its_end_by_everybody() -> None:
    with model() as url, enlisted(streaming.ENTRIES, url) as contestants:
        pairs = in_turn(contestants, 1, chunks=3, pause=0)

    assert {entry.name: 1 for entry in streaming.ENTRIES} == {name: len(turns) for name, turns in pairs.items()}


def test_who_cannot_take_part_is_named_and_left_out() -> None:
    with model() as url, enlisted((Entry("nobody", "no_such_module"),), url) as contestants:
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


def test_each_way_of_a_shared_module_takes_its_turns(tmp_path: Path) -> None:
    with enlisted(acknowledge.OWN, str(tmp_path)) as contestants:
        costs = round_robin(contestants, 2, records=3)

    assert {entry.name: [3, 3] for entry in acknowledge.OWN} == {
        name: [len(cost.figures) for cost in turns] for name, turns in costs.items()
    }


def test_who_breaks_down_in_a_round_is_named_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "0.json").write_text('{"texts": ["a fish", "a bird"], "questions": ["fish"]}')
    with enlisted([recall.FTS5], str(tmp_path)) as contestants:
        found = round_robin(contestants, 1, talk=0)
        lost = round_robin(contestants, 1, talk=1)

    assert [0.0, *[-1.0] * 9] == found[recall.FTS5.name][0].figures[1:]
    assert {} == lost
    assert [] == contestants


def test_each_of_these_benchmarks_has_two_peers_or_more() -> None:
    several = (acknowledge.PEERS, compaction.PEERS, daemon.PEERS, run_end.PEERS, recall.PEERS, recall_speed.PEERS)
    others = [one for one in remembering.OWN if one.name != remembering.OURS]
    each_kind = (plugin_calls.HOOKS, plugin_calls.WASM, plugin_calls.SCRIPTS)

    assert all(len({name.partition(":")[0] for name in peers}) >= 2 for peers in (*several, *each_kind))
    assert len(others) + len(remembering.PEERS) >= 2

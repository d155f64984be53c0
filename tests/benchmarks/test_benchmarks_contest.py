"""Our own contestants do their turns to the end, however small; what a turn costs depends on the machine."""

from pathlib import Path

from benchmarks import published, steps, streaming
from benchmarks.contest import Entry, enlisted, in_turn, model, table


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

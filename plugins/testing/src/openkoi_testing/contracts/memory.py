"""What every memory promises: a view of the log that can be fed again, in any order and by several processes.

class TestMine(MemoryContract):
    subject = Mine    # can be imported by its name, and is told its file by ``settings``
"""

import asyncio
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from openkoi_hookspecs import Hit, Memory, Query, Record, Resumed, Standing, Task
from openkoi_hookspecs.events import RunFailed, TaskStarted

from .memory_log import LINE, SUBJECTS, a_log, a_run, learning, saving, told

CHILD = Path(__file__).with_name("memory_child.py")

Subject = Callable[..., Memory]


class MemoryContract:
    """Inherit, and name the ``subject``: the class of the memory, which its file is told by ``settings``."""

    subject: Subject

    def settings(self, folder: Path) -> dict[str, object]:
        """Return the constructor's arguments for a memory that keeps its things in a folder."""
        return {"path": folder / "memory.db"}

    def memory(self, folder: Path) -> Memory:
        """Return the memory that keeps its things in this folder, as a new process would have it."""
        folder.mkdir(parents=True, exist_ok=True)
        return type(self).subject(**self.settings(folder))

    def fed(self, folder: Path, *batches: Sequence[Record]) -> Memory:
        """Return a memory that has absorbed these batches, in this order."""
        memory = self.memory(folder)
        for batch in batches:
            asyncio.run(memory.absorb(batch))
        return memory

    def test_remembers_nothing_before_it_was_told_anything(self, tmp_path: Path) -> None:
        assert [] == found(self.memory(tmp_path), "anything")

    def test_finds_a_finished_task_by_its_words(self, tmp_path: Path) -> None:
        memory = self.fed(tmp_path, a_run("r1", "Mend the invoice parser"), a_run("r2", "Paint the calendar"))

        assert ["r1"] == [hit.memo.id for hit in found(memory, "parsing invoices")]

    def test_what_is_found_says_what_was_asked_and_how_it_went(self, tmp_path: Path) -> None:
        memory = self.fed(tmp_path, a_run("r1", "Mend the invoice parser"))

        (hit,) = found(memory, "invoice")

        assert "task" == hit.memo.kind
        assert "Mend the invoice parser" in hit.memo.text
        assert "0.90" in hit.memo.text
        assert "Guard the divisor" in hit.memo.text

    def test_a_question_that_shares_no_word_finds_nothing(self, tmp_path: Path) -> None:
        memory = self.fed(tmp_path, a_run("r1", "Mend the invoice parser"))

        assert [] == found(memory, "what is the weather like")

    def test_an_unfinished_task_is_not_found(self, tmp_path: Path) -> None:
        memory = self.fed(tmp_path, a_run("r1", "Mend the invoice parser")[:-2])

        assert [] == found(memory, "invoice parser")

    def test_a_task_is_found_once_its_result_arrives(self, tmp_path: Path) -> None:
        records = a_run("r1", "Mend the invoice parser")

        assert ["r1"] == ids(found(self.fed(tmp_path, records[:-2], records[-2:]), "invoice parser"))

    def test_a_failed_task_is_not_found(self, tmp_path: Path) -> None:
        memory = self.fed(tmp_path, told("r1", [TaskStarted(Task("Mend the parser", project="koi")), RunFailed("off")]))

        assert [] == found(memory, "parser")

    def test_relevance_is_between_0_and_1_and_falls(self, tmp_path: Path) -> None:
        memory = self.fed(tmp_path, a_log(20))

        relevance = [hit.relevance for hit in everything(memory, "the invoice parser of the ledger")]

        assert sorted(relevance, reverse=True) == relevance
        assert 1.0 == max(relevance)
        assert 0.0 <= min(relevance)

    def test_a_project_does_not_see_another_ones_tasks(self, tmp_path: Path) -> None:
        memory = self.fed(
            tmp_path, a_run("r1", "Mend the parser", project="one"), a_run("r2", "Mend the parser", project="two")
        )

        assert ["r2"] == ids(found(memory, "parser", project="two"))

    def test_only_what_was_learned_for_everyone_leaves_its_project(self, tmp_path: Path) -> None:
        here, mine, all = (learning(id, scope=id) for id in ("project", "user", "global"))
        saves = [saving(one, "r1", start=20 + n) for n, one in enumerate((here, mine, all))]
        memory = self.fed(tmp_path, a_run("r1", "Paint the calendar", project="one"), saves)

        assert {"project", "user", "global"} == set(ids(found(memory, "parser", project="one")))
        assert {"user", "global"} == set(ids(found(memory, "parser", project="two")))

    def test_a_learning_is_found_as_it_was_saved(self, tmp_path: Path) -> None:
        saved = learning("L1", keys=("parser.py",), evidence=("r1-003",), shown=4, helpful=2, quoted=True)
        memory = self.fed(tmp_path, a_run("r1", "Paint the calendar"), [saving(saved, "r1", start=20)])

        assert [saved] == [hit.memo for hit in found(memory, "parser")]

    def test_a_learning_stands_as_it_was_last_saved(self, tmp_path: Path) -> None:
        run, early, late = a_run("r1", "Paint"), learning("L1", helpful=1), learning("L1", helpful=2)
        memory = self.fed(tmp_path, [saving(late, "r1", start=30)], run, [saving(early, "r1", start=20)])

        assert [late] == [hit.memo for hit in found(memory, "parser")]

    @pytest.mark.parametrize("standing", [Standing.STALE, Standing.ARCHIVED])
    def test_a_learning_that_is_put_away_is_not_found(self, tmp_path: Path, standing: Standing) -> None:
        run, gone = a_run("r1", "Paint"), learning("L1", standing=standing)
        memory = self.fed(tmp_path, run, [saving(learning("L1"), "r1", start=20)], [saving(gone, "r1", start=30)])

        assert [] == found(memory, "parser")

    def test_a_superseded_learning_gives_way(self, tmp_path: Path) -> None:
        old, new = learning("L1", superseded_by="L2"), learning("L2")
        saves = [saving(old, "r1", start=20), saving(new, "r1", start=21)]

        assert ["L2"] == ids(found(self.fed(tmp_path, a_run("r1", "Paint"), saves), "parser"))

    def test_search_honours_kinds(self, tmp_path: Path) -> None:
        memory = self.fed(tmp_path, a_run("r1", "Mend the parser"), [saving(learning("L1"), "r1", start=20)])

        assert ["L1"] == ids(found(memory, "parser", kinds=("heuristic", "fact")))
        assert ["r1"] == ids(found(memory, "parser", kinds=("task",)))

    def test_search_honours_keys(self, tmp_path: Path) -> None:
        one, other = learning("L1", keys=("a.py", "b.py")), learning("L2", keys=("c.py",))
        saves = [saving(one, "r1", start=20), saving(other, "r1", start=21)]
        memory = self.fed(tmp_path, a_run("r1", "Mend the parser"), saves)

        assert ["L1"] == ids(found(memory, "parser", keys=("b.py", "d.py")))

    def test_search_honours_the_limit(self, tmp_path: Path) -> None:
        memory = self.fed(tmp_path, *(a_run(f"r{n}", "Mend the parser", start=n * 60.0) for n in range(9)))

        assert 4 == len(found(memory, "parser", limit=4))
        assert [] == found(memory, "parser", limit=0)

    def test_search_honours_the_tokens(self, tmp_path: Path) -> None:
        memory = self.fed(tmp_path, *(a_run(f"r{n}", "Mend the parser", start=n * 60.0) for n in range(9)))

        hits = found(memory, "parser", tokens=150)

        assert 0 < len(hits) < 9
        assert 150 * 4 >= sum(len(hit.memo.text) for hit in hits)

    def test_of_equals_the_newer_comes_first(self, tmp_path: Path) -> None:
        old, new = a_run("r1", "Mend the parser"), a_run("r2", "Mend the parser", start=60.0)

        assert ["r2", "r1"] == ids(found(self.fed(tmp_path, new, old), "parser"))

    def test_age_does_not_outweigh_relevance(self, tmp_path: Path) -> None:
        old, new = a_run("r1", "Mend the invoice parser"), a_run("r2", "Mend the old parser of dates", start=9e6)

        assert ["r1", "r2"] == ids(found(self.fed(tmp_path, new, old), "invoice parser"))

    def test_absorbing_twice_changes_nothing(self, tmp_path: Path) -> None:
        log = a_log(9)
        once, twice = self.fed(tmp_path / "once", log), self.fed(tmp_path / "twice", log, log, log[::3])

        assert answers(once) == answers(twice)

    @pytest.mark.parametrize("seed", range(2))
    def test_any_order_and_any_batching_give_the_same_answers(self, tmp_path: Path, seed: int) -> None:
        log, chance = a_log(9), random.Random(seed)
        shuffled = chance.sample(log, len(log))
        size = chance.randint(20, 80)
        batches = [shuffled[start : start + size] for start in range(0, len(log), size)]

        assert answers(self.fed(tmp_path / "whole", log)) == answers(self.fed(tmp_path / "parts", *batches))

    def test_what_was_absorbed_is_there_for_the_next_process(self, tmp_path: Path) -> None:
        self.fed(tmp_path, a_run("r1", "Mend the parser"))

        assert ["r1"] == ids(found(self.memory(tmp_path), "parser"))

    def test_offsets_move_with_the_records(self, tmp_path: Path) -> None:
        records = a_run("r1", "Mend the parser")
        memory = self.resumed(tmp_path)

        assert {} == asyncio.run(memory.seen())
        asyncio.run(self.memory(tmp_path).absorb(records[:3]))
        assert {"r1.jsonl": 3 * LINE} == asyncio.run(memory.seen())
        asyncio.run(self.memory(tmp_path).absorb(records[3:] + a_run("r2", "Paint")[:1]))
        assert {"r1.jsonl": len(records) * LINE, "r2.jsonl": LINE} == asyncio.run(memory.seen())

    def test_offsets_never_go_back(self, tmp_path: Path) -> None:
        records = a_run("r1", "Mend the parser")
        self.fed(tmp_path, records, records[:2])

        assert {"r1.jsonl": len(records) * LINE} == asyncio.run(self.resumed(tmp_path).seen())

    def test_records_that_were_only_told_move_no_offset(self, tmp_path: Path) -> None:
        self.fed(tmp_path, [saving(learning("L1"), "r1", start=20)])

        assert {} == asyncio.run(self.resumed(tmp_path).seen())

    def test_two_processes_leave_what_one_would_have_left(self, tmp_path: Path) -> None:
        log = a_log(12)
        both = tmp_path / "both"
        both.mkdir()
        children = [self.child(both, log[::2]), self.child(both, log[1::2])]

        assert [0, 0] == [child.wait(timeout=60) for child in children]
        assert answers(self.fed(tmp_path / "one", log)) == answers(self.memory(both))

    def resumed(self, folder: Path) -> Resumed:
        """Return the memory, if it knows how far it has read; else there is nothing to hold it to."""
        memory = self.memory(folder)
        if not isinstance(memory, Resumed):
            pytest.skip("this memory is fed the whole log each time")
        return memory

    def child(self, folder: Path, records: Sequence[Record]) -> subprocess.Popen[bytes]:
        """Let another process absorb records."""
        child = subprocess.Popen([sys.executable, str(CHILD)], stdin=subprocess.PIPE)
        assert child.stdin is not None
        pickle.dump((type(self).subject, self.settings(folder), list(records)), child.stdin)
        child.stdin.close()
        return child


def found(memory: Memory, text: str, **facts: object) -> Sequence[Hit]:
    """Ask within a project."""
    asked = {"project": "koi"} | facts
    return list(asyncio.run(memory.search(Query(text, **asked))))  # type: ignore[arg-type]  # any of its fields


def everything(memory: Memory, text: str) -> Sequence[Hit]:
    """Ask for all that there is in a project."""
    return found(memory, text, project="a", limit=100, tokens=100_000)


def answers(memory: Memory) -> list[Sequence[Hit]]:
    """Return what a memory says to a number of questions."""
    return [everything(memory, f"mend the {subject}") for subject in SUBJECTS[::4]]


def ids(hits: Sequence[Hit]) -> list[str]:
    """Return the ids of what was found, in order."""
    return [hit.memo.id for hit in hits]

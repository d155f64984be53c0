"""Test what every memory promises: a view of the log that can be ingested again, in any order, by many processes.

class TestMine(MemoryContract):
    subject = Mine    # can be imported by name, and gets its file by ``settings``
"""

import asyncio
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from openkoi_hookspecs import (
    LearningStatus,
    Memory,
    Record,
    SupportsOffsets,
    Task,
)
from openkoi_hookspecs.events import RunFailed, TaskStarted

from .memory_log import LINE_BYTES, build_learning, many_runs, records_of, run_records, saving_record, talk_records
from .memory_queries import ids_of, search_all, search_many, search_project
from .memory_rebuild import RebuildContract
from .memory_rewind import RewindContract

__all__ = ["MemoryContract", "MemoryFactory", "ids_of", "search_all", "search_many", "search_project"]
CHILD_SCRIPT = Path(__file__).with_name("memory_child.py")

MemoryFactory = Callable[..., Memory]


class MemoryContract(RebuildContract, RewindContract):
    """Inherit it, and set ``subject`` to the class of the memory, which is called with the ``settings``."""

    subject: MemoryFactory

    def settings(self, folder: Path) -> dict[str, object]:
        """Return the constructor's arguments for a memory that stores its files in a folder."""
        return {"path": folder / "memory.db"}

    def memory(self, folder: Path) -> Memory:
        """Return the memory that stores its files in this folder, as a new process would have it."""
        folder.mkdir(parents=True, exist_ok=True)
        return type(self).subject(**self.settings(folder))

    def fed(self, folder: Path, *batches: Sequence[Record]) -> Memory:
        """Return a memory that has ingested these batches, in this order."""
        memory = self.memory(folder)
        for batch in batches:
            asyncio.run(memory.ingest(batch))
        return memory

    def test_remembers_nothing_before_it_ingested_anything(self, tmp_path: Path) -> None:
        assert [] == search_project(self.memory(tmp_path), "anything")

    def test_finds_a_finished_task_by_its_words(self, tmp_path: Path) -> None:
        memory = self.fed(
            tmp_path, run_records("r1", "Fix the invoice parser"), run_records("r2", "Paint the calendar")
        )

        assert ["r1"] == [hit.item.id for hit in search_project(memory, "parsing invoices")]

    def test_what_is_found_says_what_was_asked_and_how_it_went(self, tmp_path: Path) -> None:
        memory = self.fed(tmp_path, run_records("r1", "Fix the invoice parser"))

        (hit,) = search_project(memory, "invoice")

        assert "task" == hit.item.kind
        assert "Fix the invoice parser" in hit.item.text
        assert "0.90" in hit.item.text
        assert "Guard the divisor" in hit.item.text

    def test_a_question_that_shares_no_word_finds_nothing(self, tmp_path: Path) -> None:
        memory = self.fed(tmp_path, run_records("r1", "Fix the invoice parser"))

        assert [] == search_project(memory, "what is the weather like")

    def test_an_unfinished_task_is_not_found(self, tmp_path: Path) -> None:
        memory = self.fed(tmp_path, run_records("r1", "Fix the invoice parser")[:-2])

        assert [] == search_project(memory, "invoice parser")

    def test_a_task_is_found_once_its_result_arrives(self, tmp_path: Path) -> None:
        records = run_records("r1", "Fix the invoice parser")

        assert ["r1"] == ids_of(search_project(self.fed(tmp_path, records[:-2], records[-2:]), "invoice parser"))

    def test_a_failed_task_is_not_found(self, tmp_path: Path) -> None:
        memory = self.fed(
            tmp_path, records_of("r1", [TaskStarted(Task("Fix the parser", project="koi")), RunFailed("off")])
        )

        assert [] == search_project(memory, "parser")

    def test_relevance_is_between_0_and_1_and_falls(self, tmp_path: Path) -> None:
        memory = self.fed(tmp_path, many_runs(20))

        relevance = [hit.relevance for hit in search_all(memory, "the invoice parser of the ledger")]

        assert sorted(relevance, reverse=True) == relevance
        assert 1.0 == max(relevance)
        assert 0.0 <= min(relevance)

    def test_a_project_does_not_see_another_ones_tasks(self, tmp_path: Path) -> None:
        memory = self.fed(
            tmp_path,
            run_records("r1", "Fix the parser", project="one"),
            run_records("r2", "Fix the parser", project="two"),
        )

        assert ["r2"] == ids_of(search_project(memory, "parser", project="two"))

    def test_only_what_was_learned_for_everyone_leaves_its_project(self, tmp_path: Path) -> None:
        here, mine, shared = (build_learning(id, scope=id) for id in ("project", "user", "global"))
        saves = [saving_record(one, "r1", start=20 + n) for n, one in enumerate((here, mine, shared))]
        memory = self.fed(tmp_path, run_records("r1", "Paint the calendar", project="one"), saves)

        assert {"project", "user", "global"} == set(ids_of(search_project(memory, "parser", project="one")))
        assert {"user", "global"} == set(ids_of(search_project(memory, "parser", project="two")))

    def test_a_learning_is_found_as_it_was_saved(self, tmp_path: Path) -> None:
        saved = build_learning("L1", keys=("parser.py",), evidence=("r1-003",), shown=4, helpful=2, untrusted=True)
        memory = self.fed(tmp_path, run_records("r1", "Paint the calendar"), [saving_record(saved, "r1", start=20)])

        assert [saved] == [hit.item for hit in search_project(memory, "parser")]

    def test_a_learning_stands_as_it_was_last_saved(self, tmp_path: Path) -> None:
        run, early, late = run_records("r1", "Paint"), build_learning("L1", helpful=1), build_learning("L1", helpful=2)
        memory = self.fed(tmp_path, [saving_record(late, "r1", start=30)], run, [saving_record(early, "r1", start=20)])

        assert [late] == [hit.item for hit in search_project(memory, "parser")]

    @pytest.mark.parametrize("standing", [LearningStatus.STALE, LearningStatus.ARCHIVED])
    def test_a_learning_that_is_put_away_is_not_found(self, tmp_path: Path, standing: LearningStatus) -> None:
        run, gone = run_records("r1", "Paint"), build_learning("L1", status=standing)
        memory = self.fed(
            tmp_path, run, [saving_record(build_learning("L1"), "r1", start=20)], [saving_record(gone, "r1", start=30)]
        )

        assert [] == search_project(memory, "parser")

    def test_a_superseded_learning_gives_way(self, tmp_path: Path) -> None:
        old, new = build_learning("L1", superseded_by="L2"), build_learning("L2")
        saves = [saving_record(old, "r1", start=20), saving_record(new, "r1", start=21)]

        assert ["L2"] == ids_of(search_project(self.fed(tmp_path, run_records("r1", "Paint"), saves), "parser"))

    def test_search_honours_kinds(self, tmp_path: Path) -> None:
        memory = self.fed(
            tmp_path, run_records("r1", "Fix the parser"), [saving_record(build_learning("L1"), "r1", start=20)]
        )

        assert ["L1"] == ids_of(search_project(memory, "parser", kinds=("heuristic", "fact")))
        assert ["r1"] == ids_of(search_project(memory, "parser", kinds=("task",)))

    def test_search_honours_keys(self, tmp_path: Path) -> None:
        one, other = build_learning("L1", keys=("a.py", "b.py")), build_learning("L2", keys=("c.py",))
        saves = [saving_record(one, "r1", start=20), saving_record(other, "r1", start=21)]
        memory = self.fed(tmp_path, run_records("r1", "Fix the parser"), saves)

        assert ["L1"] == ids_of(search_project(memory, "parser", keys=("b.py", "d.py")))

    def test_search_honours_the_limit(self, tmp_path: Path) -> None:
        memory = self.fed(tmp_path, *(run_records(f"r{n}", "Fix the parser", start=n * 60.0) for n in range(9)))

        assert 4 == len(search_project(memory, "parser", limit=4))
        assert [] == search_project(memory, "parser", limit=0)

    def test_search_honours_the_tokens(self, tmp_path: Path) -> None:
        memory = self.fed(tmp_path, *(run_records(f"r{n}", "Fix the parser", start=n * 60.0) for n in range(9)))

        hits = search_project(memory, "parser", tokens=150)

        assert 0 < len(hits) < 9
        assert 150 * 4 >= sum(len(hit.item.text) for hit in hits)

    def test_of_equals_the_newer_comes_first(self, tmp_path: Path) -> None:
        old, new = run_records("r1", "Fix the parser"), run_records("r2", "Fix the parser", start=60.0)

        assert ["r2", "r1"] == ids_of(search_project(self.fed(tmp_path, new, old), "parser"))

    def test_age_does_not_outweigh_relevance(self, tmp_path: Path) -> None:
        old, new = (
            run_records("r1", "Fix the invoice parser"),
            run_records("r2", "Fix the old parser of dates", start=9e6),
        )

        assert ["r1", "r2"] == ids_of(search_project(self.fed(tmp_path, new, old), "invoice parser"))

    @pytest.mark.row("MEM-07")
    def test_a_conversation_is_found_in_pieces_with_their_neighbours(self, tmp_path: Path) -> None:
        talk = talk_records(
            "r1", "The parser needs a fixture for grammars.", "It is kept in the drawer on the left side."
        )
        talk += talk_records("r2", "The winters are long where the fjord ends.", start=60.0)
        memory = self.fed(tmp_path, run_records("r1", "Fix it"), run_records("r2", "Paint it", start=60.0), talk)

        hits = search_project(memory, "Where is the fixture of the parser?", kinds=("transcript",))

        assert ["r1-turn-000:0", "r1-turn-001:0"] == ids_of(hits)
        assert "The parser needs a fixture for grammars." == hits[0].item.text

    def test_a_conversation_waits_until_its_project_is_known(self, tmp_path: Path) -> None:
        talk = talk_records("r1", "The parser needs a fixture for grammars.")
        memory = self.fed(tmp_path, talk)

        assert [] == search_project(memory, "fixture", scope="all")
        asyncio.run(memory.ingest(run_records("r1", "Fix it", project="one")))
        assert ["r1-turn-000:0"] == ids_of(search_project(memory, "fixture", project="one"))
        assert [] == search_project(memory, "fixture", project="two")

    def test_who_does_not_ask_for_transcripts_gets_few_pieces_of_them(self, tmp_path: Path) -> None:
        talk = talk_records("r1", *(f"The parser needs the fixture number {n}." for n in range(20)))
        memory = self.fed(tmp_path, run_records("r1", "Fix the parser"), talk)

        kinds = [hit.item.kind for hit in search_project(memory, "parser", limit=12)]

        assert 1 == kinds.count("task")
        assert 3 == kinds.count("transcript")

    def test_a_name_in_the_question_counts_for_more(self, tmp_path: Path) -> None:
        talk = talk_records("r1", "A colleague moved the parser over there.", "Anna moved away, as far as is known.")
        memory = self.fed(tmp_path, run_records("r1", "Fix it"), talk)

        assert "r1-turn-001:0" == ids_of(search_project(memory, "Where has Anna moved?", kinds=("transcript",)))[0]

    def test_absorbing_twice_changes_nothing(self, tmp_path: Path) -> None:
        log = many_runs(9)
        once, twice = self.fed(tmp_path / "once", log), self.fed(tmp_path / "twice", log, log, log[::3])

        assert search_many(once) == search_many(twice)

    @pytest.mark.parametrize("seed", range(2))
    def test_any_order_and_any_batching_give_the_same_answers(self, tmp_path: Path, seed: int) -> None:
        log, chance = many_runs(9), random.Random(seed)
        shuffled = chance.sample(log, len(log))
        size = chance.randint(20, 80)
        batches = [shuffled[start : start + size] for start in range(0, len(log), size)]

        assert search_many(self.fed(tmp_path / "whole", log)) == search_many(self.fed(tmp_path / "parts", *batches))

    def test_what_was_absorbed_is_there_for_the_next_process(self, tmp_path: Path) -> None:
        self.fed(tmp_path, run_records("r1", "Fix the parser"))

        assert ["r1"] == ids_of(search_project(self.memory(tmp_path), "parser"))

    def test_offsets_move_with_the_records(self, tmp_path: Path) -> None:
        records = run_records("r1", "Fix the parser")
        memory = self.with_offsets(tmp_path)

        assert {} == asyncio.run(memory.offsets())
        asyncio.run(self.memory(tmp_path).ingest(records[:3]))
        assert {"r1.jsonl": 3 * LINE_BYTES} == asyncio.run(memory.offsets())
        asyncio.run(self.memory(tmp_path).ingest(records[3:] + run_records("r2", "Paint")[:1]))
        assert {"r1.jsonl": len(records) * LINE_BYTES, "r2.jsonl": LINE_BYTES} == asyncio.run(memory.offsets())

    def test_offsets_never_go_back(self, tmp_path: Path) -> None:
        records = run_records("r1", "Fix the parser")
        self.fed(tmp_path, records, records[:2])

        assert {"r1.jsonl": len(records) * LINE_BYTES} == asyncio.run(self.with_offsets(tmp_path).offsets())

    def test_records_without_offsets_move_no_offset(self, tmp_path: Path) -> None:
        self.fed(tmp_path, [saving_record(build_learning("L1"), "r1", start=20)])

        assert {} == asyncio.run(self.with_offsets(tmp_path).offsets())

    @pytest.mark.row("C35")
    def test_two_processes_leave_what_one_would_have_left(self, tmp_path: Path) -> None:
        log = many_runs(12)
        both = tmp_path / "both"
        both.mkdir()
        children = [self.ingest_in_child(both, log[::2]), self.ingest_in_child(both, log[1::2])]

        assert [0, 0] == [child.wait(timeout=60) for child in children]
        assert search_many(self.fed(tmp_path / "one", log)) == search_many(self.memory(both))

    def with_offsets(self, folder: Path) -> SupportsOffsets:
        """Return the memory if it records how far it has read; otherwise skip the test."""
        memory = self.memory(folder)
        if not isinstance(memory, SupportsOffsets):
            pytest.skip("this memory ingests the whole log each time")
        return memory

    def ingest_in_child(self, folder: Path, records: Sequence[Record]) -> subprocess.Popen[bytes]:
        """Let another process ingest records."""
        child = subprocess.Popen([sys.executable, str(CHILD_SCRIPT)], stdin=subprocess.PIPE)
        assert child.stdin is not None
        pickle.dump((type(self).subject, self.settings(folder), list(records)), child.stdin)
        child.stdin.close()
        return child

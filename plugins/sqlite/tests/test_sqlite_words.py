"""Test by which words tasks and transcripts are found, and what is remembered about a run."""

import asyncio
from pathlib import Path

import pytest

from openkoi_hookspecs import Passage, Query
from openkoi_sqlite import SQLite
from openkoi_testing.contracts.memory import ids_of, search_project
from openkoi_testing.contracts.memory_log import run_records


@pytest.mark.parametrize(
    "asked", ["parsing", "http response", "PARSEHTTPRESPONSE", "src/http_parser.py", "what is the réponse?", "記"]
)
def test_a_task_is_found_by_other_forms_of_its_words_and_parts_of_its_names(tmp_path: Path, asked: str) -> None:
    memory = SQLite(path=tmp_path / "memory.db")
    asyncio.run(
        memory.ingest(run_records("r1", "Mend parseHTTPResponse in src/http_parser.py, the réponse is empty 記憶"))
    )

    assert ["r1"] == ids_of(search_project(memory, asked))


def test_what_a_question_holds_is_never_a_command_to_the_search(tmp_path: Path) -> None:
    memory = SQLite(path=tmp_path / "memory.db")
    asyncio.run(memory.ingest(run_records("r1", "Mend the parser")))

    for asked in ('parser" OR "x', "line:parser NOT mend", "NEAR(parser mend)", "parser*", "parser\0\ud800", "^()"):
        assert len(asyncio.run(memory.search(Query(asked, project="koi")))) <= 1


def test_what_is_no_character_is_taken_and_found(tmp_path: Path) -> None:
    memory = SQLite(path=tmp_path / "memory.db")
    asyncio.run(memory.ingest(run_records("r1", "Mend \ud800 the parser\0 now", project="b\udc80")))

    (hit,) = search_project(memory, "parser", project="b\udc80")

    assert isinstance(hit.item, Passage)
    assert "parser" in hit.item.text

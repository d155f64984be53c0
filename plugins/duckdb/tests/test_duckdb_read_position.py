"""Test that a process without new records does not open the memory file, and never confuses it with another one."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from openkoi_duckdb.table_memory import TableMemory
from openkoi_testing.contracts.memory_log import LINE_BYTES, run_records

RUN, LATER = run_records("r1", "Mend the parser"), run_records("r2", "Mend the lexer")
ALL = {"r1.jsonl": len(RUN) * LINE_BYTES}
ASK = """
import asyncio, json, sys
from pathlib import Path
from openkoi_duckdb.table_memory import TableMemory
seen = asyncio.run(TableMemory(path=Path(sys.argv[1])).offsets())
print(json.dumps([seen, sorted({"duckdb", "_duckdb", "numpy"} & {*sys.modules})]))
"""


def memory(folder: Path) -> TableMemory:
    return TableMemory(path=folder / "openkoi.db")


def asked_by_another_process(folder: Path) -> list[object]:
    """Return the offsets that a new process reads, and the databases that it imported for that."""
    command = [sys.executable, "-c", ASK, str(folder / "openkoi.db")]
    output: list[object] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return output


def test_a_process_that_has_nothing_to_tell_imports_no_database(tmp_path: Path) -> None:
    asyncio.run(memory(tmp_path).ingest(RUN))

    assert [ALL, []] == asked_by_another_process(tmp_path)


@pytest.mark.parametrize("note", [b"", b"{", b"[]", b'{"state": 1}', b'{"state": null, "born": "", "segments": {}}'])
def test_a_note_that_cannot_be_read_costs_opening_the_file(tmp_path: Path, note: bytes) -> None:
    asyncio.run(memory(tmp_path).ingest(RUN))
    (tmp_path / "openkoi.db.seen").write_bytes(note)

    assert ALL == asyncio.run(memory(tmp_path).offsets())


def test_a_file_that_was_put_in_its_place_is_asked_itself(tmp_path: Path) -> None:
    other = tmp_path / "other"
    asyncio.run(memory(tmp_path).ingest([*RUN, *LATER]))
    asyncio.run(memory(other).ingest(RUN))
    (other / "openkoi.db").replace(tmp_path / "openkoi.db")

    assert ALL == asyncio.run(memory(tmp_path).offsets())


def test_a_file_that_is_gone_has_seen_nothing(tmp_path: Path) -> None:
    asyncio.run(memory(tmp_path).ingest(RUN))
    (tmp_path / "openkoi.db").unlink()

    assert {} == asyncio.run(memory(tmp_path).offsets())


def test_what_several_write_in_turn_is_known_to_each(tmp_path: Path) -> None:
    one, other = memory(tmp_path), memory(tmp_path)
    asyncio.run(one.ingest(RUN))
    asyncio.run(other.ingest(LATER))

    assert ALL | {"r2.jsonl": len(LATER) * LINE_BYTES} == asyncio.run(one.offsets()) == asyncio.run(other.offsets())

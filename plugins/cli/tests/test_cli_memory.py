"""``openkoi memory`` and ``openkoi migrate`` as a person uses them, over a log of a few tasks."""

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from cli_process import Shell, shell

from openkoi_cli.archive.compress_log import archive_oldest
from openkoi_cli.archive.segments import Log
from openkoi_cli.memory_rebuild import compare_counts, lock_rebuild
from openkoi_duckdb.schema import VERSION
from openkoi_hookspecs import KoiError
from openkoi_runlog import RunLog
from openkoi_testing.contracts.memory_log import run_records, talk_records

PLUGIN = '''
class Forgetful:
    """A memory that keeps nothing beyond the process, and cannot make way."""

    def __init__(self):
        self.records = []

    async def ingest(self, records):
        self.records += records

    async def search(self, query):
        return ()
'''
TEXTS = ("Mend the invoice parser", "Paint the calendar", "Mend the login")


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A command line whose log holds three sessions."""
    here = shell(tmp_path)
    for n, text in enumerate(TEXTS):
        session = f"2026030{n + 1}T090000-aaaaaaaa"
        log = RunLog(here.home / "data" / "sessions", session, str)
        log.append(f"run{n}", [record.event for record in run_records(f"run{n}", text, session=session)])
        log.close()
    return here


def configured(openkoi: Shell, text: str) -> Shell:
    (openkoi.home / "config.toml").write_text(text)
    return openkoi


def first(openkoi: Shell) -> Path:
    return openkoi.home / "data" / "sessions" / "20260301T090000-aaaaaaaa.jsonl"


def test_stats_tell_of_the_log_and_of_memory(openkoi: Shell) -> None:
    assert 0 == openkoi("memory", "search", "anything").returncode

    result = openkoi("memory", "stats")

    assert (0, "") == (result.returncode, result.stderr)
    assert "3 sessions, 3 tasks, 42 records" in result.stdout
    assert "limit 500MB" in result.stdout
    assert "duckdb: index " in result.stdout
    assert "entries 3" in result.stdout


def test_search_answers_from_all_projects_in_one_line_each(openkoi: Shell) -> None:
    result = openkoi("memory", "search", "mend", "the", "parser", "--limit", "1")

    assert 0 == result.returncode
    (line,) = result.stdout.splitlines()
    assert re.match(rf"1\.00  task +\d{{4}}-\d\d-\d\d  {TEXTS[0]}", line)


def test_search_answers_in_json_too(openkoi: Shell) -> None:
    hits = json.loads(openkoi("memory", "search", "--format", "json", "mend").stdout)

    assert {"run0", "run2"} == {hit["id"] for hit in hits}
    assert {"score", "source", "date", "id", "text"} == set(hits[0])


def test_what_was_said_has_the_date_of_the_task_it_was_said_in(openkoi: Shell) -> None:
    log = RunLog(openkoi.home / "data" / "sessions", "20260301T090000-aaaaaaaa", str)
    log.append(
        "run0", [record.event for record in talk_records("run0", "The blue gateway was chosen for all invoices.")]
    )
    log.close()
    (began,) = (
        line["ts"] for line in map(json.loads, first(openkoi).read_text().splitlines()) if line["type"] == "task_start"
    )

    (hit,) = json.loads(openkoi("memory", "search", "--format", "json", "blue gateway").stdout)

    assert ("transcript", began) == (hit["source"], hit["date"])


def test_what_nobody_remembers_is_not_found(openkoi: Shell) -> None:
    result = openkoi("memory", "search", "aardvark")

    assert (0, "No results.\n") == (result.returncode, result.stdout)


@pytest.mark.campaign
def test_rebuilding_tells_the_whole_log_again(openkoi: Shell) -> None:
    openkoi("memory", "search", "mend")

    result = openkoi("memory", "rebuild")

    assert (0, "") == (result.returncode, result.stderr)
    assert "42 records read from the log." in result.stdout
    assert "entries: 3, unchanged" in result.stdout
    assert "openkoi.db.index.old" in result.stdout
    assert TEXTS[1] in openkoi("memory", "search", "calendar").stdout


def test_a_rebuild_with_less_than_before_says_so(openkoi: Shell) -> None:
    openkoi("memory", "search", "mend")
    first(openkoi).unlink()

    result = openkoi("memory", "rebuild")

    assert 1 == result.returncode
    assert "entries: 2, before 3" in result.stdout


def test_memory_may_be_built_again_by_two_at_once_and_be_used_meanwhile(openkoi: Shell) -> None:
    openkoi("memory", "search", "mend")
    children = [openkoi.started("memory", *words) for words in (["rebuild"], ["search", "mend"], ["rebuild"])]

    report = [child.communicate(timeout=100)[0] for child in children]

    assert [0, 0, 0] == [child.returncode for child in children]
    assert ["entries: 3, unchanged" in reply for reply in report] == [True, False, True], report
    assert TEXTS[1] in openkoi("memory", "search", "calendar").stdout


@pytest.mark.parametrize(
    ("before", "line"),
    [({"entries": "3"}, "entries: 3, unchanged"), ({"entries": "2"}, "entries: 3, before 2"), ({}, "entries: 3")],
)
def test_a_rebuild_says_of_before_what_is_known(before: dict[str, str], line: str) -> None:
    assert [f"  {line}"] == compare_counts(before, {"entries": "3"})


@pytest.mark.parametrize(
    ("place", "stands"), [("data", "data"), ("data/deep", "data"), ("data", "data/.rebuild.lock/x")]
)
def test_where_nothing_can_be_written_a_rebuild_says_so(tmp_path: Path, place: str, stands: str) -> None:
    (tmp_path / stands).parent.mkdir(exist_ok=True, parents=True)
    (tmp_path / stands).write_text("in the way")

    async def rebuilding() -> None:
        async with lock_rebuild(tmp_path / place, print):
            pass

    with pytest.raises(
        KoiError,
        match=rf"Cannot rebuild memory: {tmp_path}/data.*: .+\. Move the file that is in the way, then try again\.$",
    ):
        asyncio.run(rebuilding())


def test_an_audit_names_what_is_wrong_and_fails(openkoi: Shell) -> None:
    assert (0, "42 records in 3 segments.\nNo errors found.\n") == (
        (result := openkoi("memory", "audit")).returncode,
        result.stdout,
    )
    first(openkoi).write_bytes(first(openkoi).read_bytes().replace(b"parser", b"carper"))

    result = openkoi("memory", "audit")

    assert 1 == result.returncode
    assert f"! {first(openkoi).name}, line 1: it is damaged" in result.stdout


@pytest.mark.row("MEM-14")
@pytest.mark.campaign
def test_a_log_over_its_limit_is_archived_and_still_told(openkoi: Shell) -> None:
    configured(openkoi, "[memory]\nmax_storage_mb = 0.009\n")

    result = openkoi("memory", "stats")

    assert 0 == result.returncode
    assert "its oldest files were archived" in result.stderr
    assert not first(openkoi).exists()
    assert "42 records in 3 segments, " in openkoi("memory", "audit").stdout
    assert "entries: 3, unchanged" in openkoi("memory", "rebuild").stdout
    assert TEXTS[0] in openkoi("memory", "search", "invoice").stdout
    assert "3 tasks" in openkoi("export", "--output", "out").stdout


@pytest.mark.row("MEM-14")
def test_stats_tell_of_archived_sessions_that_a_new_view_does_not_know(openkoi: Shell) -> None:
    assert [first(openkoi).name] == archive_oldest(Log(openkoi.home / "data"), 9_000)

    result = openkoi("memory", "stats")

    assert "Memory is missing 1 archived session. Run `openkoi memory rebuild`." in result.stdout


def test_another_memory_is_told_everything_again_without_making_way(openkoi: Shell) -> None:
    other = configured(openkoi, '[use]\nmemory = "acme"\n').with_plugin(PLUGIN, memory="acme:Forgetful")

    result = other("memory", "rebuild")

    assert (0, "42 records read from the log.\n") == (result.returncode, result.stdout), result.stderr
    assert "Memory:   acme: ready" in other("memory", "stats").stdout


def test_without_a_memory_there_is_nothing_to_build_again(openkoi: Shell) -> None:
    configured(openkoi, '[use]\nmemory = "none"\n')

    assert "No memory is enabled" in openkoi("memory", "rebuild").stderr
    assert "Memory:   none\n" in openkoi("memory", "stats").stdout
    assert "No results." in openkoi("memory", "search", "mend").stdout


def test_a_memory_that_cannot_be_used_is_not_one_that_found_nothing(openkoi: Shell) -> None:
    configured(openkoi, '[use]\nmemory = "acme"\n')

    result = openkoi("memory", "search", "mend")

    assert (1, "") == (result.returncode, result.stdout)
    assert "No memory named 'acme'" in result.stderr
    assert "Search failed: the memory 'acme' cannot be used." in result.stderr


def test_a_home_below_a_file_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    nowhere = replace(shell(tmp_path), home=tmp_path / "file" / "home")

    result = nowhere.cold("memory", "stats")

    assert (2, "") == (result.returncode, result.stdout)
    assert f"Error: {nowhere.home}/config.toml cannot be read: Not a directory.\n" == result.stderr


@pytest.mark.row("MIG-03")
def test_a_memory_file_of_an_older_version_is_built_again_and_kept_beside(openkoi: Shell) -> None:
    assert "entries 3" in openkoi("memory", "tables").stdout
    change_version(openkoi, -1)

    rebuilt = openkoi("memory", "tables")

    assert f"was moved to openkoi.db.bak.v{VERSION - 1}" in rebuilt.stderr
    assert "entries 3" in rebuilt.stdout
    assert TEXTS[0] in openkoi("memory", "search", "invoice").stdout
    assert (openkoi.home / "data" / f"openkoi.db.bak.v{VERSION - 1}").is_file()


def change_version(openkoi: Shell, by: int) -> None:
    import duckdb

    with duckdb.connect(openkoi.home / "data" / "openkoi.db") as connection:
        connection.execute(f"UPDATE _migrations SET version = version + {by}")


@pytest.mark.row("MIG-01")
def test_a_file_of_a_newer_version_is_left_alone_and_searches_need_none(openkoi: Shell) -> None:
    openkoi("memory", "tables")
    path = openkoi.home / "data" / "openkoi.db"
    change_version(openkoi, 1)
    before = path.read_bytes()

    tables, result = openkoi("memory", "tables"), openkoi("memory", "search", "mend")

    assert (1, "") == (tables.returncode, tables.stdout)
    assert "supports only up to" in tables.stderr
    assert "" == result.stderr
    assert TEXTS[0] in result.stdout
    assert TEXTS[0] in openkoi("status").stdout
    assert before == path.read_bytes()


@pytest.mark.row("C57")
@pytest.mark.parametrize("line", [["migrate", "the", "database"], ["memory", "is", "short"]])
def test_a_sentence_that_begins_with_a_command_is_told_how_to_be_a_task(openkoi: Shell, line: list[str]) -> None:
    result = openkoi(*line)

    assert 2 == result.returncode
    assert f'starts with "{line[0]}", quote it' in result.stderr


@pytest.mark.row("C25")
@pytest.mark.parametrize("name", ["memory", "export", "import", "migrate"])
def test_the_command_is_there_and_has_help(openkoi: Shell, name: str) -> None:
    assert f"\n  {name} " in openkoi("--help").stdout
    assert f"Usage: openkoi {name}" in openkoi(name, "--help").stdout

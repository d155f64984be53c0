"""Test that an export of one machine's log is imported into another's completely, once, or not at all."""

import asyncio
import json
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from openkoi_base.redact import Redactor
from openkoi_cli.archive.audit import audit_log
from openkoi_cli.archive.compress_log import archive_oldest
from openkoi_cli.archive.exporter import ExportOptions, export_tasks
from openkoi_cli.archive.folders import create_folder
from openkoi_cli.archive.import_marker import SegmentImported
from openkoi_cli.archive.importer import import_export
from openkoi_cli.archive.json_export import UserFiles
from openkoi_cli.archive.lines import read_lines, redact_line
from openkoi_cli.archive.segments import Log
from openkoi_cli.archive.task_selection import TaskSelection
from openkoi_duckdb import DuckDB
from openkoi_hookspecs import Event, File, Hit, Image, KoiError, Learning, Memory, Query, Record, Task, events
from openkoi_runlog import RunLog
from openkoi_sqlite import SQLite
from openkoi_testing.contracts.memory_log import run_records

SECRET = "hunter2-is-no-word"
texts = st.text(max_size=20)
happenings: st.SearchStrategy[Event] = st.one_of(
    st.builds(lambda text: events.TaskStarted(Task(text), model="acme/large"), texts),
    st.builds(events.WarningIssued, texts),
    st.builds(lambda text, n: events.LearningSaved(Learning(f"L{n}", "fact", text)), texts, st.integers(0, 3)),
    st.builds(lambda data: events.UnknownEvent({"type": "acme.thing", "data": data}), st.dictionaries(texts, texts)),
)
segments = st.lists(st.lists(st.tuples(st.sampled_from(["", "r1", "r2"]), happenings), max_size=5), max_size=4)
Segments = Sequence[Sequence[tuple[str, Event]]]


def write_log(data: Path, parts: Segments, session: str = "20260302T090000-aaaaaaaa") -> Log:
    """Return a log with these segments, one per process."""
    for part in parts:
        log = RunLog(data / "sessions", session, str)
        for run, event in part:
            log.append(run, [event])
        log.close()
    return Log(data)


def a_log(data: Path, *runs: str) -> Log:
    """Return a log with one segment per run."""
    return write_log(data, [[(run, record.event) for record in run_records(run, f"Mend {run}")] for run in runs])


def lines(log: Log) -> list[bytes]:
    """Return the log's own lines, whatever segment they are in, without the marks of imports."""
    found = [line for segment in log.segments() for line in read_lines(segment)]
    return sorted(line.raw for line in found if not line.is_kind(SegmentImported))


def export_log(log: Log, to: Path, choice: TaskSelection | None = None, format: str = "json") -> Path:
    export_tasks(
        ExportOptions(format, to, choice or TaskSelection()),
        UserFiles(log.data, log.data / "config.toml"),
        Redactor([SECRET]),
    )
    return to


@pytest.mark.row("CLI-10", "MIG-05")
@given(parts=segments)
@settings(max_examples=40)
def test_what_was_exported_is_what_is_imported(parts: Segments, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("machines")
    one, other = write_log(folder / "one", parts), Log(folder / "other")
    known = [line for segment in one.segments() for line in read_lines(segment)]
    assume(all(redact_line(line, Redactor([SECRET])) is line for line in known))  # {"Token": "00000;"} is redacted

    import_export(export_log(one, folder / "out"), other, Redactor())
    again = import_export(folder / "out", other, Redactor())
    import_export(export_log(other, folder / "back"), one, Redactor())

    assert lines(one) == lines(other)
    assert sum(map(len, parts)) == len(lines(one)) == again.known
    assert (0, ()) == (again.records, again.segments)
    assert [] == audit_log(one).errors + audit_log(other).errors


def test_what_is_there_already_is_neither_doubled_nor_touched(tmp_path: Path) -> None:
    one = a_log(tmp_path / "one", "r1", "r2")
    other = a_log(tmp_path / "other", "r3")
    before = {segment.name: segment.path.read_bytes() for segment in other.segments()}
    import_export(export_log(one, tmp_path / "half", TaskSelection(task="r1")), other, Redactor())

    result = import_export(export_log(one, tmp_path / "all"), other, Redactor())

    assert (14, 14) == (result.records, result.known)
    assert before.items() <= {segment.name: segment.path.read_bytes() for segment in other.segments()}.items()
    assert [] == audit_log(other).errors


@pytest.mark.parametrize(
    ("choice", "runs"),
    [
        (TaskSelection(task="r2"), {"r2"}),
        (TaskSelection(since="2020-01-01"), {"r1", "r2", "part", "alone"}),
        (TaskSelection(since="2999-01-01"), set()),
        (TaskSelection(task="r1"), {"r1", "part"}),
    ],
)
def test_a_task_is_exported_with_its_parts(tmp_path: Path, choice: TaskSelection, runs: set[str]) -> None:
    part = events.TaskStarted(Task("A part", parent="r1"))
    alone = events.TaskStarted(Task("The part of a task that nobody knows", parent="gone"))
    log = a_log(tmp_path, "r1", "r2")
    write_log(tmp_path, [[("part", part), ("alone", alone)]], "20260303T090000-bbbbbbbb")

    out = export_log(log, tmp_path / "out", choice)

    assert runs == {task["id"] for task in json.loads((out / "tasks.json").read_text())}
    assert runs == {json.loads(raw)["run"] for raw in lines(Log(out))}


@pytest.mark.parametrize(
    "choice", [TaskSelection(task="r"), TaskSelection(task="nobody"), TaskSelection(since="yesterday")]
)
def test_what_cannot_be_meant_is_said_and_nothing_is_left_behind(tmp_path: Path, choice: TaskSelection) -> None:
    log = a_log(tmp_path / "data", "r1", "r2")

    with pytest.raises(KoiError):
        export_log(log, tmp_path / "out", choice)
    assert ["data"] == [path.name for path in tmp_path.iterdir()]


@pytest.mark.row("MIG-05")
def test_an_export_has_everything_that_is_a_persons_own_and_no_credential(tmp_path: Path) -> None:
    log = a_log(tmp_path / "data", "r1")
    own = ("SOUL.md", "config.toml", "skills/user/a/SKILL.md", "evaluators/user/b/EVALUATOR.md")
    for name in (*own, "credentials/providers.json", "credentials.json", "openkoi.db"):
        (log.data / name).parent.mkdir(parents=True, exist_ok=True)
        (log.data / name).write_text("mine")

    out = export_log(log, tmp_path / "out")

    found = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    tables = {f"{name}.json" for name in ("tasks", "iterations", "findings", "learnings", "costs", "manifest")}
    sessions = {f"sessions/{segment.name}" for segment in log.segments()}
    assert found == tables | sessions | {"soul.md", *own[1:]}
    assert (out / "soul.md").read_text() == (out / "skills/user/a/SKILL.md").read_text() == "mine"


@pytest.mark.row("MIG-05", "C35")
@pytest.mark.parametrize("subject", [DuckDB, SQLite])
def test_what_was_imported_makes_an_equal_memory(tmp_path: Path, subject: Callable[..., Memory]) -> None:
    one, other = a_log(tmp_path / "one", "r1", "r2"), Log(tmp_path / "other")
    taught = events.LearningSaved(Learning("L", "heuristic", "Mend the draft first.", scope="user"))
    write_log(one.data, [[("r2", taught)]], "20260303T090000-bbbbbbbb")

    import_export(export_log(one, tmp_path / "out"), other, Redactor())

    query = Query("mend the draft r2", scope="all", limit=50, tokens=50_000)
    here, there = (search_results(subject(path=log.data / "m.db"), log, query) for log in (one, other))
    assert {"r1", "r2", "L"} == {hit.item.id for hit in here}
    assert here == there


def search_results(memory: Memory, log: Log, query: Query) -> Sequence[Hit]:
    """Return the answers of a memory that has ingested a whole log."""
    for segment in log.segments():
        asyncio.run(memory.ingest([line.record for line in read_lines(segment)]))
    return list(asyncio.run(memory.search(query)))


PNG = b"\x89PNG\r\n\x1a\n" + bytes(200)


def with_media(data: Path) -> Log:
    """A log of a task with an image and a text file, and of one with another image."""
    first = Task("Look", parts=(Image(PNG, "image/png"), File(b"Buy milk.", "text/plain", "notes.txt")))
    second = Task("Look again", parts=(Image(PNG + b"another", "image/png"),))
    happened = [(f"r{n}", events.TaskStarted(task, model="acme/large")) for n, task in enumerate((first, second))]
    return write_log(data, [happened])


def media_of(log: Log) -> dict[str, list[bytes]]:
    """The images and files of each task, by run."""
    started = [
        line.record for segment in log.segments() for line in read_lines(segment) if line.is_kind(events.TaskStarted)
    ]
    return {
        one.run: [part.data for part in one.event.task.parts]
        for one in started
        if isinstance(one.event, events.TaskStarted)
    }


def test_images_and_files_go_along_once_and_to_the_other_machine(tmp_path: Path) -> None:
    one, other = with_media(tmp_path / "one"), Log(tmp_path / "other")
    import_export(export_log(one, tmp_path / "out"), other, Redactor())
    import_export(tmp_path / "out", other, Redactor())

    assert {"r0": [PNG, b"Buy milk."], "r1": [PNG + b"another"]} == media_of(other)
    assert [] == audit_log(other).errors
    assert 3 == sum(path.is_file() for path in (tmp_path / "other" / "blobs").rglob("*"))


def test_one_task_takes_only_its_own_images_along(tmp_path: Path) -> None:
    folder = export_log(with_media(tmp_path / "one"), tmp_path / "out", TaskSelection(task="r1"))

    assert [PNG + b"another"] == [path.read_bytes() for path in (folder / "blobs").rglob("*") if path.is_file()]


def test_an_image_stays_readable_when_its_session_is_archived(tmp_path: Path) -> None:
    log = with_media(tmp_path)
    write_log(tmp_path, [[("r9", events.WarningIssued("newer"))]], "20260303T090000-bbbbbbbb")
    assert archive_oldest(log, 1)

    assert [PNG, b"Buy milk."] == media_of(log)["r0"]
    assert [] == audit_log(log).errors


def test_an_image_that_is_gone_is_named_and_all_else_is_exported(tmp_path: Path) -> None:
    log = with_media(tmp_path / "one")
    gone = next(path for path in (log.data / "blobs").rglob("*") if path.is_file() and path.read_bytes() == PNG)
    gone.unlink()
    folder, other = export_log(log, tmp_path / "out"), Log(tmp_path / "other")
    import_export(folder, other, Redactor())

    assert [f"{gone}, which the run log refers to, cannot be read: No such file or directory."] == [
        fault.text for fault in audit_log(log).errors
    ]
    assert str(gone) in (folder / "manifest.json").read_text()
    assert lines(log) == lines(other)
    datas = [path.read_bytes() for path in (other.data / "blobs").rglob("*") if path.is_file()]
    assert sorted([PNG + b"another", b"Buy milk."]) == sorted(datas)


def test_a_text_with_a_secret_is_left_out_of_exports_and_imports(tmp_path: Path) -> None:
    task = Task("Look", parts=(File(SECRET.encode(), "text/plain", "key.txt"),))
    log = write_log(tmp_path / "one", [[("r1", events.TaskStarted(task, model="acme/large"))]])
    folder = export_log(log, tmp_path / "out")
    assert not [path for path in folder.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert "contains a secret" in (folder / "manifest.json").read_text()

    shutil.copytree(log.data / "blobs", folder / "blobs")
    import_export(folder, Log(tmp_path / "other"), Redactor([SECRET]))
    assert not [path for path in (tmp_path / "other" / "blobs").rglob("*") if path.is_file()]


def test_a_damaged_image_in_an_export_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    folder = export_log(with_media(tmp_path / "one"), tmp_path / "out")
    next(path for path in (folder / "blobs").rglob("*") if path.is_file()).write_bytes(b"x")

    with pytest.raises(KoiError, match="its digest does not match"):
        import_export(folder, Log(tmp_path / "other"), Redactor())
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("format", ["json", "parquet", "markdown"])
def test_no_secret_is_exported(tmp_path: Path, format: str) -> None:
    report = [events.TaskStarted(Task(f"Say {SECRET}")), events.LearningSaved(Learning("L", "fact", SECRET))]
    log = write_log(tmp_path / "data", [[("r1", event) for event in report]])
    (log.data / "config.toml").write_text(f'key = "{SECRET}"')
    (log.data / "skills").mkdir()
    (log.data / "skills" / "SKILL.md").write_bytes(b"\xff" + SECRET.encode())

    out = export_log(log, tmp_path / "out", format=format)

    files = [path for path in out.rglob("*") if path.is_file()]
    assert files
    assert [] == [path.name for path in files if SECRET.encode() in path.read_bytes()]
    if format == "json":
        assert b"\xff[redacted]" == (out / "skills" / "SKILL.md").read_bytes()
        assert [] == audit_log(Log(out)).errors


@pytest.mark.skipif(os.name != "posix", reason="file modes have no effect there")
@pytest.mark.parametrize("format", ["json", "parquet", "markdown"])
def test_an_export_is_private(tmp_path: Path, format: str) -> None:
    out = export_log(a_log(tmp_path / "data", "r1"), tmp_path / "out", format=format)

    modes = {stat.S_IMODE(path.stat().st_mode) for path in (out, *out.rglob("*"))}

    assert {0o700, 0o600} == modes


def test_tables_tell_the_same_in_every_format(tmp_path: Path) -> None:
    import duckdb

    log = a_log(tmp_path / "data", "r1", "r2")
    out, columns = export_log(log, tmp_path / "out"), export_log(log, tmp_path / "columns", format="parquet")

    for name in ("tasks", "iterations", "findings", "learnings", "costs"):
        rows = json.loads((out / f"{name}.json").read_text())
        found = duckdb.execute(f"FROM '{columns / name}.parquet'").fetchall()
        assert [tuple(row.values()) for row in rows] == found
    assert [("r1", 0.9, "accept", 330), ("r2", 0.9, "accept", 330)] == duckdb.execute(
        f"SELECT id, score, decision, tokens FROM '{columns / 'tasks'}.parquet'"
    ).fetchall()
    assert 4 == len(json.loads((out / "findings.json").read_text()))


def damaged_line(folder: Path) -> str:
    path = next((folder / "sessions").iterdir())
    report = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*report[:4], report[4].replace(b'"ts":"2', b'"ts":"1'), *report[5:]]))
    return f"{path.name}, line 5: it is damaged"


def torn_line(folder: Path) -> str:
    path = next((folder / "sessions").iterdir())
    path.write_bytes(path.read_bytes()[:-9])
    return f"{path.name}, line 14: it is incomplete"


def lost_line(folder: Path) -> str:
    path = next((folder / "sessions").iterdir())
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    return f"{path.name} is damaged: it has 13 of 14 records"


def lost_file(folder: Path) -> str:
    path = next((folder / "sessions").iterdir())
    path.unlink()
    return f"{path.name}: it cannot be read"


def no_manifest(folder: Path) -> str:
    (folder / "manifest.json").unlink()
    return "is not an export"


def newer_manifest(folder: Path) -> str:
    (folder / "manifest.json").write_text('{"schema": "openkoi.export/9"}')
    return "is not in the format openkoi.export/1"


def evil_manifest(folder: Path) -> str:
    (folder / "manifest.json").write_text('{"schema": "openkoi.export/1", "segments": {"../../x.jsonl": 1}}')
    return "Invalid segment name"


def foreign_manifest(folder: Path) -> str:
    (folder / "manifest.json").write_bytes(b'{"schema": "caf\xe9"}')
    return f"{folder / 'manifest.json'} is not valid JSON. Export again."


def folder_as_manifest(folder: Path) -> str:
    (folder / "manifest.json").unlink()
    (folder / "manifest.json").mkdir()
    return f"Cannot read {folder / 'manifest.json'}: Is a directory. Export again."


DAMAGES = [
    *(damaged_line, torn_line, lost_line, lost_file, no_manifest, newer_manifest, evil_manifest),
    *(foreign_manifest, folder_as_manifest),
]


@pytest.mark.parametrize("damage", DAMAGES, ids=[damage.__name__ for damage in DAMAGES])
def test_a_damaged_export_is_refused_by_file_and_line(tmp_path: Path, damage: object) -> None:
    assert callable(damage)
    out = export_log(a_log(tmp_path / "one", "r1"), tmp_path / "out")
    reply = damage(out)

    with pytest.raises(KoiError) as caught:
        import_export(out, Log(tmp_path / "other"), Redactor())
    assert reply in str(caught.value)
    assert not (tmp_path / "other").exists()


def test_what_is_damaged_in_the_log_is_left_out_and_said(tmp_path: Path) -> None:
    log = a_log(tmp_path / "data", "r1", "r2")
    reply = damaged_line(log.data)

    result = export_tasks(
        ExportOptions("json", tmp_path / "out", TaskSelection()), UserFiles(log.data, log.data / "none.toml"), str
    )

    assert [reply] == [str(fault)[: len(reply)] for fault in result.errors]
    assert (27, 27) == (result.records, import_export(tmp_path / "out", Log(tmp_path / "other"), str).records)


CHILD = """
import resource, sys
from pathlib import Path
from openkoi_cli.archive.exporter import ExportOptions, export_tasks
from openkoi_cli.archive.importer import import_export
from openkoi_cli.archive.json_export import UserFiles
from openkoi_cli.archive.segments import Log
from openkoi_cli.archive.task_selection import TaskSelection
what, one, other, limit = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
if limit:
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
print("ready", flush=True)
sys.stdin.readline()
try:
    if what == "import":
        print(import_export(one, Log(other), str).records)
    else:
        export_tasks(ExportOptions(what, other, TaskSelection()), UserFiles(one, one / "config.toml"), str)
except Exception as error:
    print(type(error).__name__, error)
"""


def child(*arguments: object) -> "subprocess.Popen[str]":
    """Return a process that exports or imports on a signal."""
    order = [sys.executable, "-c", CHILD, *map(str, arguments)]
    started = subprocess.Popen(order, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    started.stdout.readline()
    return started


posix = pytest.mark.skipif(os.name != "posix", reason="limits and signals of POSIX")


@posix
@pytest.mark.parametrize("format", ["json", "parquet", "markdown"])
def test_without_room_no_part_of_an_export_is_there(tmp_path: Path, format: str) -> None:
    log = a_log(tmp_path / "data", "r1", "r2")

    reply = child(format, log.data, tmp_path / "out", 300).communicate("\n", timeout=60)[0]

    assert reply.startswith("KoiError"), reply
    assert "annot write" in reply
    assert ["data"] == [path.name for path in tmp_path.iterdir()]


@posix
def test_without_room_nothing_is_imported_and_later_all_of_it(tmp_path: Path) -> None:
    out = export_log(a_log(tmp_path / "one", "r1", "r2"), tmp_path / "out")
    other = a_log(tmp_path / "other", "r3")
    before = sorted(path.name for path in other.sessions.iterdir())

    reply = child("import", out, other.data, 2_000).communicate("\n", timeout=60)[0]

    assert reply.startswith("KoiError"), reply
    assert {*before, ".import.lock"} == {path.name for path in other.sessions.iterdir()}
    assert 28 == import_export(out, other, str).records


@posix
def test_an_import_killed_at_any_time_is_finished_by_the_next(tmp_path: Path) -> None:
    out = export_log(a_log(tmp_path / "one", *(f"r{n}" for n in range(30))), tmp_path / "out")
    for n in range(6):
        other = Log(tmp_path / f"other{n}")
        killed = child("import", out, other.data, 0)
        assert killed.stdin is not None
        print(file=killed.stdin, flush=True)
        time.sleep(n * 0.01)
        killed.kill()
        killed.communicate()

        import_export(out, other, str)

        assert lines(Log(out)) == lines(other)
        assert [] == audit_log(other).errors


@posix
def test_two_processes_that_import_at_once_import_it_once(tmp_path: Path) -> None:
    out = export_log(a_log(tmp_path / "one", *(f"r{n}" for n in range(10))), tmp_path / "out")
    children = [child("import", out, tmp_path / "other", 0) for _ in range(2)]
    for one in children:
        assert one.stdin is not None
        print(file=one.stdin, flush=True)

    report = sorted(one.communicate(timeout=60)[0] for one in children)

    assert ["0\n", "140\n"] == report
    assert lines(Log(out)) == lines(Log(tmp_path / "other"))


def test_a_place_that_is_no_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")

    with pytest.raises(KoiError, match=r"file is not a folder\. Use another path"):
        export_log(a_log(tmp_path / "data", "r1"), tmp_path / "file" / "below" / "out")
    with pytest.raises(KoiError, match="is not an empty folder"):
        export_log(a_log(tmp_path / "data", "r1"), tmp_path / "file")
    assert "mine" == (tmp_path / "file").read_text()


def test_a_name_that_is_too_long_is_not_said_to_need_space(tmp_path: Path) -> None:
    with pytest.raises(KoiError, match=r"File name too long\. Use a shorter name\.$"):
        export_log(a_log(tmp_path / "data", "r1"), tmp_path / ("n" * 300))


@posix
def test_what_another_process_still_writes_is_not_tidied_up(tmp_path: Path) -> None:
    log = a_log(tmp_path / "data", "r1")
    with create_folder(tmp_path / "out") as under_way:
        (under_way / "mine").write_text("mine")
        order = [sys.executable, "-c", CHILD, "json", str(log.data), str(tmp_path / "out"), "0"]

        result = subprocess.run(order, input="\n", capture_output=True, text=True, check=True)

        assert "ready\n" == result.stdout
        assert "mine" == (under_way / "mine").read_text()
        (under_way / "mine").unlink()
        shutil.rmtree(tmp_path / "out")
    assert [] == [*(tmp_path / "out").iterdir()]


def test_a_folder_that_is_in_use_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("mine")

    with pytest.raises(KoiError, match="already exists"):
        export_log(a_log(tmp_path / "data", "r1"), tmp_path / "out")
    assert ["mine"] == [path.name for path in (tmp_path / "out").iterdir()]


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A command line after one task."""
    here = shell(tmp_path)
    here.home.mkdir()
    (here.home / "config.toml").write_text("[evaluators.judge]\nenabled = false\n")
    here = here.with_environment(OPENKOI_MODEL=write_script(here.folder, '  - says: "Done."\n    repeat: true\n'))
    assert 0 == here("-i", "0", "Mend the invoice parser").returncode
    return here


@pytest.mark.row("CLI-10", "C25")
def test_a_task_moves_to_another_machine_and_is_found_and_replayed_there(openkoi: Shell) -> None:
    out = openkoi.folder / "out"
    result = openkoi("export", "--format", "json", "--output", str(out))
    assert (0, "") == (result.returncode, result.stderr)
    assert "1 task," in result.stdout
    there = Shell(openkoi.folder, openkoi.home.parent / "other")

    results = [there("import", str(out)) for _ in range(2)]

    assert [0, 0] == [one.returncode for one in results], results[0].stderr
    assert "0 records imported" in results[1].stdout
    assert "Mend the invoice parser" in there("memory", "search", "parser").stdout
    assert "Done." in there("replay").stdout
    assert 0 == there("memory", "audit").returncode


@pytest.mark.row("C57")
def test_a_word_that_is_no_folder_is_a_usage_error_with_a_hint(openkoi: Shell) -> None:
    result = openkoi("import", "the", "data")

    assert 2 == result.returncode
    assert 'starts with "import", quote it' in result.stderr


def test_a_record_says_where_it_came_from(tmp_path: Path) -> None:
    other = Log(tmp_path / "other")
    import_export(export_log(a_log(tmp_path / "one", "r1"), tmp_path / "out"), other, str)

    first: Record = next(read_lines(other.segments()[0])).record

    assert isinstance(first.event, SegmentImported)
    assert (14, "") == (first.event.records, first.run)

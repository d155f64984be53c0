"""What a start imports, makes, reads and asks. Counted, so that it does not depend on how busy the machine is.

The times are in tests/benchmarks.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
from cli_process import Shell, shell

from openkoi_cli.read_commands import defer_import
from openkoi_hookspecs import ToolCall
from openkoi_testing.servers import OpenAIServer, Say
from openkoi_testrunner.state_digest import SETTLED_SECONDS

HEAVY = {
    *("pydantic", "httpx2", "asyncio", "duckdb", "_duckdb", "numpy", "rich", "pluggy", "yaml", "importlib_metadata"),
    *("dataclasses", "importlib.metadata", "openkoi_hookspecs.hooks", "openkoi_hookspecs.run"),
}
LISTING = """
import sys
sys.argv = ["openkoi", *{arguments!r}]
try:
    from openkoi import main
    main()
except SystemExit:
    pass
print("\\n" + " ".join(sys.modules), file=sys.stderr)
"""


def modules(*arguments: str) -> set[str]:
    """Return what is imported by the time a command line ends."""
    code = LISTING.format(arguments=list(arguments))
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(output.stderr.split("\n")[-2].split())


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("-h",), ("run", "--help")])
def test_a_start_that_runs_no_task_imports_nothing_heavy(arguments: tuple[str, ...]) -> None:
    imported = modules(*arguments)

    assert set() == imported & HEAVY
    ours = {name for name in imported if name.startswith("openkoi_") and not name.startswith("openkoi_cli")}
    assert {"openkoi_loader", "openkoi_loader.launcher", "openkoi_loader.plugin_discovery"} >= ours


def test_version_imports_nothing_but_the_entry_file() -> None:
    before = subprocess.run(
        [sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True, check=True
    )

    assert {"openkoi"} == modules("--version") - set(before.stdout.split())


def test_listing_plugins_imports_none_of_them() -> None:
    imported = {name for name in modules("plugins") if name.startswith("openkoi_") and "." not in name}

    libraries = ("base", "hookspecs", "loader", "models", "prompt", "runlog", "settings")
    assert {"openkoi_cli", *(f"openkoi_{name}" for name in libraries)} >= imported


def test_a_hundred_distributions_are_found_without_importing_one(tmp_path: Path) -> None:
    from openkoi_loader.plugin_discovery import scan

    for number in range(100):
        folder = tmp_path / f"openkoi_fake{number}-1.0.dist-info"
        folder.mkdir()
        points = f"[openkoi.evaluators]\nfake{number} = fake{number}.nowhere:Fake\n"
        (folder / "entry_points.txt").write_text(points)

    found = scan([str(tmp_path)]).found

    assert 100 == len(found)


COUNTING = """
import atexit, builtins, gc, os, re, sys
classes, opened, scanned, build = [], [], [], builtins.__build_class__
patterns, compile_pattern = [], re._compiler.compile

def note_pattern(pattern, flags=0):
    patterns.append(str(pattern))
    return compile_pattern(pattern, flags)

def build_class(body, *arguments, **named):
    classes.append(body.__module__)
    return build(body, *arguments, **named)

def note(event, arguments):
    if event in ("open", "os.listdir", "os.scandir"):
        (opened if event == "open" else scanned).append(str(arguments[0] or "."))

def written():
    try:
        with open("/proc/self/io") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("wchar"))
    except OSError:
        return 0

def tell():
    size, compiled = written(), list(patterns)
    names = [one for one in sys.modules if one.partition(".")[0] not in {*sys.stdlib_module_names, "sitecustomize"}]
    ours = [name for name in classes if name.startswith("openkoi")]
    import json
    with open(os.environ["COUNTS"], "w") as file:
        found = {"modules": names, "classes": ours, "patterns": compiled, "opened": opened, "scanned": scanned}
        json.dump(found | {"written": size, "frozen": gc.get_freeze_count()}, file)

builtins.__build_class__ = build_class
re._compiler.compile = note_pattern
sys.addaudithook(note)
atexit.register(tell)
sys.argv[0] = "openkoi"
from openkoi import main
main()
"""
# Installed here, and no part of the default bundle:
APPS = ("openkoi_email", "openkoi_matrix", "openkoi_notion", "openkoi_slack", "openkoi_telegram")
BESIDE = ("openkoi_assistant", "openkoi_mcp", "openkoi_scripts", "openkoi_wasm", *APPS)
QUESTION = ("-i", "0", "-m", "openai/mock", "What is the capital of France?")
WORK = ("-i", "1", "--no-judge", "-m", "openai/mock", "Write new.txt")
SEARCH = ("memory", "search", "capital")
WRITE = Say([ToolCall("c1", "write_file", {"path": "new.txt", "content": "x\n"})])
INHERITED = ("PATH", "LANG", "TMPDIR")
FOLDERS, FILES = 20, 10  # of the workspace, so that it shows whether a command looks at all of them


@dataclass(frozen=True, slots=True)
class Counts:
    """What a command costs.

    Modules beside Python's own that it imports, classes of ours that it makes, regular expressions that it compiles,
    files of the user that it opens, folders of the user that it scans, bytes that it writes where the system counts
    them, requests that it sends.
    """

    modules: int
    classes: int
    patterns: int
    opened: int
    scanned: int
    written: int
    requests: int


CEILINGS = {
    ("--version",): Counts(modules=3, classes=0, patterns=0, opened=0, scanned=0, written=30, requests=0),
    ("--help",): Counts(modules=31, classes=9, patterns=19, opened=0, scanned=2, written=6_000, requests=0),
    QUESTION: Counts(modules=505, classes=567, patterns=139, opened=25, scanned=36, written=14_300, requests=2),
    # with reflection, which one of five such runs does: a module, three patterns and a request more
    WORK: Counts(modules=635, classes=679, patterns=282, opened=606, scanned=548, written=75_000, requests=4),
    ("status",): Counts(modules=113, classes=211, patterns=40, opened=3, scanned=9, written=600, requests=0),
    ("plugins",): Counts(modules=65, classes=92, patterns=35, opened=8, scanned=3, written=12_000, requests=0),
    SEARCH: Counts(modules=125, classes=214, patterns=37, opened=2, scanned=8, written=100, requests=0),
}


@dataclass(frozen=True, slots=True)
class Counted:
    """A command that was counted, all that it had imported, and how many objects its end does not search."""

    counts: Counts
    names: frozenset[str]
    frozen: int


def counted(openkoi: Shell, *arguments: str) -> Counted:
    """Run a command, with the default bundle and a server that answers, and count."""
    report = openkoi.folder.parent / "counts.json"
    with OpenAIServer(*([WRITE] if arguments == WORK else []), "Paris.", models=["mock"]) as server:
        output = openkoi.with_environment(
            OPENAI_BASE_URL=server.url,
            OPENAI_API_KEY="sk-not-a-real-key",
            COUNTS=str(report),
            PYTHONDONTWRITEBYTECODE="1",  # what is compiled, where a module has just changed, is not the command's
        )
        result = subprocess.run(
            [sys.executable, "-c", COUNTING, *arguments],
            cwd=output.folder,
            env=without_others(output.environment),
            capture_output=True,
            text=True,
            check=False,
        )
        requests = len(server.requests)
    assert 0 == result.returncode, result.stderr
    reply = json.loads(report.read_text())
    for name in ("modules", "classes"):
        reply[name] = [one for one in reply[name] if not one.startswith(BESIDE)]
    opened, scanned = (sum(is_ours(path, openkoi) for path in reply[event]) for event in ("opened", "scanned"))
    modules, classes, patterns = (len(reply[name]) for name in ("modules", "classes", "patterns"))
    found = Counts(modules, classes, patterns, opened, scanned, reply["written"], requests)
    return Counted(found, frozenset(reply["modules"]), reply["frozen"])


def without_others(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables without those of the machine that runs the test: what they contain costs time to redact."""
    return {
        name: value for name, value in environment.items() if name in INHERITED or value != os.environ.get(name, "")
    }


def is_ours(path: str, openkoi: Shell) -> bool:
    """Whether a path is in the workspace or in OpenKoi's folders, and not part of Python or of what is installed."""
    if path.endswith((".pyc", ".so")):
        return False
    return (
        Path(path).absolute().is_relative_to(openkoi.home)
        or not Path(path).is_absolute()
        or (Path(path).is_relative_to(openkoi.folder))
    )


@pytest.mark.parametrize("arguments", CEILINGS, ids=lambda arguments: " ".join(arguments[:2]))
def test_a_command_costs_no_more_than_it_did(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """Lower a ceiling with the figure; raise one only for something that every user of the command gets."""
    openkoi = shell(tmp_path)
    for number in range(FOLDERS * FILES):
        path = openkoi.folder / f"folder{number % FOLDERS}" / f"{number}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("x\n")
        os.utime(path, (0, 0))
    if arguments == WORK:  # files that were just written are read again
        while time.time() - path.stat().st_ctime <= SETTLED_SECONDS:
            time.sleep(0.1)
    if not arguments[0].startswith("--"):
        counted(openkoi, *QUESTION)  # so that there is something to show and to search
    if arguments == ("plugins",):
        openkoi("plugins")  # as they are imported again only when something has changed

    found = counted(openkoi, *arguments).counts

    print(" ".join(arguments), found)
    ceiling = asdict(CEILINGS[arguments])
    assert {} == {name: count for name, count in asdict(found).items() if count > ceiling[name]}


def test_status_loads_nothing_that_only_an_uncommon_installation_or_value_needs(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    openkoi.home.joinpath("config.toml").write_text('[models]\ndefault = "openai/mock"\n', encoding="utf-8-sig")
    command = [sys.executable, "-I", "-c", LISTING.format(arguments=["status"])]
    environment = openkoi.environment | {"OPENAI_API_KEY": "sk-not-a-real-key"}
    result = subprocess.run(command, cwd=openkoi.folder, env=environment, capture_output=True, text=True, check=True)

    unused = {"encodings.utf_8_sig", "encodings.utf_16_le", "importlib.util", "quopri", "mmap"}
    assert set() == unused & set(result.stderr.split("\n")[-2].split())


def test_the_end_of_a_command_searches_nothing_for_garbage(tmp_path: Path) -> None:
    assert counted(shell(tmp_path), "status").frozen > 0


def test_a_search_loads_neither_a_database_nor_an_event_loop_nor_what_adds_to_memory(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    counted(openkoi, *QUESTION)

    names = counted(openkoi, *SEARCH).names

    assert "openkoi_search.segment_documents" in names
    unused = (
        *("duckdb", "_duckdb", "numpy", "sqlite3", "pluggy", "openkoi_hookspecs.hooks", "openkoi.app"),
        *("openkoi_duckdb.table_memory", "openkoi_duckdb.memory", "openkoi_search.segment_writer"),
        *("openkoi_loader.hooks", "openkoi_loader.components", "click", "ast", "tokenize", "hashlib"),
    )
    assert [] == [name for name in unused if name in names]


def test_a_question_that_is_not_judged_loads_nothing_to_judge_or_to_change_files_with(tmp_path: Path) -> None:
    names = counted(shell(tmp_path), *QUESTION).names

    unused = (
        *("openkoi_judge", "openkoi_lint", "openkoi_testrunner.evaluator", "prompt_toolkit", "numpy", "tree_sitter"),
        *("duckdb", "_duckdb", "openkoi_duckdb.table_memory"),
        *("openkoi_tools.patch", "openkoi_sandbox.job_threads", "openkoi_checkpoints.apply_restore", "snowballstemmer"),
        *("openkoi_tools.show_file", "openkoi_tools.command_result", "openkoi_tools.fetch.page_text"),
        *("openkoi_checkpoints.stored_workspaces", "openkoi_checkpoints.git_state", "openkoi_http.recorder"),
        *("openkoi_guard.permission_rules", "openkoi_agents.team", "openkoi_compaction.summarize"),
        *("openkoi_skills.skill_ranking", "openkoi_compaction.facts", "openkoi_learning.proposals.recurring_findings"),
        *("openkoi_openai.responses.request", "openkoi_learning.replay", "openkoi_learning.user_actions"),
        *("openkoi_learning.pipeline", "openkoi_learning.verdicts", "openkoi_learning.lesson_parser"),
        *("openkoi_base.skillfile.evaluator", "openkoi_skills.injection_scan"),
        "openkoi_prompt.question_sentences",
    )
    assert [] == [name for name in unused if name in names]
    assert [] == [name for name in unused if name.startswith("openkoi_") and find_spec(name) is None]


def test_work_that_is_not_judged_loads_nothing_that_judges(tmp_path: Path) -> None:
    names = counted(shell(tmp_path), *WORK).names

    assert "openkoi_judge.judge" in names
    unused = (
        *("openkoi_judge.rubric_judge", "openkoi_judge.judging", "openkoi_judge.evidence", "json_repair"),
        *("openkoi_testrunner.report", "openkoi_testrunner.programs", "openkoi_lint.compare_files", "openkoi_lint.tsc"),
        "openkoi_base.skillfile.lenient_yaml",
    )
    assert [] == [name for name in unused if name in names]
    assert [] == [name for name in unused if find_spec(name) is None]


def test_a_module_that_is_imported_when_it_is_used_lacks_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.joinpath("used_late.py").write_text("text = 'read'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "used_late", raising=False)
    defer_import("used_late")
    module = sys.modules["used_late"]

    assert not hasattr(module, "nothing")
    assert "read" == module.text

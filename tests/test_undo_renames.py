"""Undo follows files of the same content that the user moved: none gets what belongs to another, none is forgotten."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

GIT = "git init -q; git config user.email a@b; git config user.name n; git add .; git commit -qm i"
PACKAGES = "mkdir -p pk/a pk/b; echo A0 > pk/a/__init__.py; echo B0 > pk/b/__init__.py"
SAME_HEADER = "for f in pk/a pk/b; do echo '# header' > $f/__init__.py; done"
FOLDERS = 'mkdir a b c; for d in a b c; do echo $d > $d/index.js; echo "only $d" > $d/$d.js; done'


@dataclass(frozen=True, slots=True)
class Case:
    """Lines of bash: what is there, what the task does, what the user moves, and the files after ``undo``."""

    there: str
    work: str
    user: str
    files: dict[str, str]


CASES = {
    "a folder": Case(PACKAGES, SAME_HEADER, "mv pk src", {"src/a/__init__.py": "A0\n", "src/b/__init__.py": "B0\n"}),
    "empty files that got a licence": Case(
        "mkdir -p pk/a pk/b pk/c; touch pk/a/__init__.py pk/b/__init__.py pk/c/__init__.py",
        "for d in a b c; do echo '# licence' > pk/$d/__init__.py; done",
        "git add .; git commit -qm licence; git mv pk src",
        {f"src/{one}/__init__.py": "" for one in "abc"},
    ),
    "folders, one after the other": Case(
        PACKAGES,
        SAME_HEADER,
        "git add .; git commit -qm w; mkdir x y; git mv pk/b x; git commit -qm 1; git mv pk/a y; git commit -qm 2",
        {"x/b/__init__.py": "B0\n", "y/a/__init__.py": "A0\n"},
    ),
    "three folders with new names, known by their other files": Case(
        FOLDERS,
        "for d in a b c; do echo same > $d/index.js; done",
        "mv a z; mv b y; mv c x",
        {f"{new}/index.js": f"{old}\n" for old, new in ("az", "by", "cx")}
        | {f"{new}/{old}.js": f"only {old}\n" for old, new in ("az", "by", "cx")},
    ),
}


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """An empty folder, and no guard that would ask."""
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text('[hooks.guard]\nenabled = false\n[use]\nsandbox = "plain"\n')
    return openkoi


def sh(openkoi: Shell, line: str) -> None:
    subprocess.run(["bash", "-ec", line], cwd=openkoi.folder, check=True, capture_output=True)


def task(openkoi: Shell, line: str) -> None:
    """Let a task run a line of bash."""
    call = json.dumps({"command": line})
    turns = f"  - when: {{after: 0}}\n    calls: [{{tool: run_command, arguments: {call}}}]\n"
    write_script(openkoi.folder.parent, f"{turns}  - when: {{after: 1}}\n    says: Done.\n")
    result = openkoi("-m", f"scripted/{openkoi.folder.parent}/script.yaml", "-i", "0", "Change some files")
    assert 0 == result.returncode, result.stderr


def files(openkoi: Shell) -> dict[str, str]:
    """Return the text of every file of the folder, but for git's own."""
    found = (path for path in openkoi.folder.rglob("*") if path.is_file())
    paths = {path.relative_to(openkoi.folder): path for path in found}
    return {name.as_posix(): path.read_text() for name, path in paths.items() if name.parts[0] != ".git"}


@pytest.mark.parametrize("name", CASES)
def test_each_moved_file_gets_its_own_text_back(openkoi: Shell, name: str) -> None:
    case = CASES[name]
    sh(openkoi, f"{case.there}; {GIT}")
    task(openkoi, case.work)
    sh(openkoi, case.user)
    undone = openkoi("undo")

    assert (0, case.files) == (undone.returncode, files(openkoi)), undone.stdout + undone.stderr
    assert f"{len([text for text in case.files.values() if 'only' not in text])} merged" in undone.stdout


def test_each_file_whose_new_name_is_unclear_is_a_conflict(openkoi: Shell) -> None:
    sh(openkoi, f"mkdir a b; echo A0 > a/index.js; echo B0 > b/index.js; {GIT}")
    task(openkoi, "echo same > a/index.js; echo same > b/index.js")
    sh(openkoi, "mv a x; mv b y")
    undone = openkoi("undo")

    assert (1, {"x/index.js": "same\n", "y/index.js": "same\n"}) == (undone.returncode, files(openkoi))
    for name in ("a/index.js", "b/index.js"):
        assert f"conflict: {name} was not changed: renamed later, and several files match it" in undone.stderr
    assert "0 files restored, 2 in conflict" in undone.stdout


def test_a_new_file_in_a_moved_folder_is_a_conflict_and_goes_by_force(openkoi: Shell) -> None:
    sh(openkoi, f"mkdir pk; echo old > pk/old.py; {GIT}")
    task(openkoi, "echo new > pk/new.py; echo new > pk/more.py")
    sh(openkoi, "mv pk src")
    undone, forced = openkoi("undo"), openkoi("undo", "--force")

    assert (1, True) == (undone.returncode, "conflict: src/new.py was not changed" in undone.stderr), undone.stderr
    assert "0 files restored, 2 deleted" in forced.stdout
    assert (0, {"src/old.py": "old\n"}) == (forced.returncode, files(openkoi)), forced.stdout + forced.stderr

"""Test undo and redo in error-prone situations: the files are as if the task had never run, or had run last."""

import json
import os
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

TEXT = "seq -f 'line %g' 30"
NAMES = (
    r"""é.txt "$(printf 'e\314\201.txt')" 🎏.txt 'a b.txt' "it's" '"q"' -dash 'end ' "$(printf 'x\ty')" """
    r""" "$(printf 'x\ny')" """
)


@dataclass(frozen=True, slots=True)
class Case:
    """Lines of bash: what is there, what the task does, what the user does after it, and would do ``without`` it."""

    there: str
    work: str
    user: str = ":"
    without: str = ""


CASES = {
    "links": Case(
        "echo a > a; echo b > b; ln -s a link; ln -s a gone; mkdir d; ln -s ../a d/up; ln -s d folder",
        "ln -sfn b link; rm gone; ln -s missing dangling; ln -sfn .. d/up; rm folder; mkdir folder; echo f > folder/f; "
        "rm a; ln -s b a",
        "echo mine >> b; ln -s b mine",
    ),
    "modes": Case(
        "echo a > a; echo b > b; chmod 755 b; echo c > c; mkdir -m 750 d; echo d > d/d",
        "chmod 755 a; chmod 644 b; chmod 600 c; chmod 700 d; echo n > n; chmod 711 n; mkdir -m 700 new",
        "echo mine >> c; echo e > d/e",
    ),
    "binary files": Case(
        "printf '\\000\\001\\377' > a.bin; printf 'PK\\003\\004\\000' > b.zip; printf '\\377\\376a\\000' > utf16.txt",
        "printf '\\000\\002' > a.bin; rm b.zip; printf '\\377\\376b\\000' > utf16.txt; printf '\\000' > new.bin",
        "printf '\\000mine' > mine.bin",
    ),
    "line ends": Case(
        f"{TEXT} | sed 's/$/\\r/' > crlf; {TEXT} | tr '\\n' '\\r' > cr; printf '\\357\\273\\277' > bom; {TEXT} >> bom; "
        f"printf 'no end' > bare; {TEXT} | sed '5s/$/\\r/' > mixed",
        "sed -i 's/line 7\\r/LINE 7\\r/' crlf; sed -i 's/line 7$/LINE 7/' mixed bom; printf 'no end\\n' > bare; "
        "printf x >> cr",
        "printf 'mine\\r\\n' >> crlf; echo mine >> mixed; echo mine >> bom",
    ),
    "odd names": Case(
        f'mkdir d; for n in {NAMES}; do echo "$n" > d/"$n"; done',
        "cd d; for n in *; do echo changed >> ./\"$n\"; done; mv ./-dash ./--; rm -- 'end '; "
        "echo n > \"$(printf '\\nz')\"",
        "echo mine > d/mine",
    ),
    "names that are no UTF-8": Case(
        "mkdir d; echo a > d/\"$(printf '\\377')\"; echo b > d/\"$(printf 'b\\200')\"",
        "cd d; echo c > \"$(printf '\\377')\"; rm \"$(printf 'b\\200')\"; echo n > \"$(printf 'n\\376')\"",
        "echo mine > mine",
    ),
    "a chain of renames": Case(
        f"{TEXT} > a; {TEXT} | sed 's/line/row/' > x",
        "mv a b; mv b c; mkdir e; mv c e/d; mv x y; mv y z",
        "sed -i 's/line 20/mine/' e/d; sed -i 's/row 3$/mine/' z",
        "sed -i 's/line 20/mine/' a; sed -i 's/row 3$/mine/' x",
    ),
    "a name in other letters": Case(
        f"{TEXT} > readme.md",
        "mv readme.md README.md; sed -i 's/line 3$/LINE 3/' README.md",
        "sed -i 's/line 20/mine/' README.md",
        "sed -i 's/line 20/mine/' readme.md",
    ),
    "files and folders that change places": Case(
        "echo f > f; mkdir -p d/e; echo g > d/e/g; mkdir empty",
        "rm f; mkdir f; echo n > f/n; rm -r d; echo file > d; rmdir empty; echo e > empty; mkdir -p new/deep/er",
        "echo mine > mine",
    ),
    "a folder that was deleted and used again": Case(
        f"mkdir -p d/e; for n in $(seq 40); do {TEXT} > d/e/$n; done",
        "rm -r d",
        "mkdir -p d/e; echo mine > d/e/mine; echo top > d/top",
    ),
    "lines in many places": Case(
        f"{TEXT} > a",
        "sed -i -e '1d' -e '10i new' -e '20s/.*/changed/' -e '30d' a",
        "sed -i -e 's/^line 5$/mine/' -e '/^line 15$/a more' a",
    ),
    "a hard link": Case(
        "echo a > a; ln a b; echo c > c",
        "echo changed >> a; rm c; ln a c",
        "echo mine > mine",
    ),
    "a submodule": Case(
        "git init -q lib && cd lib && git config user.email a@b && git config user.name n && echo l > l && git add l "
        "&& git commit -qm l && cd .. && mkdir sub && mv lib/.git sub/kept && rm -r lib sub/kept/index && mkdir lib && "
        "echo 'gitdir: ../sub/kept' > lib/.git && echo l > lib/l",
        "echo changed > lib/l; echo n > lib/n",
        "echo mine > lib/mine",
    ),
}


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A folder that is in no repository, and no guard that would ask."""
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(
        '[hooks.guard]\nenabled = false\n[use]\nsandbox = "plain"\n[evaluators.word-count]\nenabled = false\n'
    )
    return openkoi


def sh(folder: Path, line: str) -> None:
    dates = {f"GIT_{who}_DATE": "2030-01-01T00:00:00Z" for who in ("AUTHOR", "COMMITTER")}
    subprocess.run(["bash", "-ec", line], cwd=folder, env={**os.environ, **dates}, check=True, capture_output=True)


def task(openkoi: Shell, line: str, name: str = "work") -> str:
    """Let a task run a line of bash; return its id."""
    file = openkoi.folder.parent / f"{name}.sh" if openkoi.folder.name == "folder" else openkoi.home / f"{name}.sh"
    file.write_text(line)
    call = json.dumps({"command": f"bash -e {file}"})
    turns = f"  - when: {{after: 0}}\n    calls: [{{tool: run_command, arguments: {call}}}]\n"
    write_script(file.parent, f"{turns}  - when: {{after: 1}}\n    says: Done.\n", f"{name}.yaml")
    result = openkoi("-m", f"scripted/{file.parent}/{name}.yaml", "-i", "0", "--format", "json", "Change some files")
    assert 0 == result.returncode, result.stderr
    return str(json.loads(result.stdout)["task_id"])[:8]


def standing(root: Path) -> dict[str, tuple[str, str]]:
    """Return every path with its kind and mode, and its content or where it leads."""
    found = {}
    for path in sorted(os.fsencode(path) for path in root.rglob("*")):
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            fact = "link", repr(os.readlink(path))  # noqa: PTH115  # Path would tidy it
        elif stat.S_ISDIR(status.st_mode):
            fact = f"folder {stat.S_IMODE(status.st_mode):o}", ""
        else:
            fact = f"file {stat.S_IMODE(status.st_mode):o}", repr(Path(os.fsdecode(path)).read_bytes())
        found[repr(os.path.relpath(path, os.fsencode(root)))] = fact
    return found


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", CASES)
def test_undo_leaves_what_the_user_did_alone_and_redo_brings_the_rest_again(openkoi: Shell, name: str) -> None:
    case = CASES[name]
    never = openkoi.folder.parent / "never"
    never.mkdir()
    for line in (case.there, case.without or case.user):
        sh(never, line)
    sh(openkoi.folder, case.there)
    task(openkoi, case.work)
    sh(openkoi.folder, case.user)
    after = standing(openkoi.folder)
    undone = openkoi("undo")
    first, redone = standing(openkoi.folder), openkoi("redo")
    second, again = standing(openkoi.folder), openkoi("undo")

    assert (0, standing(never)) == (undone.returncode, first), undone.stdout + undone.stderr
    assert (0, after) == (redone.returncode, second), redone.stdout + redone.stderr
    assert (0, first) == (again.returncode, standing(openkoi.folder)), again.stdout + again.stderr


def test_a_task_in_a_subfolder_is_undone_from_there_and_touches_nothing_above(openkoi: Shell) -> None:
    sh(openkoi.folder, f"mkdir -p sub/deep; {TEXT} > top; {TEXT} > sub/a; echo d > sub/deep/d")
    below = Shell(openkoi.folder / "sub", openkoi.home)
    task(below, "sed -i 's/line 3$/LINE 3/' a; mv deep/d ../out; rm -r deep")
    sh(openkoi.folder, "sed -i 's/line 20/mine/' sub/a top")
    undone = below("undo")

    assert 0 == undone.returncode, undone.stderr
    assert ("d\n", True) == ((below.folder / "deep/d").read_text(), (openkoi.folder / "out").exists())
    assert ("line 3\n" in (below.folder / "a").read_text(), "mine" in (below.folder / "a").read_text()) == (True, True)


def test_stash_and_pop_between_a_task_and_its_undo(openkoi: Shell) -> None:
    sh(
        openkoi.folder,
        f"git init -q; git config user.email a@b; git config user.name n; {TEXT} > a; git add a; git commit -qm a",
    )
    task(openkoi, "sed -i 's/line 3$/LINE 3/' a; echo n > n")
    sh(openkoi.folder, "git stash -qu")
    stashed = openkoi("undo")
    sh(openkoi.folder, "git stash pop -q")
    popped = openkoi("redo")
    undone = openkoi("undo")

    assert (0, "The task was reverted without `openkoi undo`.") == (stashed.returncode, stashed.stdout.splitlines()[1])
    assert (0, "The task was reapplied without `openkoi redo`.") == (popped.returncode, popped.stdout.splitlines()[1])
    assert (0, False, "line 3\n") == (
        undone.returncode,
        (openkoi.folder / "n").exists(),
        (openkoi.folder / "a").read_text()[14:21],
    )


def test_a_task_that_git_took_away_is_undone_when_git_has_brought_it_back(openkoi: Shell) -> None:
    sh(
        openkoi.folder,
        f"git init -q; git config user.email a@b; git config user.name n; {TEXT} > a; git add a; git commit -qm a",
    )
    before = (openkoi.folder / "a").read_text()
    task(openkoi, "echo first > first", "first")
    task(openkoi, "sed -i 's/line 3$/LINE 3/' a", "second")
    sh(openkoi.folder, "git stash -q")
    stashed = openkoi("undo")
    sh(openkoi.folder, "git stash pop -q")
    undone = openkoi("undo")

    assert (0, "Nothing to undo") == (stashed.returncode, stashed.stdout.partition(":")[0])
    assert (0, before, True) == (
        undone.returncode,
        (openkoi.folder / "a").read_text(),
        (openkoi.folder / "first").exists(),
    ), undone.stdout
    assert (0, False) == (openkoi("undo").returncode, (openkoi.folder / "first").exists())


def test_redo_after_an_undo_in_part_and_by_force(openkoi: Shell) -> None:
    sh(openkoi.folder, f"{TEXT} > a; {TEXT} > b")
    id = task(openkoi, "sed -i 's/line 3$/LINE 3/' a b; echo n > n")
    after = standing(openkoi.folder)
    sh(openkoi.folder, "sed -i 's/LINE 3/mine/' a")
    part, forced = openkoi("undo"), openkoi("undo", "--force")
    before = standing(openkoi.folder)
    redone = openkoi("redo", id)

    assert (1, 0, 0) == (part.returncode, forced.returncode, redone.returncode), forced.stderr + redone.stderr
    assert "1 file restored, 1 deleted, 1 in conflict" in part.stdout
    assert ({"'a'", "'b'"}, after) == ({path.removeprefix("b") for path in before}, standing(openkoi.folder))


def test_undo_twice_and_then_once_more(openkoi: Shell) -> None:
    sh(openkoi.folder, f"{TEXT} > a")
    before = standing(openkoi.folder)
    for number in (3, 20):
        task(openkoi, f"sed -i 's/line {number}$/LINE/' a", f"work{number}")
    codes = [openkoi("undo").returncode for _ in range(3)]

    assert ([0, 0, 1], before) == (codes, standing(openkoi.folder))


def test_an_earlier_task_is_undone_below_a_later_one(openkoi: Shell) -> None:
    sh(openkoi.folder, f"{TEXT} > a; {TEXT} > b")
    first = task(openkoi, "sed -i 's/line 3$/LINE 3/' a b", "first")
    task(openkoi, "sed -i 's/line 20$/LINE 20/' a; sed -i 's/LINE 3$/Line three/' b", "second")
    undone = openkoi("undo", first)

    assert 1 == undone.returncode
    assert "0 files restored, 1 merged with later changes, 1 in conflict" in undone.stdout
    assert ["line 3", "LINE 20"] == [(openkoi.folder / "a").read_text().splitlines()[n] for n in (2, 19)]
    assert "conflict: b was not changed" in undone.stderr

"""Whatever people, git and other tasks did since: diff shows a task's own changes, undo and redo merge as git does."""

import json
import random
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import undo_histories
from cli_process import Shell
from undo_histories import Act, Reference, act, acts_of, facts_without, git, grow

from openkoi_hookspecs import ToolCall
from openkoi_testing.servers import OpenAIServer, Say
from openkoi_testing.servers.http_server import ReceivedRequest, ServerResponse

CONFIG = '[hooks.guard]\nenabled = false\n[use]\nsandbox = "plain"\n[evaluators.word-count]\nenabled = false\n'
COUNTS = re.compile(r"^(\d+) files? restored(.*)$", re.MULTILINE)
CONFLICT = re.compile(r"^  ! conflict: (.+) was not changed: ", re.MULTILINE)
SAMPLE = (0, 1)
SEEDS = range(140)


class Pausing(OpenAIServer):
    """Lets something happen before it answers the second request."""

    def __init__(self, *answers: Say, meanwhile: Callable[[], object]) -> None:
        super().__init__(*answers)
        self.meanwhile = meanwhile

    def answer(self, seen: ReceivedRequest) -> ServerResponse:
        """Answer as ever, but the second time only after that."""
        if seen.method == "POST" and len(self.asked) == 2:
            self.meanwhile()
        return super().answer(seen)


@dataclass(slots=True)
class Done:
    """A task: its folder within the repository, and the trees before and after it, as the reference has them."""

    id: str
    folder: str
    before: str
    after: str
    state: str = "done"


@dataclass(slots=True)
class History:
    """A repository, and what happens in it by one seed."""

    home: Path
    seed: int
    tasks: list[Done] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    tags: int = 0
    chance: random.Random = field(init=False)
    reference: Reference = field(init=False)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.root.mkdir()
        (self.home / "home").mkdir()
        (self.home / "home" / "config.toml").write_text(CONFIG)
        grow(self.root)
        self.reference = Reference(self.home / "reference")

    @property
    def root(self) -> Path:
        return self.home / "root"

    @property
    def now(self) -> str:
        return self.reference.tree(self.root)

    def openkoi(self, folder: str = "", **variables: str) -> Shell:
        return Shell(self.root / folder, self.home / "home", variables)

    def tag(self) -> str:
        self.tags += 1
        return f"t{self.tags}"

    # What happens.

    def run(self, folder: str = "", acts: Sequence[Act] | None = None) -> None:
        """A task that does some acts, in the repository or in a folder of it."""
        acts = acts_of(self.chance, self.root, self.chance.randint(1, 4), folder, self.tag()) if acts is None else acts
        before = self.now
        self.perform(folder, calls_for(acts, folder), lambda: None, before, acts)
        assert self.tasks[-1].after == self.now, "the run did its acts"

    def run_in_subfolder(self) -> None:
        self.run("sub/")

    def run_two_at_once(self) -> None:
        """A second task runs from its beginning to its end between two turns of the first; they share no file."""
        mine = acts_of(self.chance, self.root, 2, "", self.tag())
        theirs = [("write", f"second{self.tags}.txt", f"{self.tag()}\n"), ("edit", "sub/e.py", f"3={self.tag()}")]
        mine = [one for one in mine if "sub/" not in one[1] + one[2]]
        more = [("write", f"late{self.tags}.txt", f"{self.tag()}\n")]
        turns = calls_for([*mine, *more], "")
        self.perform("", turns, lambda: self.run("", theirs), self.now, [*mine, *more])

    def perform(
        self, folder: str, turns: Sequence[Say], meanwhile: Callable[[], object], before: str, acts: Sequence[Act]
    ) -> None:
        with Pausing(*turns, Say("Done."), meanwhile=meanwhile) as server:
            there = self.openkoi(folder, OPENAI_BASE_URL=server.url, OPENAI_API_KEY="sk-test")
            ran = there("-m", "openai/gpt-fake", "-i", "0", "--format", "json", "Change some files")
        assert 0 == ran.returncode, ran.stderr
        after = self.reference.after(before, acts)
        if self.reference.changed(before, after):
            self.tasks.append(Done(str(json.loads(ran.stdout)["task_id"]), folder, before, after))
        else:
            self.tasks.append(Done("", folder, before, after))

    def edit_by_hand(self) -> None:
        for one in acts_of(self.chance, self.root, self.chance.randint(1, 3), "", self.tag()):
            act(self.root, *one)

    def rename_by_hand(self) -> None:
        for one in acts_of(self.chance, self.root, 9, "", self.tag()):
            if one[0] == "move":
                git(self.root, "mv", one[1], one[2])
                act(self.root, *one)

    def commit(self) -> None:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-qm", "more")

    def checkout(self) -> None:
        words = self.chance.choice(
            (["."], ["HEAD~1", "--", "."], ["-q", "HEAD~1"], ["-q", "main"], ["HEAD", "--", "sub"])
        )
        git(self.root, "checkout", *words)

    def stash(self) -> None:
        git(self.root, "stash", *self.chance.choice((["-u"], [], ["pop"])))

    # What is checked.

    def undo(self, one: Done, *, back: bool = True) -> None:
        """Undo or redo a task, and compare each file, each conflict and each count with git's merge."""
        wanted, base = (one.before, one.after) if back else (one.after, one.before)
        before = self.now
        expected, conflicts = self.reference.merged(base, before, wanted, one.folder)
        result = self.openkoi(one.folder)("undo" if back else "redo", one.id[:8])
        found, was = self.reference.files(self.now), self.reference.files(before)
        reply = f"{self.seed} {self.steps}\n{result.stdout}{result.stderr}"

        assert expected == found, reply
        assert conflicts == {one.folder + name for name in CONFLICT.findall(result.stderr)}, reply
        assert (1 if conflicts else 0) == result.returncode, reply
        count = COUNTS.search(result.stdout)
        assert count, reply
        more = {what: int(number) for number, what in re.findall(r"(\d+) ([a-z ]+)", count[2])}
        changed = {path for path in {*found, *was} if found.get(path) != was.get(path)}
        applied = int(count[1]) + more.get("deleted", 0) + more.get("merged with later changes", 0)
        assert len(changed) == applied, reply
        assert len(conflicts) == more.get("in conflict", 0), reply

    def redo(self, one: Done) -> None:
        self.undo(one, back=False)

    def diff(self, one: Done) -> None:
        """The diff names the task's own files, and makes the files after it of those before it."""
        result = self.openkoi(one.folder).bash(f"openkoi diff {one.id[:8]} >{self.home}/patch")
        patch = (self.home / "patch").read_bytes().decode()
        reply = f"{self.seed} {self.steps}\n{patch}{result.stderr}"
        parts = [part for part in re.split(r"(?m)^(?=diff --git )", patch) if part]
        texts = "".join(part for part in parts if not re.search(r"(?m)^Binary files ", part))
        binary = {
            path for path in self.reference.changed(one.before, one.after) if path.endswith(".bin") or ".bin." in path
        }
        gone = [one.folder + name for name in re.findall(r"(?m)^Binary files a/(.*) and /dev/null differ$", patch)]
        patched = self.reference.patched(one.before, within(texts, one.folder), gone)

        assert 0 == result.returncode, reply
        wanted, made = (self.reference.files(tree) for tree in (one.after, patched))
        differ = {path for path in {*wanted, *made} if wanted.get(path) != made.get(path)}
        named = [part for part in parts if "Binary files" in part]
        assert all(any(path.removeprefix(one.folder) in part for part in named) for path in differ), reply
        assert facts_without(wanted, differ) == facts_without(made, differ | binary & differ), reply

    def happen(self, steps: int) -> None:
        """Let things happen, then undo, redo and show all tasks in some order."""
        others = (self.edit_by_hand, self.edit_by_hand, self.commit, self.checkout, self.stash, self.rename_by_hand)
        self.step(self.run)
        for _ in range(steps):
            self.step(self.chance.choice((self.run, self.run_in_subfolder, self.run_two_at_once, *others * 2)))
            self.check(self.chance.choice((self.undo, self.redo, self.diff, None, None)))
        for check in (self.diff, self.undo, self.diff, self.redo):
            self.check(check)

    def step(self, what: Callable[[], object]) -> None:
        self.steps.append(what.__name__)
        what()

    def check(self, how: Callable[[Done], object] | None) -> None:
        there = [one for one in self.tasks if one.id]
        if how and there:
            one = self.chance.choice(there)
            self.steps.append(f"{how.__name__} {self.tasks.index(one)}")
            how(one)


def calls_for(acts: Sequence[Act], folder: str) -> list[Say]:
    """Return a turn for each act, because calls of one turn are made at once.

    Paths as they are seen from the folder.
    """
    rows = [(what, path.removeprefix(folder), inner(what, text, folder)) for what, path, text in acts]
    return [Say(["I change a file.", call_for(n, one)]) for n, one in enumerate(rows)]


def call_for(number: int, one: Act) -> ToolCall:
    """Return the tool that writes files for new texts, a command for all else.

    The tool keeps the line ends of old ones.
    """
    what, path, text = one
    if what == "write" and text.count("\n") > 1:
        return ToolCall(f"call{number}", "write_file", {"path": path, "content": text, "overwrite": True})
    command = f"{sys.executable} {undo_histories.__file__} {quoted(json.dumps([one]))}"
    return ToolCall(f"call{number}", "run_command", {"command": command})


def inner(what: str, text: str, folder: str) -> str:
    """Return a path that an act names besides, as it is seen from a folder."""
    return text.removeprefix(folder) if what == "move" else text


def quoted(text: str) -> str:
    """Quote a text for a shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def within(patch: str, folder: str) -> str:
    """Return a patch of a folder as one of the repository."""
    if not folder:
        return patch
    lines = (re.sub(r"^((?:--- |\+\+\+ )\"?[ab]/)", rf"\g<1>{folder}", line) for line in re.split(r"(?<=\n)", patch))
    return "".join(
        re.sub(r"^diff --git (\"?)a/(.*) (\"?)b/", rf"diff --git \1a/{folder}\2 \3b/{folder}", line) for line in lines
    )


@pytest.mark.parametrize("seed", SAMPLE)
def test_undo_redo_and_diff_do_as_git_merges(tmp_path: Path, seed: int) -> None:
    History(tmp_path, seed).happen(4)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", SEEDS)
def test_undo_redo_and_diff_do_as_git_merges_in_all_histories(tmp_path: Path, seed: int) -> None:
    History(tmp_path, 1_000 + seed).happen(7)

"""What a task did that undo cannot take back, told from the log: in the repository, and outside the workspace.

Undo never touches ``.git``; a person is told what is left there and which command takes it back.
"""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from openkoi_hookspecs import Record, events
from openkoi_hookspecs.events import GitRefChanged

SHORT = 7
SETTINGS = ("config", "hooks/", "info/")
MADE = "the repository {git} was made: delete that folder if it is of no use to you"
DELETED = "the repository {git} was deleted, and nothing of it was kept: clone it again"


def untaken(records: Iterable[Record], run: str) -> list[str]:
    """Everything that stays as the task left it, a sentence each."""
    moves: dict[str, dict[str, GitRefChanged]] = {}
    written, skipped = dict[str, None](), dict[str, None]()
    for event in (record.event for record in records if record.run == run):
        match event:
            case GitRefChanged(ref=ref):
                changes = moves.setdefault(event.repository, {})
                changes[ref] = replace(event, before=changes.get(ref, event).before)
            case events.OutsideFileWritten(path=path):
                written[path] = None
            case events.SkippedFolderChanged(path=path):
                skipped[path] = None
    outside = [f"{path}, which lies outside the workspace: look at it yourself" for path in written]
    folders = [f"{path}, a folder of which nothing is kept: make it again" for path in skipped]
    return [*(text for place in sorted(moves) for text in left(moves[place], place)), *outside, *folders]


def cut_short(records: Iterable[Record], run: str) -> str:
    """The tool in whose call the task was killed; what changed after that is not told from what the call did."""
    under_way: dict[str, str] = {}
    found = ""
    for event in (record.event for record in records if record.run == run):
        match event:
            case events.ToolCallStarted(call=call):
                under_way[call.id] = call.tool
            case events.ToolCallFinished(result=result):
                under_way.pop(result.call, None)
            case events.RunResumed():
                found = next(iter(under_way.values()), found)
                under_way.clear()
    return next(iter(under_way.values()), found)


def left(moves: Mapping[str, GitRefChanged], repository: str) -> Iterator[str]:
    """A sentence for each name that does not point to where it did; HEAD first: other commands need it back."""
    head = moves.get("HEAD")
    git = f"{repository}/.git".lstrip("/")
    if head and not (head.before and head.after):
        yield from [(MADE if head.after else DELETED).format(git=git)] if head.before != head.after else []
        return
    for ref in sorted(moves):
        move = moves[ref]
        if move.before != move.after and ref.startswith(SETTINGS):
            yield f"{git}/{ref} was {'changed' if move.before and move.after else 'made' if move.after else 'deleted'}"
        elif move.before != move.after:
            what, command = told_of(move, switched="HEAD" in moves)
            yield f"{what} ({command} takes it back)" if not repository else below(repository, what, command)


def below(repository: str, what: str, command: str) -> str:
    """A sentence about a repository below the workspace."""
    there = f"git -C {shlex.quote(repository)} "
    return f"in {repository}: {what} ({command.replace('git ', there, 1)} takes it back)"


def told_of(move: GitRefChanged, *, switched: bool) -> tuple[str, str]:
    """What happened to a name, and the command that undoes it. ``switched``: HEAD stands elsewhere than before."""
    if move.ref == "HEAD":
        return of_head(move)
    if move.ref == "refs/stash":
        return of_stash(move)
    if move.ref.startswith("refs/tags/"):
        return of_tag(move, move.ref.removeprefix("refs/tags/"))
    return of_branch(move, move.ref.removeprefix("refs/heads/"), switched=switched)


def of_head(move: GitRefChanged) -> tuple[str, str]:
    """Another branch is checked out, or a commit was made on none."""
    before, after = (goal.removeprefix("ref: refs/heads/") for goal in (move.before, move.after))
    if "ref:" in move.before:
        now = after if "ref:" in move.after else f"commit {after[:SHORT]}"
        return f"{now} is checked out in place of {before}", f"git switch {shlex.quote(before)}"
    if "ref:" in move.after:
        return f"{after} is checked out in place of {before[:SHORT]}", f"git switch --detach {before[:SHORT]}"
    return f"commit {after[:SHORT]} on no branch", f"git reset --soft {before[:SHORT]}"


def of_stash(move: GitRefChanged) -> tuple[str, str]:
    """Something was stashed, or taken from the stash."""
    if move.after:
        return f"stash {move.after[:SHORT]}", "git stash drop"
    return f"stash {move.before[:SHORT]} is gone", f"git stash store {move.before[:SHORT]}"


def of_tag(move: GitRefChanged, name: str) -> tuple[str, str]:
    """A tag was made, deleted or moved."""
    quoted, old = shlex.quote(name), move.before[:SHORT]
    if not move.before:
        return f"tag {name}", f"git tag -d {quoted}"
    if not move.after:
        return f"tag {name} is gone", f"git tag {quoted} {old}"
    return f"tag {name} is on {move.after[:SHORT]}", f"git tag -f {quoted} {old}"


def of_branch(move: GitRefChanged, name: str, *, switched: bool) -> tuple[str, str]:
    """Something was committed on a branch, or it was made, deleted or moved."""
    quoted, old, new = shlex.quote(name), move.before[:SHORT], move.after[:SHORT]
    if not move.after:
        return f"branch {name} is gone", f"git branch {quoted} {old}"
    if not move.before:
        first = move.current and not switched
        return f"branch {name}, on commit {new}", "git update-ref -d HEAD" if first else f"git branch -D {quoted}"
    if move.current:
        return f"commit {new} on {name}", f"git reset --soft {old}"
    return f"branch {name} is on commit {new}", f"git branch -f {quoted} {old}"

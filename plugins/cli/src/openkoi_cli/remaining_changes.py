"""List what undo cannot revert: changes in .git, outside the workspace, and in folders without checkpoints.

Undo never changes ``.git``; the user gets the command that reverts each change there.
"""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from openkoi_hookspecs import Record, ToolResult, events
from openkoi_hookspecs.events import GitRefChanged

SHOWN_HASH_LENGTH = 7
SETTING_PREFIXES = ("config", "hooks/", "info/")
REPOSITORY_CREATED = "the repository {git} was created; delete that folder if you do not need it"
REPOSITORY_DELETED = "the repository {git} was deleted and cannot be restored; clone it again"


def list_remaining(records: Iterable[Record], run: str) -> list[str]:
    """Return a sentence for each change that stays."""
    moves: dict[str, dict[str, GitRefChanged]] = {}
    written, skipped, elsewhere = dict[str, None](), dict[str, None](), dict[str, None]()
    tools: dict[str, str] = {}
    for event in (record.event for record in records if record.run == run):
        match event:
            case GitRefChanged(ref=ref):
                changes = moves.setdefault(event.repository, {})
                changes[ref] = replace(event, before=changes.get(ref, event).before)
            case events.OutsideFileWritten(path=path):
                written[path] = None
            case events.SkippedFolderChanged(path=path):
                skipped[path] = None
            case events.ToolCallStarted(call=call):
                tools[call.id] = call.tool
            case events.ToolCallFinished(result=result):
                elsewhere |= dict.fromkeys(effects_elsewhere(result, tools.get(result.call, "")))
    outside = [f"{path} is outside the workspace; check it yourself" for path in written]
    folders = [f"{path} was changed but has no checkpoints; restore it yourself" for path in skipped]
    in_git = (text for place in sorted(moves) for text in describe_git_changes(moves[place], place))
    return [*in_git, *outside, *folders, *(f"{effect}; undo it there yourself" for effect in elsewhere)]


def effects_elsewhere(result: ToolResult, tool: str) -> Iterator[str]:
    """Yield what a call did in another service, which its tool describes as ``TOOL: what it did``."""
    yield from (one.rstrip(".") for one in result.effects if tool and one.startswith(f"{tool}: "))


def find_interrupted_tool(records: Iterable[Record], run: str) -> str:
    """Return the tool during which the task was killed; later changes may not be its own."""
    running: dict[str, str] = {}
    found = ""
    for event in (record.event for record in records if record.run == run):
        match event:
            case events.ToolCallStarted(call=call):
                running[call.id] = call.tool
            case events.ToolCallFinished(result=result):
                running.pop(result.call, None)
            case events.RunResumed():
                found = next(iter(running.values()), found)
                running.clear()
    return next(iter(running.values()), found)


def describe_git_changes(moves: Mapping[str, GitRefChanged], repository: str) -> Iterator[str]:
    """Yield a sentence for each changed ref; HEAD first, because other commands depend on it."""
    head = moves.get("HEAD")
    git = f"{repository}/.git".lstrip("/")
    if head and not (head.before and head.after):
        if head.before != head.after:
            yield (REPOSITORY_CREATED if head.after else REPOSITORY_DELETED).format(git=git)
        return
    for ref in sorted(moves):
        move = moves[ref]
        if move.before != move.after and ref.startswith(SETTING_PREFIXES):
            change = "changed" if move.before and move.after else "created" if move.after else "deleted"
            yield f"{git}/{ref} was {change}"
        elif move.before != move.after:
            what, command = describe_ref(move, switched="HEAD" in moves)
            yield format_change(repository, what, command)


def format_change(repository: str, what: str, command: str) -> str:
    """Return a sentence about a change, and the command that reverts it from the workspace."""
    if not repository:
        return f"{what} (undo with `{command}`)"
    there = f"git -C {shlex.quote(repository)} "
    return f"in {repository}: {what} (undo with `{command.replace('git ', there, 1)}`)"


def describe_ref(move: GitRefChanged, *, switched: bool) -> tuple[str, str]:
    """Return a change of a ref, and the command that reverts it; ``switched`` if HEAD moved."""
    if move.ref == "HEAD":
        return describe_head(move)
    if move.ref == "refs/stash":
        return describe_stash(move)
    if move.ref.startswith("refs/tags/"):
        return describe_tag(move, move.ref.removeprefix("refs/tags/"))
    return describe_branch(move, move.ref.removeprefix("refs/heads/"), switched=switched)


def describe_head(move: GitRefChanged) -> tuple[str, str]:
    """Describe a switched branch or a commit without one."""
    before, after = (goal.removeprefix("ref: refs/heads/") for goal in (move.before, move.after))
    if "ref:" in move.before:
        now = after if "ref:" in move.after else f"commit {after[:SHOWN_HASH_LENGTH]}"
        return f"{now} is checked out instead of {before}", f"git switch {shlex.quote(before)}"
    if "ref:" in move.after:
        return (
            f"{after} is checked out instead of {before[:SHOWN_HASH_LENGTH]}",
            f"git switch --detach {before[:SHOWN_HASH_LENGTH]}",
        )
    return (
        f"commit {after[:SHOWN_HASH_LENGTH]} was made on a detached HEAD",
        f"git reset --soft {before[:SHOWN_HASH_LENGTH]}",
    )


def describe_stash(move: GitRefChanged) -> tuple[str, str]:
    """Describe a new or removed stash."""
    if move.after:
        return f"stash {move.after[:SHOWN_HASH_LENGTH]} was created", "git stash drop"
    return f"stash {move.before[:SHOWN_HASH_LENGTH]} was deleted", f"git stash store {move.before[:SHOWN_HASH_LENGTH]}"


def describe_tag(move: GitRefChanged, name: str) -> tuple[str, str]:
    """Describe a created, deleted or moved tag."""
    quoted, old = shlex.quote(name), move.before[:SHOWN_HASH_LENGTH]
    if not move.before:
        return f"tag {name} was created", f"git tag -d {quoted}"
    if not move.after:
        return f"tag {name} was deleted", f"git tag {quoted} {old}"
    return f"tag {name} was moved to {move.after[:SHOWN_HASH_LENGTH]}", f"git tag -f {quoted} {old}"


def describe_branch(move: GitRefChanged, name: str, *, switched: bool) -> tuple[str, str]:
    """Describe a commit, or a created, deleted or moved branch."""
    quoted, old, new = shlex.quote(name), move.before[:SHOWN_HASH_LENGTH], move.after[:SHOWN_HASH_LENGTH]
    if not move.after:
        return f"branch {name} was deleted", f"git branch {quoted} {old}"
    if not move.before:
        first = move.current and not switched
        return (
            f"branch {name} was created on commit {new}",
            "git update-ref -d HEAD" if first else f"git branch -D {quoted}",
        )
    if move.current:
        return f"commit {new} was made on {name}", f"git reset --soft {old}"
    return f"branch {name} was moved to commit {new}", f"git branch -f {quoted} {old}"

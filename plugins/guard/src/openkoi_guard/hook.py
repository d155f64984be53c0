"""The guard: a verdict on each tool call. Knows tools and settings; what shell lines mean is judged elsewhere."""

import shlex
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from openkoi_base.schema import PATH_PARAMETERS, all_protected, written_paths
from openkoi_hookspecs import Allow, Ask, Deny, Effect, Json, Permission, Run, Tool, ToolCall, hookimpl

from .policy import Policy, patterns
from .protected import DEFAULTS, reason
from .secret_files import holds_token
from .sourced import Beginnings, is_new

if TYPE_CHECKING:
    from .git_checkouts import Comparison
    from .judge import Judgement
    from .named import NamedFiles

Mode = Literal["ask", "deny", "off"]
Approvals = Literal["never", "risky", "always"]
NOTE = "The guard prevents accidents; it is no boundary."
MOUNTS = Path("/proc/mounts")
COMMAND_ARGUMENTS = ("command", "cmd", "command_line", "shell_command")


class Guard:
    """Ask before what cannot be taken back. Settings: ``[hooks.guard]``."""

    def __init__(
        self,
        *,
        mode: Mode = "ask",
        approvals: Approvals = "risky",
        allow: Sequence[str] = (),
        ask: Sequence[str] = (),
        deny: Sequence[str] = (),
        protected_paths: Sequence[str] = DEFAULTS,
        command_arguments: Sequence[str] = COMMAND_ARGUMENTS,
        path_arguments: Sequence[str] = PATH_PARAMETERS,
    ) -> None:
        self.mode = mode
        self.approvals = approvals
        self.allow, self.ask, self.deny = patterns("allow", allow), patterns("ask", ask), patterns("deny", deny)
        self.protected_paths = tuple(protected_paths)
        self.command_arguments = tuple(command_arguments)
        self.path_arguments = tuple(path_arguments)
        self.beginnings = Beginnings()

    @cached_property
    def named(self) -> "NamedFiles":
        """Where links and settings put other files in the place of protected ones."""
        from .named import NamedFiles

        return NamedFiles()

    @hookimpl
    def before_tool(self, call: ToolCall, tool: Tool, run: Run) -> Permission | None:
        """Say what holds for a call; None when there is nothing to say."""
        if self.mode == "off":
            return None
        since = self.beginnings.of(run.id)
        return self.settled(strictest_of(list(self.verdicts(call, tool, run.workspace, since))), tool)

    def settled(self, verdict: Permission | None, tool: Tool) -> Permission | None:
        """What becomes of a verdict under the settings. Denials stay as they are."""
        if isinstance(verdict, Deny):
            return verdict
        if isinstance(verdict, Ask) and self.mode == "deny":
            return Deny(verdict.reason)
        if self.approvals == "never":
            paths, call = (verdict.paths, verdict.only_this_call) if verdict else ((), False)
            return Allow(paths=paths, only_this_call=call) if verdict or tool.effect is Effect.IRREVERSIBLE else None
        if not isinstance(verdict, Ask) and self.approvals == "always" and tool.effect > Effect.READS:
            return Ask("Your settings want every call asked about that changes something.")
        return verdict

    def verdicts(self, call: ToolCall, tool: Tool, workspace: Path, since: float) -> Iterator[Permission]:
        """All that is to be said of a call, one by one."""
        for name in self.command_arguments:
            if name in call.arguments:
                yield from self.on_command(call.arguments[name], workspace, since)
        if tool.effect > Effect.READS:
            for path in written_paths(call, tool, self.path_arguments):
                yield from self.on_path(path, workspace)

    def on_command(self, given: Json, workspace: Path, since: float) -> Iterator[Permission]:
        line = line_of(given)
        if line is None:
            yield Ask(f"The command is no text, so it cannot be judged. {NOTE}")
            return
        from .judge import examined

        judgement = examined(line, Policy(self.allow, self.ask, self.deny, mounted_for(line)))
        verdict = without_worthless(judgement, workspace, since)
        if not isinstance(verdict, Allow):
            yield verdict
        yield from ask_about_tokens(judgement, workspace)
        yield from self.on_sourced(judgement, workspace, since)
        yield from self.on_history(judgement.compares, workspace)
        for path in judgement.configures:
            yield from self.on_settings(path, workspace, plainly=judgement.plainly)
        for path in judgement.writes:
            yield from self.on_path(path, workspace, (".", *judgement.folders))

    def on_sourced(self, judgement: "Judgement", workspace: Path, since: float) -> Iterator[Permission]:
        """Files of the workspace that a shell reads into itself: those that were there before the run may be."""
        for path in judgement.sourced:
            if all(is_new(Path(folder) / path, workspace, since) for folder in (".", *judgement.folders)):
                yield Ask(f"{path} is new, or lies outside the workspace, and a shell would run all of it. {NOTE}")

    def on_path(self, path: str, workspace: Path, folders: Sequence[str] = (".",)) -> Iterator[Permission]:
        found = [*all_protected([path], self.protected_paths, workspace, folders)]
        if found:
            text = f"{path} is protected by {found[0].glob!r}: {reason(path, workspace)}. {NOTE}"
            yield Ask(text, paths=tuple(one.resolve(workspace) for one in found))
        elif named := [*self.named.find(path, self.protected_paths, workspace, folders)]:
            text = f"{path} is protected: {named[0][1].reason}. {NOTE}"
            yield Ask(text, paths=tuple(place for place, _ in named))

    def on_history(self, comparisons: "Sequence[Comparison]", workspace: Path) -> Iterator[Permission]:
        """Files that other programs run, as another commit has them: the sandbox would keep them as they are."""
        from .git_checkouts import changed_autorun

        is_named = self.named.checker(workspace) if comparisons else None
        for path in changed_autorun(comparisons, workspace, is_named) if is_named else ():
            yield from self.on_path(path, workspace)

    def on_settings(self, path: str, workspace: Path, *, plainly: bool) -> Iterator[Permission]:
        """Settings of a repository that is there already; those of a new one are the sandbox's to look at.

        Git may write those that it never runs, in this call.
        """
        for verdict in self.on_path(path, workspace) if (workspace / path).exists() else ():
            yield Allow(paths=verdict.paths, only_this_call=True) if plainly else verdict


def ask_about_tokens(judgement: "Judgement", workspace: Path) -> Iterator[Permission]:
    """Ask about files of a project that the line reads if a key is written out in one."""
    for path in judgement.may_hold_tokens:
        if any(holds_token(workspace / folder / path) for folder in (".", *judgement.folders)):
            yield Ask(f"{path} holds a key or password, and would be read. {NOTE}")


def strictest_of(said: Sequence[Permission]) -> Permission | None:
    """The strictest verdict; of several questions one that asks all, and whose answer counts for all their paths."""
    strictest = max(said, key=lambda verdict: verdict.strictness, default=None)
    if not isinstance(strictest, Ask):
        return strictest
    asks = [verdict for verdict in said if isinstance(verdict, Ask)]
    lines = dict.fromkeys(line for ask in asks for line in ask.reason.removesuffix(NOTE).strip().split("\n"))
    noted = NOTE if any(ask.reason.endswith(NOTE) for ask in asks) else ""
    paths = dict.fromkeys(path for ask in asks for path in ask.paths)
    if len(asks) == 1:
        return strictest
    return Ask("\n".join(filter(None, (*lines, noted))), paths=tuple(paths))


def without_worthless(judgement: "Judgement", workspace: Path, since: float) -> Permission:
    """Return the verdict without concerns about what a build makes again and git ignores, or what is temporary."""
    from .generated import is_disposable
    from .judge import verdict_of
    from .temporary import is_temporary

    def is_worthless(deletes: Sequence[str]) -> bool:
        return is_temporary(deletes, since) or is_disposable(deletes, judgement.folders, workspace)

    kept = (concern for concern in judgement.concerns if not (concern.deletes and is_worthless(concern.deletes)))
    return verdict_of(tuple(kept))


def line_of(given: Json) -> str | None:
    """A command as a shell line, also when it is given word by word."""
    if isinstance(given, str):
        return given
    if isinstance(given, list) and all(isinstance(word, str) for word in given):
        return shlex.join(str(word) for word in given)
    return None


def mounted_for(line: str) -> frozenset[str]:
    """The devices that are in use, when a line may make a file system."""
    if "mk" not in line and "newfs" not in line:
        return frozenset()
    try:
        mounts = MOUNTS.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return frozenset()
    return frozenset(mount.split(" ")[0] for mount in mounts.splitlines())

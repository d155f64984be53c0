"""Decide whether a tool call needs the user's approval: allow, ask or deny; shell commands included."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from openkoi_base.schema.path_parameters import PATH_PARAMETERS, refusal_of, written_paths
from openkoi_base.schema.protected_paths import ProtectedPath, all_protected
from openkoi_hookspecs import Allow, Ask, Deny, Effect, Json, Permission, Run, Tool, ToolCall, hookimpl

from .protected_globs import DEFAULT_GLOBS, find_reason
from .sourced_files import RunStartTimes, is_new

if TYPE_CHECKING:
    from .classify import LineVerdict
    from .git_checkouts import Comparison
    from .issue import Issue
    from .named_files import NamedFiles
    from .permission_rules import Pattern

Mode = Literal["ask", "deny", "off"]
Approvals = Literal["never", "risky", "always"]
MOUNTS = Path("/proc/mounts")
COMMAND_ARGUMENTS = ("command", "cmd", "command_line", "shell_command")


class Guard:
    """Ask before irreversible tool calls. Settings: ``[hooks.guard]``."""

    def __init__(
        self,
        *,
        mode: Mode = "ask",
        approvals: Approvals = "risky",
        allow: Sequence[str] = (),
        ask: Sequence[str] = (),
        deny: Sequence[str] = (),
        yes: Sequence[str] = (),
        protected_paths: Sequence[str] = DEFAULT_GLOBS,
        command_arguments: Sequence[str] = COMMAND_ARGUMENTS,
        path_arguments: Sequence[str] = PATH_PARAMETERS,
    ) -> None:
        self.mode = mode
        self.approvals = approvals
        self.allow, self.ask, self.deny = (
            parse_setting(key, texts) for key, texts in (("allow", allow), ("ask", ask), ("deny", deny))
        )
        self.yes = frozenset(yes)
        self.protected_paths = tuple(protected_paths)
        self.command_arguments = tuple(command_arguments)
        self.path_arguments = tuple(path_arguments)
        self.start_times = RunStartTimes()

    @cached_property
    def named_files(self) -> "NamedFiles":
        """The cached search for ordinary files that a link or setting uses in place of protected ones."""
        from .named_files import NamedFiles

        return NamedFiles()

    @hookimpl
    def before_tool(self, call: ToolCall, tool: Tool, run: Run) -> Permission | None:
        """Return the permission for a call; None to add nothing."""
        if self.mode == "off":
            return None
        since = self.start_times.get_start(run.id)
        found = merge_permissions(list(self.list_permissions(call, tool, run.workspace, since)))
        permission = self.apply_settings(found, tool)
        if isinstance(permission, Ask) and (why := refusal_of(call, tool)):
            return Deny(why)
        return permission

    def apply_settings(self, permission: Permission | None, tool: Tool) -> Permission | None:
        """Return the permission under the settings. Denials stay as they are."""
        if isinstance(permission, Deny):
            return permission
        if not isinstance(permission, Ask) and self.approvals == "always" and tool.effect > Effect.READS:
            permission = Ask("Your settings require approval for every call that changes something.")
        if isinstance(permission, Ask) and self.mode == "deny":
            return Deny(permission.reason)
        if self.approvals == "never":
            paths, call = (permission.paths, permission.only_this_call) if permission else ((), False)
            return Allow(paths=paths, only_this_call=call) if permission or tool.effect is Effect.IRREVERSIBLE else None
        return permission

    def list_permissions(self, call: ToolCall, tool: Tool, workspace: Path, since: float) -> Iterator[Permission]:
        """Yield all permissions for a call."""
        for name in self.command_arguments:
            if name in call.arguments:
                yield from self.check_command(call.arguments[name], workspace, since)
        if tool.effect > Effect.READS:
            yield from self.check_paths(written_paths(call, tool, self.path_arguments), workspace)

    def check_command(self, command: Json, workspace: Path, since: float) -> Iterator[Permission]:
        """Yield the permissions for a shell line."""
        line = read_line(command)
        if line is None:
            yield Ask("The command is not a string, so it cannot be checked.")
            return
        from .classify import classify_line, strictest_permission
        from .permission_rules import PermissionRules

        verdict = classify_line(line, PermissionRules(self.allow, self.ask, self.deny, read_mounted_devices(line)))
        issues = list_issues(verdict, workspace, since)
        permission = strictest_permission(issues)
        if isinstance(permission, Ask):
            from .undoable import can_be_undone

            by_flag = all(one.category in self.yes or can_be_undone(one, verdict, workspace) for one in issues)
            yield Ask(permission.reason, by_flag=by_flag)
        elif not isinstance(permission, Allow):
            yield permission
        yield from check_tokens(verdict, workspace)
        yield from self.check_sourced(verdict, workspace, since)
        yield from self.check_history(verdict.comparisons, workspace)
        for path in verdict.git_configs:
            yield from self.check_git_config(path, workspace, only_plain_settings=verdict.only_plain_settings)
        yield from self.check_paths(verdict.writes, workspace, (".", *verdict.folders))

    def check_sourced(self, verdict: "LineVerdict", workspace: Path, since: float) -> Iterator[Permission]:
        """Ask about files that a shell sources, unless they were in the workspace before the run."""
        for path in verdict.sourced_files:
            if all(is_new(Path(folder) / path, workspace, since) for folder in (".", *verdict.folders)):
                yield Ask(f"{path} is new or outside the workspace, and a shell would run all of it.")

    def check_paths(
        self, paths: Iterable[str], workspace: Path, folders: Sequence[str] = (".",)
    ) -> Iterator[Permission]:
        """Ask about each protected path. The workspace is scanned once for all of them."""
        found: dict[str, list[ProtectedPath]] = {path: [] for path in paths}
        for protected in all_protected(found, self.protected_paths, workspace, folders) if found else ():
            found[protected.path].append(protected)
        for path, places in found.items():
            if places:
                text = f"{path} is protected by {places[0].glob!r}: {find_reason(path, workspace)}."
                yield Ask(text, paths=tuple(place.resolve(workspace) for place in places))
        others = [path for path, places in found.items() if not places]
        for path, named in self.named_files.find(others, self.protected_paths, workspace, folders) if others else ():
            yield Ask(f"{path} is protected: {named[0][1].reason}.", paths=tuple(place for place, _ in named))

    def check_history(self, comparisons: "Sequence[Comparison]", workspace: Path) -> Iterator[Permission]:
        """Ask about files that other programs run and that another commit changes."""
        from .git_checkouts import list_changed_autorun

        is_named = self.named_files.build_checker(workspace) if comparisons else None
        changed = list_changed_autorun(comparisons, workspace, is_named) if is_named else ()
        yield from self.check_paths(changed, workspace)

    def check_git_config(self, path: str, workspace: Path, *, only_plain_settings: bool) -> Iterator[Permission]:
        """Ask about settings of an existing repository; the sandbox checks those of a new one.

        In this call git may write settings that it never runs.
        """
        for permission in self.check_paths([path], workspace) if (workspace / path).exists() else ():
            yield Allow(paths=permission.paths, only_this_call=True) if only_plain_settings else permission


def parse_setting(key: str, texts: Sequence[str]) -> "tuple[Pattern, ...]":
    """Parse the patterns of a setting, which few users have."""
    if not texts:
        return ()
    from .permission_rules import parse_patterns

    return parse_patterns(key, texts)


def check_tokens(verdict: "LineVerdict", workspace: Path) -> Iterator[Permission]:
    """Ask about project files that the line reads if they contain a key."""
    from .secret_files import holds_token

    for path in verdict.may_hold_tokens:
        if any(holds_token(workspace / folder / path) for folder in (".", *verdict.folders)):
            yield Ask(f"{path} contains a key or password that the command would read.")


def merge_permissions(permissions: Sequence[Permission]) -> Permission | None:
    """Return the strictest permission. Several questions become one, whose answer applies to all their paths."""
    strictest = max(permissions, key=lambda permission: permission.strictness, default=None)
    asks = [permission for permission in permissions if isinstance(permission, Ask)]
    if not isinstance(strictest, Ask) or len(asks) == 1:
        return strictest
    lines = dict.fromkeys(line for ask in asks for line in ask.reason.split("\n"))
    paths = dict.fromkeys(path for ask in asks for path in ask.paths)
    return Ask("\n".join(lines), paths=tuple(paths), by_flag=all(ask.by_flag for ask in asks))


def list_issues(verdict: "LineVerdict", workspace: Path, since: float) -> "tuple[Issue, ...]":
    """Return the issues except those about temporary files, and generated files that git ignores."""
    from .generated_files import is_disposable
    from .temporary_files import is_temporary

    def can_be_deleted(paths: Sequence[str]) -> bool:
        return is_temporary(paths, since) or is_disposable(paths, verdict.folders, workspace)

    return tuple(issue for issue in verdict.issues if not (issue.deletes and can_be_deleted(issue.deletes)))


def read_line(command: Json) -> str | None:
    """Return a command as a shell line, also when it is a list of words."""
    if isinstance(command, str):
        return command
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        return shlex.join(str(word) for word in command)
    return None


def read_mounted_devices(line: str) -> frozenset[str]:
    """Return the mounted devices if a line may create a file system; otherwise none."""
    if "mk" not in line and "newfs" not in line:
        return frozenset()
    try:
        mounts = MOUNTS.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return frozenset()
    return frozenset(mount.split(" ")[0] for mount in mounts.splitlines())

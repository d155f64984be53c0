"""Run tests by a program: npm, node, cargo, go, make, or a configured command."""

import os
import re
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from openkoi_hookspecs import Command, CommandResult, Run

from .homes import cargo_at_home, go_offline
from .package import Package
from .printed import text
from .project import RunnerKind, justfile, makefile, target
from .reading import toml
from .report import RunnerReport
from .scripts import for_shell, reporting, runners_of
from .suites import Suite

QUIET = {"NO_COLOR": "1", "CI": "1", "PYTHONDONTWRITEBYTECODE": "1"}
NPM = {"npm_config_update_notifier": "false", "npm_config_offline": "true", "npm_config_logs_max": "0"}
PYTEST = {"PYTEST_ADDOPTS": "-rpfE --color=no --tb=short -p no:cacheprovider"}
CARGO = ("cargo", "test", "--offline", "--no-fail-fast", "--color", "never")
NPM_TEST = ("npm", "test", "--silent")
ELSEWHERE = 'CARGO_TARGET_DIR="${TMPDIR:-/tmp}/openkoi-cargo-$0" exec "$@"'
IN_FOLDER = 'cd "$0" && exec "$@"'
WINDOWS = os.name == "nt"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerProgram:
    """A command that runs tests, in a folder of the workspace.

    ``counts`` is true of one that names every test. One with a ``mark`` reports apart from its words, after the mark.
    Where it cannot reach what it needs it is tried again with ``else_env``.
    """

    name: str
    argv: tuple[str, ...]
    needs: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    else_env: Mapping[str, str] = field(default_factory=dict)
    counts: bool = False
    mark: str = ""
    folder: str = ""

    @property
    def there(self) -> bool:
        """Whether the machine has it."""
        return shutil.which(self.needs or self.argv[0]) is not None

    @property
    def at_home(self) -> "RunnerProgram":
        """The same, reading what is kept at home."""
        return replace(self, env=self.else_env, else_env={})

    async def run(self, run: Run, seconds: float) -> RunnerReport:
        """Run it, and keep what it printed."""
        argv = place_command(self.argv, self.folder)
        done = await run.execute(Command(argv, env={**QUIET, **self.env}, seconds=seconds))
        return self._report(done, run.workspace / self.folder)

    def _report(self, done: CommandResult, root: Path) -> RunnerReport:
        said, *told = text(done).split(f"\n{self.mark}\n") if self.mark else [text(done)]
        return RunnerReport(
            runner=self.name,
            text=said,
            told=tuple(told),
            to_report=bool(self.mark),
            exit_code=done.exit_code,
            root=root,
            timed_out=done.timed_out,
            counts=self.counts,
        )


def place_command(argv: tuple[str, ...], folder: str) -> tuple[str, ...]:
    """Return the command as it is run from the workspace."""
    if not folder:
        return argv
    return ("cmd", "/c", "cd", "/d", folder, "&&", *argv) if WINDOWS else ("sh", "-c", IN_FOLDER, folder, *argv)


def configured_program(command: str) -> RunnerProgram:
    """Return the configured command, run by the shell."""
    return RunnerProgram(name=command, argv=shell(command), env=PYTEST)


def shell(script: str) -> tuple[str, ...]:
    """A line for the shell."""
    return ("cmd", "/c", script) if WINDOWS else ("sh", "-c", script)


def program_for(suite: Suite, root: Path, only: Sequence[str] = ()) -> RunnerProgram:
    """Return the command of a suite that is not Python's; ``only`` names tests, where the runner supports that."""
    folder = root / suite.folder
    if suite.kind is RunnerKind.CARGO:
        return by_cargo(suite, root, only)
    if suite.kind is RunnerKind.GO:
        return by_go(suite, only)
    if suite.kind is RunnerKind.NPM:
        return by_npm(suite, root, only)
    if suite.kind is RunnerKind.JUST:
        return by_target(("just", target(justfile(folder))), suite)
    if suite.kind is RunnerKind.MAKE:
        return by_target(("make", target(makefile(folder))), suite)
    argv = ("node", "--test", "--test-reporter=tap")
    return RunnerProgram(name="node --test", argv=argv, counts=True, folder=suite.folder)


def by_target(argv: tuple[str, ...], suite: Suite) -> RunnerProgram:
    """A target of make or just."""
    return RunnerProgram(name=" ".join(argv), argv=argv, env=PYTEST, folder=suite.folder)


def by_go(suite: Suite, only: Sequence[str]) -> RunnerProgram:
    """Go's tests, by their functions' names."""
    functions = {match[1] for name in only if (match := re.search(r"\.((?:Test|Fuzz|Example)\w*)(?:/|$)", name))}
    chosen = ("-run", f"^({'|'.join(sorted(functions))})$") if functions else ()
    argv = ("go", "test", "-json", *chosen, "./...")
    return RunnerProgram(name="go test", argv=argv, env=go_offline(os.environ), counts=True, folder=suite.folder)


def by_cargo(suite: Suite, root: Path, only: Sequence[str]) -> RunnerProgram:
    """Cargo, building into the project's ``target`` if it has one, and outside the workspace if not."""
    folder = root / suite.folder
    workspace = toml(folder / "Cargo.toml").get("workspace")
    all_of_it = ("--workspace",) if isinstance(workspace, dict) and "default-members" not in workspace else ()
    chosen = ("--", *(name.partition(" - ")[0] for name in only)) if only else ()
    argv: tuple[str, ...] = (*CARGO, *all_of_it, *chosen)
    if not (WINDOWS or (folder / "target").is_dir()):
        argv = ("sh", "-c", ELSEWHERE, sha256(str(folder.resolve()).encode()).hexdigest()[:16], *argv)
    env = {"RUST_BACKTRACE": "0"}
    at_home = cargo_at_home(os.environ)
    return RunnerProgram(
        name="cargo test",
        argv=argv,
        needs="cargo",
        env=env,
        else_env={**env, **at_home} if at_home else {},
        counts=True,
        folder=suite.folder,
    )


def by_npm(suite: Suite, root: Path, only: Sequence[str]) -> RunnerProgram:
    """Return the script of ``npm test``, with its runner's report options where possible."""
    package = Package.of(root / suite.folder)
    script = package.whole
    runners = runners_of(script)
    if not runners or WINDOWS:
        tap = {"NODE_OPTIONS": "--test-reporter=tap"} if "--test" in script.split() else {}
        return RunnerProgram(name="npm test", argv=NPM_TEST, env={**NPM, **tap}, folder=suite.folder)
    mark = "" if any(runner.streams for runner in runners) else secrets.token_hex(8)
    told = reporting(script, only)
    line = for_shell(told, mark, len(runners)) if mark else told
    argv = shell(f'PATH="{bins(suite)}:$PATH"\n{line}')
    return RunnerProgram(name="npm test", argv=argv, needs="node", env=NPM, counts=True, mark=mark, folder=suite.folder)


def bins(suite: Suite) -> str:
    """Where the commands of packages are: beside the project, and further up in the workspace."""
    ups = ["../" * n for n in range(len(Path(suite.folder).parts) + 1)]
    return ":".join(f"$PWD/{up}node_modules/.bin" for up in ups)

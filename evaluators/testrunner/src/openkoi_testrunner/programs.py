"""Run tests with a program: npm, node, cargo, go, make, or a configured command."""

import os
import re
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from openkoi_base.files.project_commands import (
    WINDOWS,
    cargo_command,
    cargo_environment,
    command_in,
    go_environment,
    shell_command,
)
from openkoi_base.files.project_files import read_toml
from openkoi_hookspecs import Command, CommandResult, Run
from openkoi_hookspecs.lazy_dataclass import dataclass

from .command_output import output_text
from .package import Package
from .project import RunnerKind, find_target, read_justfile, read_makefile
from .report import RunnerReport
from .scripts import add_reports, runners_of, shell_script
from .suites import Suite

QUIET = {"NO_COLOR": "1", "CI": "1", "PYTHONDONTWRITEBYTECODE": "1"}
NPM = {"npm_config_update_notifier": "false", "npm_config_offline": "true", "npm_config_logs_max": "0"}
PYTEST = {"PYTEST_ADDOPTS": "-rpfE --color=no --tb=short -p no:cacheprovider"}
CARGO = ("cargo", "test", "--offline", "--no-fail-fast", "--color", "never")
NPM_TEST = ("npm", "test", "--silent")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerProgram:
    """A command that runs tests, in a folder of the workspace.

    ``counts``: it names every test. With a ``mark``, it prints its report after the mark. If it cannot reach what it
    needs, it is retried with ``else_env``.
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
        """Whether it is installed."""
        return shutil.which(self.needs or self.argv[0]) is not None

    @property
    def at_home(self) -> "RunnerProgram":
        """The same program with the user's caches."""
        return replace(self, env=self.else_env, else_env={})

    async def run(self, run: Run, seconds: float) -> RunnerReport:
        """Run it, and return its output."""
        argv = command_in(self.folder, self.argv)
        done = await run.execute(Command(argv, env={**QUIET, **self.env}, seconds=seconds))
        return self._report(done, run.workspace / self.folder)

    def _report(self, done: CommandResult, root: Path) -> RunnerReport:
        output, *reports = output_text(done).split(f"\n{self.mark}\n") if self.mark else [output_text(done)]
        return RunnerReport(
            runner=self.name,
            text=output,
            reports=tuple(reports),
            to_report=bool(self.mark),
            exit_code=done.exit_code,
            root=root,
            timed_out=done.timed_out,
            counts=self.counts,
        )


def configured_program(command: str) -> RunnerProgram:
    """Return the configured command, run by the shell."""
    return RunnerProgram(name=command, argv=shell_command(command), env=PYTEST)


def program_for(suite: Suite, root: Path, only: Sequence[str] = ()) -> RunnerProgram:
    """Return the command of a suite that is not Python's; ``only`` names tests, if the runner supports that."""
    folder = root / suite.folder
    if suite.kind is RunnerKind.CARGO:
        return cargo_program(suite, root, only)
    if suite.kind is RunnerKind.GO:
        return go_program(suite, only)
    if suite.kind is RunnerKind.NPM:
        return npm_program(suite, root, only)
    if suite.kind is RunnerKind.JUST:
        return target_program(("just", find_target(read_justfile(folder))), suite)
    if suite.kind is RunnerKind.MAKE:
        return target_program(("make", find_target(read_makefile(folder))), suite)
    argv = ("node", "--test", "--test-reporter=tap")
    return RunnerProgram(name="node --test", argv=argv, counts=True, folder=suite.folder)


def target_program(argv: tuple[str, ...], suite: Suite) -> RunnerProgram:
    """Return the program of a make or just target."""
    return RunnerProgram(name=" ".join(argv), argv=argv, env=PYTEST, folder=suite.folder)


def go_program(suite: Suite, only: Sequence[str]) -> RunnerProgram:
    """Return the program of Go's tests, by their functions' names."""
    functions = {match[1] for name in only if (match := re.search(r"\.((?:Test|Fuzz|Example)\w*)(?:/|$)", name))}
    chosen = ("-run", f"^({'|'.join(sorted(functions))})$") if functions else ()
    argv = ("go", "test", "-json", *chosen, "./...")
    return RunnerProgram(name="go test", argv=argv, env=go_environment(os.environ), counts=True, folder=suite.folder)


def cargo_program(suite: Suite, root: Path, only: Sequence[str]) -> RunnerProgram:
    """Return cargo's program, which builds into ``target`` if it exists, and else outside the workspace."""
    folder = root / suite.folder
    workspace = read_toml(folder / "Cargo.toml").get("workspace")
    all_of_it = ("--workspace",) if isinstance(workspace, dict) and "default-members" not in workspace else ()
    chosen = ("--", *(name.partition(" - ")[0] for name in only)) if only else ()
    env = {"RUST_BACKTRACE": "0"}
    at_home = cargo_environment(os.environ)
    return RunnerProgram(
        name="cargo test",
        argv=cargo_command((*CARGO, *all_of_it, *chosen), folder),
        needs="cargo",
        env=env,
        else_env={**env, **at_home} if at_home else {},
        counts=True,
        folder=suite.folder,
    )


def npm_program(suite: Suite, root: Path, only: Sequence[str]) -> RunnerProgram:
    """Return the script of ``npm test``, with its runner's report options where possible."""
    package = Package.read(root / suite.folder)
    script = package.full_test_script
    runners = runners_of(script)
    if not runners or WINDOWS:
        tap = {"NODE_OPTIONS": "--test-reporter=tap"} if "--test" in script.split() else {}
        return RunnerProgram(name="npm test", argv=NPM_TEST, env={**NPM, **tap}, folder=suite.folder)
    mark = "" if any(runner.streams for runner in runners) else secrets.token_hex(8)
    reported = add_reports(script, only)
    line = shell_script(reported, mark, len(runners)) if mark else reported
    argv = shell_command(f'PATH="{package_commands(suite)}:$PATH"\n{line}')
    return RunnerProgram(name="npm test", argv=argv, needs="node", env=NPM, counts=True, mark=mark, folder=suite.folder)


def package_commands(suite: Suite) -> str:
    """Return the folders with the commands of packages: next to the project, and further up in the workspace."""
    ups = ["../" * n for n in range(len(Path(suite.folder).parts) + 1)]
    return ":".join(f"$PWD/{up}node_modules/.bin" for up in ups)

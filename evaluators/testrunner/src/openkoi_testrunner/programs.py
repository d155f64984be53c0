"""Run tests by a program of the machine: npm, node, cargo, go, make, or what is configured. Knows no formats."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from openkoi_hookspecs import Command, Run

from .outcome import Outcome
from .printed import text
from .project import Kind, npm_test
from .report import Report, outcome_of

QUIET = {"NO_COLOR": "1", "CI": "1", "PYTHONDONTWRITEBYTECODE": "1"}
NPM = {"npm_config_update_notifier": "false", "npm_config_offline": "true", "npm_config_logs_max": "0"}
PYTEST = {"PYTEST_ADDOPTS": "-rpfE --color=no --tb=short -p no:cacheprovider"}
CARGO = ("cargo", "test", "--offline", "--no-fail-fast", "--color", "never")
ELSEWHERE = 'CARGO_TARGET_DIR="${TMPDIR:-/tmp}/openkoi-cargo-$0" exec "$@"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A command that runs tests. ``counts`` is true of one that names every test."""

    name: str
    argv: tuple[str, ...]
    needs: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    counts: bool = False

    @property
    def there(self) -> bool:
        """Whether the machine has it."""
        return shutil.which(self.needs or self.argv[0]) is not None

    async def run(self, run: Run, seconds: float) -> Outcome:
        """Run it, and read what it printed."""
        command = Command(self.argv, env={**QUIET, **self.env}, seconds=seconds)
        done = await run.execute(command)
        report = Report(
            runner=self.name,
            text=text(done),
            exit_code=done.exit_code,
            root=run.workspace,
            timed_out=done.timed_out,
            counts=self.counts,
        )
        return outcome_of(report)


def configured(command: str) -> Program:
    """What a person wrote into the configuration, for the shell."""
    shell = ("cmd", "/c", command) if os.name == "nt" else ("sh", "-c", command)
    return Program(name=command, argv=shell, env=PYTEST)


def program_for(kind: Kind, root: Path) -> Program:
    """The command of each kind of project that is not Python's."""
    if kind is Kind.CARGO:
        env = {"RUST_BACKTRACE": "0"}
        return Program(name="cargo test", argv=cargo(root), needs="cargo", env=env, counts=True)
    if kind is Kind.GO:
        argv = ("go", "test", "-json", "./...")
        return Program(name="go test", argv=argv, env={"GOPROXY": "off"}, counts=True)
    if kind is Kind.NODE:
        return Program(name="node --test", argv=("node", "--test", "--test-reporter=tap"), counts=True)
    if kind is Kind.NPM:
        tap = {"NODE_OPTIONS": "--test-reporter=tap"} if "--test" in npm_test(root).split() else {}
        return Program(name="npm test", argv=("npm", "test", "--silent"), env={**NPM, **tap})
    return Program(name="make test", argv=("make", "test"), env=PYTEST)


def cargo(root: Path) -> tuple[str, ...]:
    """Cargo, building into the project's ``target`` if it has one, and outside the workspace if not."""
    if os.name == "nt" or (root / "target").is_dir():
        return CARGO
    return ("sh", "-c", ELSEWHERE, sha256(str(root.resolve()).encode()).hexdigest()[:16], *CARGO)

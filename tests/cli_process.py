"""Run the command line as a person does: a process of its own, in a folder of its own, with a home of its own."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

CLEARED = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENKOI_MODEL", "OPENKOI_CONFIG", "OPENKOI_DATA")


@dataclass(frozen=True, slots=True)
class Shell:
    """A folder to stand in, and what the process is told."""

    folder: Path
    home: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """The process's variables: ours without any key, and a home of its own."""
        kept = {name: value for name, value in os.environ.items() if name not in CLEARED}
        return {**kept, "OPENKOI_HOME": str(self.home), "PYTHONWARNINGS": "", **self.variables}

    def command(self, *arguments: str) -> Sequence[str]:
        """The command line."""
        return [sys.executable, "-m", "openkoi", *arguments]

    def __call__(
        self, *arguments: str, stdin: str | None = None, seconds: float = 60
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )


def script(folder: Path, turns: str, name: str = "script.yaml") -> str:
    """Write a rehearsal script; return the model that plays it."""
    (folder / name).write_text(f"price: {{input: 3.0, output: 15.0}}\nturns:\n{turns}")
    return f"rehearsal/{name}"

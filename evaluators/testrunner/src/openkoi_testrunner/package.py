"""Read the test script of a ``package.json``, and the packages that it needs."""

import json
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from openkoi_base.files.project_files import read_source
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

NO_TEST = "no test specified"
ALONE = {"vitest": "vitest run", "jest": "jest", "mocha": "mocha", "ava": "ava"}
NEEDS = ("dependencies", "devDependencies")
CALLS = lazy_pattern(r"(?:npm|pnpm|yarn|bun) (?:run |run-script )?(?P<name>[\w:.-]+)(?: (?:-s|--silent))?")
BETWEEN = lazy_pattern(r"(\s*(?:&&|\|\||;)\s*)")
MAX_DEPTH = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """Its scripts, and the packages that it requires."""

    scripts: Mapping[str, str] = field(default_factory=dict)
    needs: frozenset[str] = frozenset()

    @classmethod
    def read(cls, folder: Path) -> "Package":
        """Read the package of a folder; an empty one if there is none."""
        try:
            manifest = json.loads(read_source(folder / "package.json") or "{}")
            scripts = {str(name): str(text) for name, text in manifest.get("scripts", {}).items()}
            return cls(scripts=scripts, needs=frozenset(name for table in NEEDS for name in manifest.get(table, {})))
        except (ValueError, AttributeError, TypeError):
            return cls()

    @property
    def test_script(self) -> str:
        """The script of ``npm test``; empty if there is none, or only that of ``npm init``."""
        script = self.scripts.get("test", "").strip()
        if script:
            return "" if NO_TEST in script else script
        return next((command for name, command in ALONE.items() if name in self.needs), "")

    @property
    def full_test_script(self) -> str:
        """The test script with its pre and post scripts, and the scripts that it calls inserted."""
        around = [self.scripts.get("pretest", ""), self.test_script, self.scripts.get("posttest", "")]
        return " && ".join(self.expand_script(part, 1) for part in around if part.strip())

    def expand_script(self, script: str, depth: int) -> str:
        """Return a script with the scripts that it calls inserted."""
        return "".join(self.expand_command(part, depth) for part in BETWEEN.split(script))

    def expand_command(self, part: str, depth: int) -> str:
        """Return a command, or the script that it calls."""
        match = CALLS.fullmatch(part.strip())
        script = self.scripts.get(match["name"], "") if match and depth < MAX_DEPTH else ""
        return f"( {self.expand_script(script, depth + 1)} )" if script else part

"""Run ``openkoi skill`` with a home and a workspace of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from click.testing import CliRunner, Result

from openkoi_skills import Skills
from openkoi_skills.command import skill
from openkoi_testing import GivenPlugins

TEXT = "---\nname: {name}\ndescription: It {name}s.\n{more}---\nDo it.\n"


@dataclass(frozen=True, slots=True)
class Shop:
    """A home, a workspace, and plugins besides the skills' own hook."""

    folder: Path
    brought: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        return self.folder / "home" / "data"

    @property
    def koi(self) -> GivenPlugins:
        """The Koi that the command gets."""
        return GivenPlugins({"hooks": {"skills": Skills(data=self.data)}, **self.brought}, self.data)

    def openkoi(self, *words: str) -> Result:
        """Run ``openkoi skill`` with these arguments; errors propagate."""
        result = CliRunner().invoke(skill, list(words), obj=self.koi)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    def put(self, place: str, name: str, more: str = "", text: str = TEXT) -> Path:
        """Write a skill below this folder."""
        file = self.folder / place / name / "SKILL.md"
        file.parent.mkdir(parents=True)
        file.write_text(text.format(name=name, more=more))
        return file

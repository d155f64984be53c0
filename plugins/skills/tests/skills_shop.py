"""A shop of skills: the command over a home and a workspace of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner, Result

from openkoi_hookspecs import PluginEntry
from openkoi_skills import Skills
from openkoi_skills.command import skill

TEXT = "---\nname: {name}\ndescription: It {name}s.\n{more}---\nDo it.\n"


@dataclass(frozen=True, slots=True)
class Shop:
    """The Koi that a command is lent, as far as it needs one."""

    folder: Path

    @property
    def data(self) -> Path:
        return self.folder / "home" / "data"

    def plugins(self, kind: str) -> Sequence[PluginEntry]:
        """The plugins of a kind."""
        return [PluginEntry("hooks", "skills", "test", lambda: Skills(data=self.data))] if kind == "hooks" else []

    def openkoi(self, *words: str) -> Result:
        """Say ``openkoi skill`` and so on; what it raises flies on."""
        result = CliRunner().invoke(skill, list(words), obj=self)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    def put(self, place: str, name: str, more: str = "", text: str = TEXT) -> Path:
        """Write a skill below this folder."""
        file = self.folder / place / name / "SKILL.md"
        file.parent.mkdir(parents=True)
        file.write_text(text.format(name=name, more=more))
        return file


@dataclass(frozen=True, slots=True)
class Learning(Shop):
    """The same, with the commands there are."""

    def plugins(self, kind: str) -> Sequence[PluginEntry]:
        """The plugins of a kind."""
        if kind == "commands":
            return [PluginEntry("commands", "skill", "test", lambda: skill)]
        return Shop.plugins(self, kind)

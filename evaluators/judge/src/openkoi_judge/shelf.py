"""Find the rubrics there are: a person's own first, then those that come with the judge. Knows no tasks."""

from dataclasses import dataclass
from pathlib import Path

from openkoi_hookspecs import KoiError

from .rubric import Rubric
from .skillfile import read_rubric

BUNDLED = Path(__file__).with_name("rubrics")


@dataclass(frozen=True, slots=True)
class Shelf:
    """Rubrics in their order of precedence, and a sentence about each file that had to be left out."""

    rubrics: tuple[Rubric, ...]
    complaints: tuple[str, ...] = ()


def fetch(folder: Path | None) -> Shelf:
    """Read them anew, so that a folder with a SKILL.md in it is all it takes to add one."""
    files = [*skills(folder / "user" if folder else None), *skills(BUNDLED)]
    read = [attempt(file) for file in files]
    return Shelf(
        tuple(found for found in read if isinstance(found, Rubric)),
        tuple(complaint for complaint in read if isinstance(complaint, str)),
    )


def skills(folder: Path | None) -> list[Path]:
    """List the rubric files below a folder, by name."""
    return sorted(folder.glob("*/SKILL.md")) if folder else []


def attempt(file: Path) -> Rubric | str:
    """Read one file, or say why it cannot be used and what to do."""
    try:
        return read_rubric(file.read_text(encoding="utf-8"), file.parent.name)
    except (KoiError, OSError, UnicodeDecodeError) as error:
        return f"The rubric {file} is not used: {error}. Mend the file; the next evaluation reads it again."

"""Read an agent from its file. Knows files; what stands in them is looked at elsewhere."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs import ConfigError

from .spec import Spec

if TYPE_CHECKING:
    from .document import Fault

LARGEST = 1_000_000
SHOWN = 25


def read_agent(path: Path | str) -> Spec:
    """Read an agent, and those that its file names; raises ConfigError with everything that is wrong, line by line."""
    from .building import Building

    building, where = Building(), Path(path)
    spec = building.from_text(text_of(where), where)
    if spec is None or building.faults:
        raise ConfigError(told(sorted(set(building.faults))))
    return spec


def told(faults: "Sequence[Fault]") -> str:
    """What is wrong, a line each."""
    lines = [str(fault) for fault in faults[:SHOWN]]
    more = len(faults) - len(lines)
    return "\n".join([*lines, f"{faults[0].file}: and {more} more of these."] if more else lines)


def text_of(path: Path) -> str:
    """What a file holds; raises ConfigError when it cannot be had, or is no text, or too long to be meant."""
    try:
        if not path.exists():
            raise ConfigError(f"There is no file {path}.")
        if not path.is_file():
            raise ConfigError(f"{path} is no file.")
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise ConfigError(f"{path} is larger than {LARGEST // 1_000_000} MB, which is too much for an agent.")
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}, line {line}: this is no UTF-8 text.") from error
    except (OSError, ValueError, RuntimeError) as error:
        raise ConfigError(f"{str(path)!r} cannot be read: {error}.") from error

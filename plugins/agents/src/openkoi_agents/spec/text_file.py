"""Read a text file of a size that can be meant. Knows files; knows no agents."""

from pathlib import Path

from openkoi_hookspecs import ConfigError

LARGEST = 1_000_000


def text_of(path: Path) -> str:
    """Return a file's text; raise ConfigError when it cannot be read, is not text, or is too long."""
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
        raise ConfigError(f"{path}, line {line}: this is not UTF-8 text.") from error
    except (OSError, ValueError, RuntimeError) as error:
        raise ConfigError(f"{str(path)!r} cannot be read: {error}.") from error

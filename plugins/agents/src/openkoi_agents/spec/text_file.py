"""Read a text file of limited size."""

from pathlib import Path

from openkoi_hookspecs import ConfigError

MAX_BYTES = 1_000_000


def text_of(path: Path) -> str:
    """Return a file's text; raise ConfigError if it cannot be read, is not text, or is too long."""
    try:
        if not path.exists():
            raise ConfigError(f"File not found: {path}.")
        if not path.is_file():
            raise ConfigError(f"{path} is not a file.")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise ConfigError(f"{path} is larger than {MAX_BYTES // 1_000_000} MB, the limit for an agent file.")
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}, line {line}: not valid UTF-8.") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RuntimeError) as error:
        raise ConfigError(f"{str(path)!r} cannot be read: {error}.") from error

"""Environment variables (``OPENKOI_*``): one for each option of the command line, and those that are not settings."""

from .keys import FLAGS

PREFIX = "OPENKOI_"
CASSETTE = ("record", "replay")
CASSETTE_VARIABLE = f"{PREFIX}CASSETTE"
OTHERS = {
    f"{PREFIX}HOME": "folder for configuration and data",
    f"{PREFIX}CONFIG": "config file, or its folder",
    f"{PREFIX}DATA": "data folder",
    f"{PREFIX}LOG_LEVEL": "error, warn, info, debug or trace",
    f"{PREFIX}VERBOSE": "set to 1 for verbose output, like --verbose",
    f"{PREFIX}FORMAT": "text, json or jsonl, like --format",
    f"{PREFIX}RECORD": "file to record model responses to, like --record",
    f"{PREFIX}REPLAY": "file to replay model responses from, like --replay",
    CASSETTE_VARIABLE: "record or replay HTTP requests of providers: record:FILE or replay:FILE",
}


def variable_of(flag: str) -> str:
    """Return the variable of an option."""
    return f"{PREFIX}{flag.upper()}"


VARIABLES = frozenset({*OTHERS, *map(variable_of, FLAGS)})

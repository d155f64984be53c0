"""Parse the arguments of ``openkoi chat``."""

from collections.abc import Sequence

from openkoi_hookspecs.lazy_dataclass import dataclass

USAGE = """Usage: openkoi chat [OPTIONS]

  Talk with OpenKoi. `openkoi` alone does the same on a terminal. Type / for commands, ? for keys.

Options:
  -c, --continue    Continue the last session in this folder.
  -r, --resume [ID] Continue a session, by its id or the id of one of its tasks; without an id, choose from a list.
  -m, --model MODEL Model for every role: provider/model or a short name.
  --plain           One line at a time, without colours or redrawing (also ACCESSIBLE=1).
  -h, --help        Show this message and exit.
"""
FLAGS = {"-c": "continued", "--continue": "continued", "--plain": "plain", "-h": "help", "--help": "help"}
VALUES = {"--session": "session", "-r": "session", "--resume": "session", "-m": "model", "--model": "model"}
PICKS = ("-r", "--resume")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of the chat; ``picks``: the user chooses the session from a list."""

    continued: bool = False
    picks: bool = False
    session: str = ""
    model: str = ""
    plain: bool = False
    help: bool = False
    error: str = ""


def read_options(arguments: Sequence[str]) -> Options:
    """Return the options; ``error`` says what is wrong with them."""
    found: dict[str, str | bool] = {}
    words = [*arguments]
    while words:
        word = words.pop(0)
        name, given, value = word.partition("=")
        if word in FLAGS:
            found[FLAGS[word]] = True
        elif name not in VALUES:
            kind = "No such option" if word.startswith("-") else "Unexpected argument"
            return Options(error=f"{kind}: {word}")
        elif value or (not given and words and not words[0].startswith("-")):
            found[VALUES[name]] = value or words.pop(0)
        elif word in PICKS:
            found["picks"] = True
        else:
            return Options(error=f"{name} requires a value.")
    return Options(**found)  # type: ignore[arg-type]  # the two tables name each field with a value of its type

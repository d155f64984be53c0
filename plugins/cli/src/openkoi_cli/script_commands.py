"""Find the commands that are scripts: files ``NAME.star`` in the user's folder and the project's."""

import os
from typing import TYPE_CHECKING

from .command_words import find_first_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .invocation import Invocation

SOURCE = "scripts"
USER_FOLDER = ("plugins", "scripts", "commands")  # in the data folder
PROJECT_FOLDER = (".openkoi", "commands")


def name_script_command(args: "Sequence[str]", invocation: "Invocation") -> list[str]:
    """Return a line that begins with the script's command that its first word names; empty if it names none."""
    place = find_first_word(args)
    if place is None or not args[place].replace("-", "").isalnum() or not is_installed(invocation):
        return []
    name = args[place]
    folders = (os.path.join(invocation.paths.data, *USER_FOLDER), os.path.join(*PROJECT_FOLDER))  # noqa: PTH118  # no pathlib on the start path
    found = any(os.path.isfile(os.path.join(folder, f"{name}.star")) for folder in folders)  # noqa: PTH113, PTH118  # as above
    return [name, *args[:place], *args[place + 1 :]] if found else []


def is_installed(invocation: "Invocation") -> bool:
    """Return whether the plugin that runs scripts is installed."""
    return any(one.name == SOURCE for one in invocation.launcher.plugins("sources"))

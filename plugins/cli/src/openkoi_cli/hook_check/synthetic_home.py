"""Prepare folders in which a synthetic task runs: the user's configuration, a scripted model, no memory."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copy, copytree
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openkoi_hookspecs import Paths

MODEL = "scripted/hooks"
TASK = "Write the sentence 'Koi are carp.' to pond.md."
DIMENSIONS = ("correctness", "safety", "style", "completeness", "clarity", "accuracy", "tone", "structure")
VERDICT = json.dumps({"scores": dict.fromkeys(DIMENSIONS, 0.9), "findings": [], "suggestion": ""})
SCRIPT = """\
turns:
  - when: {tools: true, after: 0}
    says: I write the file.
    calls: [{tool: write_file, arguments: {path: pond.md, content: "Koi are carp.\\n"}}]
  - {when: {tools: true}, says: I wrote pond.md., repeat: true}
  - {when: {last: "Ended:"}, says: NONE, repeat: true}
  - {says: VERDICT, repeat: true}
""".replace("VERDICT", f"'{VERDICT}'")
VARIABLES = ("OPENKOI_HOME", "OPENKOI_DATA", "OPENKOI_CONFIG")
KEPT_DATA = ("plugins",)
CONSENTS = "consents.json"


def make_home(folder: Path, paths: "Paths") -> Path:
    """Make a home with links to the user's configuration and plugins, a copy of their consents, and the script."""
    home = folder / "home"
    data = home / "data"
    data.mkdir(parents=True, mode=0o700)
    if paths.config.parent.is_dir():
        link_all([one for one in paths.config.parent.iterdir() if one != paths.data], home)
    if paths.config.name != "config.toml" and paths.config.is_file():
        link_all([paths.config], home, name="config.toml")
    link_all([paths.data / name for name in KEPT_DATA if (paths.data / name).exists()], data)
    if (paths.data / CONSENTS).is_file():
        copy(paths.data / CONSENTS, data / CONSENTS)
    (home / "hooks.yaml").write_text(SCRIPT, encoding="utf-8")
    return home


def link_all(targets: list[Path], folder: Path, name: str = "") -> None:
    """Link to each target that the folder does not have yet; a named link replaces what is there."""
    for target in targets:
        link = folder / (name or target.name)
        if name:
            link.unlink(missing_ok=True)
        if not link.exists():
            link.symlink_to(target.resolve())


def make_workspace(folder: Path, current: Path) -> Path:
    """Make an empty project with the plugins and settings of the current one."""
    workspace = folder / "pond"
    workspace.mkdir()
    if (current / ".openkoi").is_dir():
        copytree(current / ".openkoi", workspace / ".openkoi", symlinks=True)
    return workspace


@contextmanager
def use_home(home: Path) -> Iterator[None]:
    """Use another home in this process."""
    before = {name: os.environ.pop(name) for name in VARIABLES if name in os.environ}
    os.environ["OPENKOI_HOME"] = str(home)
    try:
        yield
    finally:
        del os.environ["OPENKOI_HOME"]
        os.environ.update(before)

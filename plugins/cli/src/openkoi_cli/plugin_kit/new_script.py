"""Write a hook script: one file, which is used from the next task on."""

from pathlib import Path

import click

from openkoi_hookspecs import KoiError

from ..invocation import Invocation
from .new import check_name, fill_template

SCRIPTS = Path("plugins", "scripts")  # in the data folder
PYTHON = ".py"
NEXT = """\
Created {file}. {used}

    openkoi context "Write a letter"    # the prompt, including what the script adds
    openkoi doctor --hooks              # what each function of the script returns
"""
USED = "The script takes effect with the next task. To check this:"
APPROVE = (
    "Python scripts run without a sandbox. To use this one, run `openkoi script approve {name}`. To see what it does:"
)
UNUSED = (
    "OpenKoi uses the script once it is in a project's .openkoi/hooks or in your scripts folder. To see what it does "
    "there:"
)
MISSING = "Scripts need openkoi-scripts. Run `openkoi plugin install openkoi-scripts`."


def write_script(name: str, invocation: Invocation, into: Path | None) -> str:
    """Write a script into the user's folder, or into another one; return what to do next. ``NAME.py`` is in Python."""
    suffix = PYTHON if name.endswith(PYTHON) else ".star"
    name = name.removesuffix(PYTHON)
    check_name(name)
    if "scripts" not in [one.name for one in invocation.launcher.plugins("sources")]:
        raise KoiError(MISSING)
    file = (into or invocation.paths.data / SCRIPTS) / f"{name}{suffix}"
    if file.exists():
        raise click.UsageError(f"{file} already exists. Choose another name, or another folder with --into.")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        text = fill_template(f"script{suffix}", {"name": name, "summary": "Change prompts."})
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise KoiError(f"{file} cannot be written: {error.strerror}. Choose another folder with --into.") from error
    used = APPROVE.format(name=name) if suffix == PYTHON else USED
    return NEXT.format(file=file, used=UNUSED if into else used)

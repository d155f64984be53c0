"""Define ``openkoi skill``: list, create, install and check skills."""

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from openkoi_base.printable import make_printable
from openkoi_base.skillfile.approvals import Approvals
from openkoi_base.skillfile.locations import FoundSkill, SkillSource, list_locations, looks_like_skill
from openkoi_base.skillfile.skill import EVALUATOR, TASK, Skill
from openkoi_base.skillfile.validation import SKILL_FILE, find_corrections, find_skill_file, read_text, validate
from openkoi_base.terminal import require_prompt
from openkoi_hookspecs import NO, YES, Koi, KoiError, PluginNotFoundError

from .fetch import fetch_skill
from .hook import Skills
from .install import SkillPackage, install_package, prepare_package
from .library import SkillFinder, SkillLibrary, find_supplied
from .listing import SkillRow, format_rows, make_rows, rows_to_json
from .skill_tools import read_skill_file
from .supplies import RULE_FILES, Supply, find_supplies, save_answers
from .template import create_file, make_template, report_write_errors

DECISIONS = {YES: "trusted", NO: "not trusted"}
SKIPPED_FOLDERS = {".git", "node_modules"}
KINDS = click.Choice([TASK, EVALUATOR])


@click.group("skill")
def skill() -> None:
    """List, create, check and install skills: instructions for a kind of work, in SKILL.md files."""


@skill.command("list")
@click.option(
    "--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output format."
)
@click.pass_obj
def list_skills(koi: Koi, /, layout: str) -> None:
    """List skills and evaluators, and why some are not used."""
    found = list_rows(koi)
    click.echo(rows_to_json(found) if layout == "json" else format_rows(found))
    for complaint in [
        *list_complaints(koi),
        *(f"warning: {odd}" for row in found for odd in find_corrections(Path(row.file))),
    ]:
        click.echo(make_printable(complaint), err=True)


@skill.command()
@click.argument("name")
@click.option("--file", "beside_it", default="", help="Print this file of the skill instead of its SKILL.md.")
@click.pass_obj
def show(koi: Koi, /, name: str, beside_it: str) -> None:
    """Print a skill's file."""
    finder, skills = get_finder(koi), asyncio.run(find_supplied(koi))
    for kind in (TASK, EVALUATOR):
        library = finder.load_library(Path.cwd(), skills, kind)
        found = library.get(name) or next((one for one, _ in library.unusable if one.skill.name == name), None)
        if found:
            text = read_skill_file(found, beside_it) if beside_it else read_text(found.file).rstrip()
            click.echo(make_printable(text))
            return
    waiting = next((Path(row.file) for row in list_rows(koi) if row.unused and row.name == name), None)
    if waiting is None:
        raise PluginNotFoundError("skill", name, tuple(dict.fromkeys(row.name for row in list_rows(koi))))
    unread = FoundSkill(Skill(name, "", ""), SkillSource.WORKSPACE, waiting)
    click.echo(make_printable(read_skill_file(unread, beside_it) if beside_it else read_text(waiting).rstrip()))


@skill.command("validate")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--strict", is_flag=True, help="Also report what other Agent Skills readers would reject.")
@click.pass_obj
def validate_skills(koi: Koi, /, paths: tuple[Path, ...], strict: bool) -> None:
    """Check SKILL.md files: by default, your own and the project's. Exit with status 1 on errors."""
    files = [file for path in paths or list_own_folders(koi) for file in find_files(path)]
    if paths and not files:
        raise KoiError(f"No {SKILL_FILE} found in {', '.join(map(str, paths))}.")
    found = [problem for file in files for problem in validate(file, strict)]
    for problem in found:
        click.echo(str(problem))
    for odd in [] if strict else [one for file in files for one in find_corrections(file)]:
        click.echo(f"warning: {odd}", err=True)
    bad = len({problem.path for problem in found})
    click.echo(f"{len(files)} checked, {bad} with errors.", err=True)
    if found:
        sys.exit(1)


@skill.command()
@click.argument("name")
@click.option("--kind", type=KINDS, default=TASK, show_default=True, help="Kind of skill.")
@click.option("--description", default="", help="What the skill is for, worded like a task. [default: a placeholder]")
@click.option("--project", is_flag=True, help="Create the skill in this project (.agents) instead of your own folder.")
@click.pass_obj
def new(koi: Koi, /, name: str, kind: str, description: str, project: bool) -> None:
    """Create a skill from a template."""
    text = make_template(name, kind, description)
    source = "workspace" if project else "user"
    wanted = list_locations(kind, get_finder(koi).data, Path.cwd())
    file = next(place.folder for place in wanted if place.source == source) / name / SKILL_FILE
    if file.parent.exists():
        raise KoiError(f"{file.parent} already exists. Use another name, or edit its {SKILL_FILE}.")
    with report_write_errors(file):
        create_file(file, text)
    click.echo(file)


@skill.command("install")
@click.argument("origin")
@click.option("--yes", is_flag=True, help="Install and trust the skill without confirmation.")
@click.pass_obj
def install_skill(koi: Koi, /, origin: str, yes: bool) -> None:
    """Install a skill from a folder, a zip file or a git URL; #NAME selects one of several."""
    data = get_finder(koi).data
    with fetch_skill(origin) as folder, TemporaryDirectory(ignore_cleanup_errors=True) as copy:
        one = prepare_package(folder, data, Path(copy) / "skill")
        if one.is_installed and Approvals(koi)(one.target, one.digest):
            click.echo(f"{one.skill.name} is already installed.")
            return
        click.echo(describe_package(one), err=True)
        if not (yes or ask_consent("Install this skill and let the model use it?")):
            raise KoiError("Nothing was installed.")
        with report_write_errors(one.target):
            click.echo(install_package(one, Approvals(koi)))


@skill.command()
@click.argument("names", nargs=-1, metavar="[NAME|FOLDER]...")
@click.option("--yes", is_flag=True, help="Trust the named entries, or all, without confirmation.")
@click.option("--revoke", is_flag=True, help="Stop trusting the named entries, or all.")
@click.pass_obj
def trust(koi: Koi, /, names: tuple[str, ...], yes: bool, revoke: bool) -> None:
    """Decide which skills, evaluators and rules to trust. If one changes, you are asked again."""
    data = get_finder(koi).data
    approved = Approvals(koi)
    every = find_supplies(data, Path.cwd(), RULE_FILES)
    wanted = [one for one in every if not names or {one.place.name, str(one.place)} & set(names)]
    if unknown := set(names) - {label for one in every for label in (one.place.name, str(one.place))}:
        raise PluginNotFoundError("supplied skill", min(unknown), tuple(dict.fromkeys(one.place.name for one in every)))
    due = [one for one in wanted if one.digest and (approved.answer(one.place, one.digest) == YES) == revoke]
    for one in wanted:
        click.echo(format_state(one, approved), err=True)
    if not due:
        click.echo("Nothing to decide.")
    elif revoke or yes or ask_consent("Trust the entries that are not trusted yet, and their authors?"):
        save_answers(due, approved, NO if revoke else YES)
        lines = ["No longer trusted:" if revoke else "Trusted:", *(f"  {one.title}  {one.place}" for one in due)]
        click.echo(make_printable("\n".join(lines)))
    else:
        save_answers(due, approved, NO)
        click.echo("Not trusted. You will be asked again only after a change.")


def format_state(one: Supply, approved: Approvals) -> str:
    """Return a line with the decision about a supplied file."""
    standing = DECISIONS.get(approved.answer(one.place, one.digest) or "", "not decided")
    if not one.digest:
        standing = "cannot be trusted: it is too large, or contains links that point outside its folder"
    return make_printable(
        f"{one.title}: {standing}  {one.place}{''.join(f'  ({warning}!)' for warning in one.find_warnings())}"
    )


def describe_package(one: SkillPackage) -> str:
    """Return the facts that the user needs before installation."""
    lines = [f"{one.skill.name} ({one.skill.kind}): {one.skill.purpose}", f"  destination: {one.target}"]
    lines += [f"  allowed tools: {' '.join(one.skill.tools)}"] if one.skill.tools else []
    lines += ["  replaces the installed version"] if one.target.exists() else []
    lines += [f"  warning: {odd}" for odd in one.skill.corrections]
    return make_printable("\n".join([*lines, *(f"  warning: its text {warning}" for warning in one.warnings)]))


def ask_consent(question: str) -> bool:
    """Return the user's answer; raise KoiError without a terminal."""
    require_prompt(sys.stderr)
    return click.confirm(question, err=True)


def list_rows(koi: Koi) -> list[SkillRow]:
    """Return the rows of skills, then of evaluators."""
    return [row for kind, library in load_libraries(koi).items() for row in make_rows(library, kind)]


def load_libraries(koi: Koi) -> dict[str, SkillLibrary]:
    """Return the skills and the evaluators of this folder."""
    finder, skills = get_finder(koi), asyncio.run(find_supplied(koi))
    return {kind: finder.load_library(Path.cwd(), skills, kind) for kind in (TASK, EVALUATOR)}


def list_complaints(koi: Koi) -> list[str]:
    """Return the warnings about files."""
    return list(dict.fromkeys(complaint for one in load_libraries(koi).values() for complaint in one.complaints))


def list_own_folders(koi: Koi) -> Sequence[Path]:
    """Return the user's and the project's skill folders."""
    data = get_finder(koi).data
    return [
        place.folder
        for kind in (TASK, EVALUATOR)
        for place in list_locations(kind, data, Path.cwd())
        if place.source in ("user", "workspace") and place.folder.is_dir()
    ]


def find_files(path: Path) -> list[Path]:
    """Return the file itself, the one in a folder, or those in its subfolders."""
    if not path.is_dir() or path.name.casefold() == SKILL_FILE.casefold():
        return [path]
    if looks_like_skill(path):
        return [find_skill_file(path)]
    return [
        file
        for folder in sorted(path.iterdir())
        if looks_like_skill(folder) or has_subfolders(folder)
        for file in find_files(folder)
    ]


def has_subfolders(folder: Path) -> bool:
    """Return whether a folder without a skill is searched."""
    return (
        folder.is_dir()
        and not folder.is_symlink()
        and folder.name not in SKIPPED_FOLDERS
        and os.access(folder, os.R_OK)
    )


def get_finder(koi: Koi) -> SkillFinder:
    """Return the configured finder; raise KoiError if skills are disabled."""
    with suppress(PluginNotFoundError):
        skills = asyncio.run(koi.load("hooks", "skills"))
        if isinstance(skills, Skills):
            return skills.library
    raise KoiError("Skills are disabled. Remove `enabled = false` from [hooks.skills] in the config file.")

"""``openkoi skill``: list, create, install and check skills."""

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from openkoi_hookspecs import Koi, KoiError, PluginNotFoundError
from openkoi_skillfile import (
    EVALUATOR,
    FILE,
    NO,
    TASK,
    YES,
    Approved,
    FoundSkill,
    Skill,
    SkillSource,
    looks_like_skill,
    oddities,
    places,
    read_text,
    skill_in,
    validate,
    visible,
)

from .fetched import fetch_skill
from .fresh import begin, template, writing
from .hook import Skills
from .install import Parcel, install, parcel
from .listing import SkillRow, as_json, as_text, rows
from .shelf import Library, SkillLibrary, brought_by
from .supplied import RULE_FILES, Supply, approve, find_supplies
from .toolbox import beside

NOBODY = "Not installed: it needs your approval, and no terminal is attached. To approve it, add --yes"
STANDING = {YES: "trusted", NO: "not trusted"}
HIDDEN = {".git", "node_modules"}
KINDS = click.Choice([TASK, EVALUATOR])


@click.group("skill")
def skill() -> None:
    """See, write, check and install skills: ways to do a kind of work, in a SKILL.md file each."""


@skill.command("list")
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", help="How it is printed.")
@click.pass_obj
def list_skills(koi: Koi, /, layout: str) -> None:
    """List skills and evaluators, with those that are not used and why."""
    found = all_rows(koi)
    click.echo(as_json(found) if layout == "json" else as_text(found))
    for complaint in [*complaints(koi), *(f"warning: {odd}" for row in found for odd in oddities(Path(row.file)))]:
        click.echo(visible(complaint), err=True)


@skill.command()
@click.argument("name")
@click.option("--file", "beside_it", default="", help="A file that lies beside it, instead of its text.")
@click.pass_obj
def show(koi: Koi, /, name: str, beside_it: str) -> None:
    """Print a skill as it is written."""
    library, brought = library_of(koi), asyncio.run(brought_by(koi))
    for kind in (TASK, EVALUATOR):
        shelf = library.shelf(Path.cwd(), brought, kind)
        found = shelf.get(name) or next((one for one, _ in shelf.unfit if one.skill.name == name), None)
        if found:
            text = beside(found, beside_it) if beside_it else read_text(found.file).rstrip()
            click.echo(visible(text))
            return
    waiting = next((Path(row.file) for row in all_rows(koi) if row.unused and row.name == name), None)
    if waiting is None:
        raise PluginNotFoundError("skill", name, tuple(dict.fromkeys(row.name for row in all_rows(koi))))
    unread = FoundSkill(Skill(name, "", ""), SkillSource.WORKSPACE, waiting)
    click.echo(visible(beside(unread, beside_it) if beside_it else read_text(waiting).rstrip()))


@skill.command("validate")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--strict", is_flag=True, help="Also what other readers of Agent Skills would refuse.")
@click.pass_obj
def validate_skills(koi: Koi, /, paths: tuple[Path, ...], strict: bool) -> None:
    """Check SKILL.md files and evaluators; default to your own and the project's. Exit with status 1 on errors."""
    files = [file for path in paths or own_places(koi) for file in files_in(path)]
    if paths and not files:
        raise KoiError(f"There is no {FILE} in {', '.join(map(str, paths))}.")
    found = [problem for file in files for problem in validate(file, strict)]
    for problem in found:
        click.echo(str(problem))
    for odd in [] if strict else [one for file in files for one in oddities(file)]:
        click.echo(f"warning: {odd}", err=True)
    bad = len({problem.path for problem in found})
    click.echo(f"{len(files)} checked, {bad} with mistakes.", err=True)
    if found:
        sys.exit(1)


@skill.command()
@click.argument("name")
@click.option("--kind", type=KINDS, default=TASK, help="What it is.")
@click.option("--description", default="", help="What it is for, in the words that a task would use.")
@click.option("--project", is_flag=True, help="For this project (.agents), not for you alone.")
@click.pass_obj
def new(koi: Koi, /, name: str, kind: str, description: str, project: bool) -> None:
    """Begin a skill: a file to fill in."""
    text = template(name, kind, description)
    source = "workspace" if project else "user"
    wanted = places(kind, library_of(koi).data, Path.cwd())
    file = next(place.folder for place in wanted if place.source == source) / name / FILE
    if file.parent.exists():
        raise KoiError(f"{file.parent} is there already. Take another name, or change what is there.")
    with writing(file):
        begin(file, text)
    click.echo(file)


@skill.command("install")
@click.argument("origin")
@click.option("--yes", is_flag=True, help="Trust it without being asked.")
@click.pass_obj
def install_skill(koi: Koi, /, origin: str, yes: bool) -> None:
    """Install a skill from a folder, a zip file or a git URL; #NAME selects one of several."""
    data = library_of(koi).data
    with fetch_skill(origin) as folder, TemporaryDirectory(ignore_cleanup_errors=True) as copy:
        one = parcel(folder, data, Path(copy) / "skill")
        if one.there and Approved(koi)(one.target, one.digest):
            click.echo(f"{one.skill.name} is installed already, as it is there.")
            return
        click.echo(describe_parcel(one), err=True)
        if not (yes or ask_consent("Install it, and let the model follow it?")):
            raise KoiError("Nothing was installed.")
        with writing(one.target):
            click.echo(install(one, Approved(koi)))


@skill.command()
@click.argument("names", nargs=-1, metavar="[NAME|FOLDER]...")
@click.option("--yes", is_flag=True, help="Trust all of it without being asked.")
@click.option("--revoke", is_flag=True, help="Trust it no longer.")
@click.pass_obj
def trust(koi: Koi, /, names: tuple[str, ...], yes: bool, revoke: bool) -> None:
    """Decide about what this project and others supply: skills, evaluators, AGENTS.md. Any change asks again."""
    data = library_of(koi).data
    approved = Approved(koi)
    every = find_supplies(data, Path.cwd(), RULE_FILES)
    wanted = [one for one in every if not names or {one.place.name, str(one.place)} & set(names)]
    if unknown := set(names) - {said for one in every for said in (one.place.name, str(one.place))}:
        raise PluginNotFoundError("supplied skill", min(unknown), tuple(dict.fromkeys(one.place.name for one in every)))
    due = [one for one in wanted if one.digest and (approved.answer(one.place, one.digest) == YES) == revoke]
    for one in wanted:
        click.echo(state(one, approved), err=True)
    if not due:
        click.echo("There is nothing to decide.")
    elif revoke or yes or ask_consent("Do you trust who wrote what is not trusted yet?"):
        approve(due, approved, NO if revoke else YES)
        lines = ["No longer trusted:" if revoke else "Trusted:", *(f"  {one.title}  {one.place}" for one in due)]
        click.echo(visible("\n".join(lines)))
    else:
        approve(due, approved, NO)
        click.echo("Not trusted, and not asked about again until it changes.")


def state(one: Supply, approved: Approved) -> str:
    """One thing and what was said about it."""
    standing = STANDING.get(approved.answer(one.place, one.digest) or "", "not decided")
    if not one.digest:
        standing = "cannot be trusted: too large, or it leads out of its folder"
    return visible(f"{one.title}: {standing}  {one.place}{''.join(f'  ({said}!)' for said in one.warnings)}")


def describe_parcel(one: Parcel) -> str:
    """Return what the user should know before installation."""
    lines = [f"{one.skill.name} ({one.skill.kind}): {one.skill.purpose}", f"  goes to {one.target}"]
    lines += [f"  keeps to {' '.join(one.skill.tools)}"] if one.skill.tools else []
    lines += ["  takes the place of the one that is there"] if one.target.exists() else []
    lines += [f"  warning: {odd}" for odd in one.skill.odd]
    return visible("\n".join([*lines, *(f"  look out: its text {warning}" for warning in one.warnings)]))


def ask_consent(question: str) -> bool:
    """Return the user's answer; raise KoiError without a terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise KoiError(NOBODY)
    return click.confirm(question, err=True)


def all_rows(koi: Koi) -> list[SkillRow]:
    """Skills, then evaluators."""
    return [row for kind, shelf in shelves(koi).items() for row in rows(shelf, kind)]


def shelves(koi: Koi) -> dict[str, SkillLibrary]:
    """Skills and evaluators as they are here."""
    library, brought = library_of(koi), asyncio.run(brought_by(koi))
    return {kind: library.shelf(Path.cwd(), brought, kind) for kind in (TASK, EVALUATOR)}


def complaints(koi: Koi) -> list[str]:
    """What is amiss with files."""
    return list(dict.fromkeys(complaint for shelf in shelves(koi).values() for complaint in shelf.complaints))


def own_places(koi: Koi) -> Sequence[Path]:
    """The folders in which a person would look for their own mistakes."""
    data = library_of(koi).data
    return [
        place.folder
        for kind in (TASK, EVALUATOR)
        for place in places(kind, data, Path.cwd())
        if place.source in ("user", "workspace") and place.folder.is_dir()
    ]


def files_in(path: Path) -> list[Path]:
    """The file itself, the one in a folder, or those in the folders in it, however deep."""
    if not path.is_dir() or path.name.casefold() == FILE.casefold():
        return [path]
    if looks_like_skill(path):
        return [skill_in(path)]
    return [
        file
        for folder in sorted(path.iterdir())
        if looks_like_skill(folder) or has_subfolders(folder)
        for file in files_in(folder)
    ]


def has_subfolders(folder: Path) -> bool:
    """Return whether a folder without a skill is searched."""
    return folder.is_dir() and not folder.is_symlink() and folder.name not in HIDDEN and os.access(folder, os.R_OK)


def library_of(koi: Koi) -> Library:
    """Where skills are looked for, as it is configured; raises KoiError where skills are switched off."""
    with suppress(PluginNotFoundError):
        skills = asyncio.run(koi.load("hooks", "skills"))
        if isinstance(skills, Skills):
            return skills.library
    raise KoiError("Skills are switched off. Take out enabled = false below [hooks.skills] in the configuration.")

"""Define ``openkoi connect``: sign in to an app, and decide who may send tasks to the assistant there."""

import asyncio
import contextlib
import sys
from collections.abc import Sequence

import click

from openkoi_base.grants.wildcards import find_wildcards
from openkoi_base.printable import make_printable
from openkoi_base.terminal import can_prompt
from openkoi_hookspecs import Koi, KoiError, PluginNotFoundError, Question, SignInRequiredError, SupportsHealthCheck
from openkoi_hookspecs.integrations import Messenger, SupportsConnect

from .connected_apps import connected_apps
from .daemon_files import daemon_files
from .database import open_database
from .inbox import Requests
from .user_pairing import Member, Members, Role

PAIR = "Send this code to the assistant as a direct message within 10 minutes, to become its {role}: {code}"
BOT = "The bot {bot} may start tasks in {app} by mentioning your bot, at most three in a row."
NO_TERMINAL = (
    "`openkoi connect {app}` needs a terminal. Without one, set the variables that the README of openkoi-{app} lists."
)
NO_APP = "Name an app: `openkoi connect APP`. To list them, run `openkoi connect --list`."
ANY = "Allow each bot by its id; wildcards are not supported."
BEGIN_SECONDS = 10.0
OURS = ("email", "matrix", "notion", "slack", "telegram")


@click.command()
@click.argument("app", required=False, default="")
@click.option("--list", "listed", is_flag=True, help="List the apps, their state, and who may use them.")
@click.option(
    "--pair", type=click.Choice([Role.OWNER.value, Role.MEMBER.value]), help="Print a code that pairs another user."
)
@click.option(
    "--allow-bot", "bot", metavar="USER", default="", help="Allow a bot to start tasks when it mentions your bot."
)
@click.option("--remove", "user", metavar="USER", default="", help="Remove the user with this id, as shown by --list.")
@click.pass_obj
async def connect(koi: Koi, /, app: str, listed: bool, pair: str | None, bot: str, user: str) -> None:
    """Sign in to APP, and pair your account there with this computer."""
    if not app and (pair or bot or user):
        raise click.UsageError(NO_APP)
    if listed or not app:
        click.echo(koi.redact(make_printable("\n".join(await list_apps(koi)))))
        return
    with contextlib.closing(open_database(daemon_files(koi).folder)) as database:
        members = Members(database)
        if user:
            click.echo(remove(members, app, user))
        elif bot:
            if bot == "*":
                raise KoiError(ANY)
            members.allow_bot(require_app(koi, app), bot)
            click.echo(BOT.format(bot=bot, app=app))
        elif pair:
            await begin_here(koi, require_app(koi, app), Requests(database))
            click.echo(pair_line(members, app, Role(pair)))
        else:
            is_chat = await sign_in(koi, require_app(koi, app))
            await begin_here(koi, app, Requests(database))
            if is_chat and not members.list_all(app):
                click.echo(pair_line(members, app, Role.OWNER))
            click.echo(
                next_step(koi)
                if is_chat
                else f"Tasks can now use {app}_read_doc, {app}_write_doc and the other tools of {app}."
            )


def require_app(koi: Koi, app: str) -> str:
    """Return the name of an app that is installed; raise PluginNotFoundError for any other."""
    known = tuple(entry.name for entry in koi.plugins("integrations"))
    if app not in known:
        install = f" To install it, run `pip install openkoi-{app}`." if app in OURS else ""
        unknown = PluginNotFoundError("integrations", app, known)
        unknown.args = (f"{unknown}{install}",)
        raise unknown
    return app


async def sign_in(koi: Koi, name: str) -> bool:
    """Let the app sign in, and report its account; return whether users can send messages there."""
    app = await koi.load("integrations", name)
    if not isinstance(app, SupportsConnect):
        click.echo(f"{name} needs no sign-in; it is configured in the table [integrations.{name}].")
        return isinstance(app, Messenger)
    if not can_prompt(sys.stdout):
        raise KoiError(NO_TERMINAL.format(app=name))
    leave = koi.attend(ask_here)
    try:
        account = await app.connect(koi)
    finally:
        leave()
    click.echo(koi.redact(f"Signed in to {name} as {account}."))
    return isinstance(app, Messenger)


async def ask_here(question: Question) -> str:
    """Ask at the terminal; a secret is not shown."""
    return str(click.prompt(question.text, hide_input=question.secret))


async def begin_here(koi: Koi, name: str, requests: Requests) -> None:
    """Store the app's current cursor, so that the daemon also reads a code that is sent before it starts."""
    if requests.cursor(name):
        return
    with contextlib.suppress(KoiError):  # it begins when it is reached
        app = await koi.load("integrations", name)
        if isinstance(app, Messenger):
            async with contextlib.aclosing(app.watch()) as deliveries, asyncio.timeout(BEGIN_SECONDS):
                requests.journal(name, (await anext(deliveries)).cursor, None)


def pair_line(members: Members, app: str, role: Role) -> str:
    """Return the line with a new code."""
    return PAIR.format(role=role, code=members.create_code(app, role))


def remove(members: Members, app: str, user: str) -> str:
    """Remove a user; raise KoiError for an unknown one."""
    if not members.remove(app, user):
        known = ", ".join(one.user for one in members.list_all(app)) or "none"
        raise KoiError(f"{app} has no user {user!r}. Paired users: {known}.")
    return f"Removed {user} from {app}."


def next_step(koi: Koi) -> str:
    """Return a sentence with the command to run next."""
    action = "restart" if daemon_files(koi).is_running() else "start"
    return f"Then run `openkoi daemon {action}`."


async def list_apps(koi: Koi) -> list[str]:
    """Return a line for each installed app, and one for each user."""
    connected, lines = connected_apps(koi), []
    with contextlib.closing(open_database(daemon_files(koi).folder)) as database:
        members = Members(database)
        for entry in koi.plugins("integrations"):
            state = await describe(koi, entry.name) if entry.name in connected else "not connected"
            lines.append(f"{entry.name:<12} {state}")
            lines += [f"{'':<12} {describe_member(one)}" for one in members.list_all(entry.name)]
    lines += [f"! {warning}" for warning in find_wildcards(koi)]
    return lines or ["No apps are installed. To install one, run `pip install openkoi-telegram`."]


def describe_member(one: Member) -> str:
    """Return a user's id, name (if it differs from the id) and role."""
    return f"{' '.join(filter(None, dict.fromkeys([one.user, one.name])))} ({one.role})"


async def describe(koi: Koi, name: str) -> str:
    """Return the state of an app, by asking its service."""
    try:
        app = await koi.load("integrations", name)
        health = dict(await app.health()) if isinstance(app, SupportsHealthCheck) else {}
    except KoiError as error:
        missing = isinstance(error, SignInRequiredError) and error.missing
        return "not connected" if missing else f"not working: {error}"
    facts: Sequence[str] = [f"{word} {value}" for word, value in health.items()]
    return ", ".join(["connected", *facts, *([] if isinstance(app, Messenger) else ["documents"])])

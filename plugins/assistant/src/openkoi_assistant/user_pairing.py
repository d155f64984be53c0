"""Decide which chat users may send tasks: only those paired with a code from the owner's terminal."""

import re
import secrets
import sqlite3
from collections import deque
from dataclasses import field
from enum import StrEnum
from hashlib import sha256
from time import time
from unicodedata import category

from openkoi_hookspecs.integrations import Post, Sender
from openkoi_hookspecs.lazy_dataclass import dataclass

from .database import transaction, write

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without 0, 1, I and O, which look alike
CODE_LENGTH = 8  # 40 bits: five tries hit one in 2e11 times
CODE_SECONDS = 600.0  # issue 21: a code is valid for ten minutes
MAX_TRIES = 5  # issue 21
MAX_REFUSED = 100  # posts that are one try however often they are delivered (estimate)
CLOCK_STEP_SECONDS = 60.0  # by which a clock may be set back without ending what is valid (estimate)
MAX_NAME_CHARACTERS = 40  # characters of a name that are shown (estimate)
CODE = re.compile(rf"^\s*([{ALPHABET}]{{4}})[- ]?([{ALPHABET}]{{4}})\s*$", re.IGNORECASE)


class Role(StrEnum):
    """What a user may do. An owner also answers requests for approval; a member or an allowed bot only starts tasks."""

    OWNER = "owner"
    MEMBER = "member"
    BOT = "bot"
    STRANGER = "stranger"


@dataclass(frozen=True, slots=True)
class Member:
    """A paired user, by the service's immutable id. ``channel`` is the direct one in which they were paired."""

    app: str
    user: str
    name: str
    role: Role
    channel: str


@dataclass(frozen=True, slots=True)
class Members:
    """The paired users of all apps, and the valid codes. ``refused`` are posts with wrong codes."""

    database: sqlite3.Connection
    refused: deque[str] = field(default_factory=lambda: deque(maxlen=MAX_REFUSED))

    def role_of(self, app: str, sender: Sender) -> Role:
        """Return the role of a sender; a stranger is not paired, or was not authenticated by the service."""
        if not (sender.authenticated and sender.id):
            return Role.STRANGER
        query = "SELECT role FROM members WHERE app = ? AND user = ?"
        row = self.database.execute(query, (app, sender.id)).fetchone()
        return Role(row["role"]) if row else Role.STRANGER

    def version(self) -> int:
        """Return a number that differs after each change by another process."""
        return int(self.database.execute("PRAGMA data_version").fetchone()[0])

    def apps(self) -> list[str]:
        """Return the apps with paired users."""
        return [str(row["app"]) for row in self.database.execute("SELECT DISTINCT app FROM members ORDER BY app")]

    def list_all(self, app: str) -> list[Member]:
        """List the paired users of an app."""
        rows = self.database.execute("SELECT * FROM members WHERE app = ? ORDER BY at", (app,))
        return [Member(row["app"], row["user"], row["name"], Role(row["role"]), row["channel"]) for row in rows]

    def describe_all(self, app: str) -> str:
        """Return the paired users of an app in a line."""
        return ", ".join(f"{one.name or one.user} ({one.role})" for one in self.list_all(app))

    def remove(self, app: str, user: str) -> bool:
        """Remove a user; return whether they were paired."""
        done = write(self.database, "DELETE FROM members WHERE app = ? AND user = ?", (app, user))
        return done.rowcount == 1

    def allow_bot(self, app: str, user: str) -> None:
        """Let a bot start tasks; an id that was paired as a user is only a bot from now on."""
        kept = (app, user, "", Role.BOT, "", time())
        write(self.database, "INSERT OR REPLACE INTO members VALUES (?, ?, ?, ?, ?, ?)", kept)

    def create_code(self, app: str, role: Role) -> str:
        """Return a new code, which replaces the previous one and is valid for ten minutes."""
        code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
        with transaction(self.database):
            self.database.execute("DELETE FROM codes WHERE app = ?", (app,))
            kept = (digest_of(app, code), app, role, time() + CODE_SECONDS, 0)
            self.database.execute("INSERT INTO codes VALUES (?, ?, ?, ?, ?)", kept)
        return f"{code[:4]}-{code[4:]}"

    def is_pairing(self, app: str) -> bool:
        """Return whether a code is valid."""
        rows = self.database.execute("SELECT expires FROM codes WHERE app = ? AND tries < ?", (app, MAX_TRIES))
        return any(is_valid_until(float(row["expires"]), CODE_SECONDS) for row in rows)

    def accepts(self, post: Post) -> bool:
        """Return whether a post is the valid code of its app. A wrong code counts as a try, and is not stored."""
        code = read_code(post.text)
        if not (code and self.is_pairing(post.app)) or post.identity in self.refused:
            return False
        if self.role_of_code(post.app, code):
            return True
        self.refused.append(post.identity)
        write(self.database, "UPDATE codes SET tries = tries + 1 WHERE app = ?", (post.app,))
        return False

    def role_of_code(self, app: str, code: str) -> str:
        """Return the role that a code grants; empty if the code is invalid."""
        query = "SELECT role FROM codes WHERE app = ? AND digest = ?"
        row = self.database.execute(query, (app, digest_of(app, code))).fetchone()
        return str(row["role"]) if row else ""

    def pair(self, post: Post) -> Role:
        """Pair the sender of a valid code, which can be used only once; return the new role, else a stranger's."""
        app, sender, code = post.app, post.sender, read_code(post.text)
        if not (code and sender.authenticated and sender.id and self.is_pairing(app)):
            return Role.STRANGER
        with transaction(self.database):
            role = self.role_of_code(app, code)
            if not role:
                return Role.STRANGER
            self.database.execute("DELETE FROM codes WHERE app = ?", (app,))
            kept = (app, sender.id, shown_name(sender), role, post.channel, time())
            write(self.database, "INSERT OR REPLACE INTO members VALUES (?, ?, ?, ?, ?, ?)", kept)
        return Role(role)


def is_valid_until(expires: float, seconds: float) -> bool:
    """Return whether a time limit has not passed; setting back the clock does not extend it."""
    return 0.0 < expires - time() <= seconds + CLOCK_STEP_SECONDS


def shown_name(sender: Sender) -> str:
    """Return a user's own name as one short line without most punctuation, else the id.

    Users choose their names: permissions are never bound to them.
    """
    letters = (letter if is_of_a_name(letter) else " " for letter in sender.name[: 10 * MAX_NAME_CHARACTERS])
    return " ".join("".join(letters).split())[:MAX_NAME_CHARACTERS].strip() or sender.id


def is_of_a_name(letter: str) -> bool:
    """Return whether a character may be shown in a name."""
    return letter in "-_.'@" or category(letter)[0] in "LMN"


def read_code(text: str) -> str:
    """Return the code in a text, in its canonical form; empty if there is none."""
    found = CODE.match(text)
    return (found[1] + found[2]).upper() if found else ""


def digest_of(app: str, code: str) -> str:
    """Return the digest under which a code is stored."""
    return sha256(f"{app} {code}".encode()).hexdigest()

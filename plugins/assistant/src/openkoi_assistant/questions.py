"""Store the questions that were asked in chats, with the codes that answer them."""

import json
import secrets
import sqlite3
from dataclasses import replace
from time import time

from openkoi_hookspecs.lazy_dataclass import dataclass

from .database import write
from .user_pairing import ALPHABET, is_valid_until

BUTTON_SECONDS = 900.0  # a button that lies about is not pressed by accident; the question itself stays


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question of a request, as it was asked in a conversation.

    ``token`` is in its buttons, ``code`` in written answers; ``key`` is the key of the post that asks it.
    """

    id: str
    identity: str
    conversation: str
    key: str
    choices: tuple[str, ...]
    text: str
    token: str = ""
    code: str = ""
    expires: float = 0.0

    @property
    def expired(self) -> bool:
        """Whether its buttons are too old."""
        return not is_valid_until(self.expires, BUTTON_SECONDS)


@dataclass(frozen=True, slots=True)
class Questions:
    """The questions of all waiting requests."""

    database: sqlite3.Connection

    def put(self, asked: AskedQuestion) -> None:
        """Store a question, replacing an earlier one with its id."""
        answers = (asked.token, asked.code, asked.key, json.dumps(asked.choices), asked.expires, asked.text)
        write(
            self.database,
            "INSERT OR REPLACE INTO questions "
            "(id, identity, conversation, token, code, key, choices, expires, text, open) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1)",
            (asked.id, asked.identity, asked.conversation, *answers),
        )

    def codes(self, conversation: str) -> frozenset[str]:
        """Return the codes of the open questions of a conversation."""
        query = "SELECT code FROM questions WHERE open = 1 AND conversation = ?"
        return frozenset(str(row["code"]) for row in self.database.execute(query, (conversation,)))

    def by_token(self, token: str) -> AskedQuestion | None:
        """Return the open question whose buttons have this token."""
        query = "SELECT * FROM questions WHERE open = 1 AND token = ?"
        row = self.database.execute(query, (token,)).fetchone()
        return to_question(row) if row else None

    def by_code(self, conversation: str, code: str) -> AskedQuestion | None:
        """Return the open question of a conversation with this code."""
        query = "SELECT * FROM questions WHERE open = 1 AND conversation = ? AND code = ?"
        row = self.database.execute(query, (conversation, code)).fetchone()
        return to_question(row) if row else None

    def by_key(self, key: str) -> AskedQuestion | None:
        """Return the open question that the post with this key asks."""
        row = self.database.execute("SELECT * FROM questions WHERE open = 1 AND key = ?", (key,)).fetchone()
        return to_question(row) if row else None

    def close(self, identity: str, id: str = "") -> None:
        """Close a question of a request, or all of them."""
        every = (identity, id, id)
        write(self.database, "UPDATE questions SET open = 0 WHERE identity = ? AND (? = '' OR id = ?)", every)


def renew(question: AskedQuestion) -> AskedQuestion:
    """Return a question with a new token and a new code."""
    code = "".join(secrets.choice(ALPHABET) for _ in range(4))
    return replace(question, token=secrets.token_hex(8), code=code, expires=time() + BUTTON_SECONDS)


def to_question(row: sqlite3.Row) -> AskedQuestion:
    """Return a row as a question."""
    place = (row["id"], row["identity"], row["conversation"], row["key"])
    choices = tuple(json.loads(row["choices"]))
    return AskedQuestion(*place, choices, row["text"], row["token"], row["code"], row["expires"])

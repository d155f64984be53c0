"""Ask for approval in the chat that a task came from, by buttons or words, and take the answer of an owner."""

import json
import secrets
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from time import time

from openkoi_hookspecs import Koi, PendingQuestion, PluginNotFoundError
from openkoi_hookspecs.integrations import Capabilities, Choice, Messenger, Post, PostKind
from openkoi_hookspecs.lazy_dataclass import dataclass

from .admission import read_answer
from .answers import reply_to
from .database import transaction
from .members import ALPHABET, Role
from .outbox import Outbox, Outgoing
from .requests import Request, Requests, State

BUTTON_SECONDS = 900.0  # a button that lies about is not pressed by accident; the question itself stays
OWNERS_ONLY = "Only an owner can answer this."


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question as it was put to a chat. ``token`` is in its buttons, ``code`` in answers that are written."""

    id: str
    identity: str
    token: str
    code: str
    key: str
    choices: tuple[str, ...]
    expires: float
    text: str

    @property
    def expired(self) -> bool:
        """Whether its buttons are too old."""
        return time() > self.expires


@dataclass(frozen=True, slots=True)
class Approvals:
    """The questions of tasks that wait. ``capabilities`` returns those of an app."""

    koi: Koi
    database: sqlite3.Connection
    requests: Requests
    outbox: Outbox
    messenger: Callable[[str], Messenger]

    # To ask

    async def ask(self, request: Request, run: str) -> bool:
        """Put the open questions of a run to the chat; return whether there are any."""
        pending = [one for one in await self.koi.pending_questions() if run in (one.outermost, one.run)]
        if not pending:
            return False
        with transaction(self.database):
            self.requests.set_state(request.identity, State.WAITING)
            for one in pending:
                self.put(request, self.make(request, one))
        self.outbox.wake(request.post.app, [request.post.channel])
        return True

    def make(self, request: Request, pending: PendingQuestion) -> AskedQuestion:
        """Return a question with new buttons."""
        question = pending.question
        key = f"{request.identity}/question/{pending.id}/{secrets.token_hex(4)}"
        choices = question.choices[:5]
        return self.renew(AskedQuestion(pending.id, request.identity, "", "", key, choices, 0.0, question.text))

    def renew(self, asked: AskedQuestion) -> AskedQuestion:
        """Return a question with a token and a code that were never used."""
        code = "".join(secrets.choice(ALPHABET) for _ in range(4))
        expires = time() + BUTTON_SECONDS
        return replace(asked, token=secrets.token_hex(8), code=code, expires=expires)

    def put(self, request: Request, asked: AskedQuestion) -> None:
        """Keep a question, with the post that asks it."""
        kept = (asked.id, asked.identity, asked.token, asked.code, asked.key)
        self.database.execute(
            "INSERT OR REPLACE INTO questions (id, identity, token, code, key, choices, expires, text, open) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)",
            (*kept, json.dumps(asked.choices), asked.expires, asked.text),
        )
        self.outbox.put(Outgoing(question_post(request, asked, self.messenger(request.post.app).capabilities)))

    # To answer

    def codes(self, conversation: str) -> frozenset[str]:
        """Return the codes of the open questions of a conversation."""
        rows = self.database.execute(
            "SELECT code FROM questions JOIN requests USING (identity) WHERE open = 1 AND conversation = ?",
            (conversation,),
        )
        return frozenset(str(row["code"]) for row in rows)

    async def answer(self, request: Request, role: Role) -> str:
        """Take a press or a written answer; return the identity of the request that can go on, else nothing."""
        found = self.find(request)
        origin = self.requests.find(found[0].identity) if found else None
        if found is None or origin is None:
            return ""
        asked, answer = found
        if role is not Role.OWNER:
            self.say(request, OWNERS_ONLY)
            return ""
        if asked.expired and request.post.kind is PostKind.PRESS:
            self.ask_again(origin, asked)
            return ""
        try:
            await self.koi.answer_question(asked.id, answer)
        except PluginNotFoundError:  # it was answered elsewhere
            answer = ""
        with transaction(self.database):
            self.close(asked.identity, asked.id)
            self.rewrite(origin, asked, describe_answer(answer, request.post))
        self.outbox.wake(origin.post.app, [origin.post.channel])
        return asked.identity

    def find(self, request: Request) -> tuple[AskedQuestion, str] | None:
        """Return the open question that a post answers, and the answer; None for a post that answers none.

        A press counts in the very post that has the button, a code in the conversation of the question.
        """
        post = request.post
        if post.kind is PostKind.PRESS:
            token, _, number = post.choice.partition(":")
            asked = self.select("token = ?", token) if token else None
            sent = self.outbox.key_of(post.app, post.channel, post.reply_to)
            valid = asked and sent == asked.key and number.isdecimal() and int(number) < len(asked.choices)
            return (asked, asked.choices[int(number)]) if asked and valid else None
        answer, code = read_answer(post.text)
        asked = self.select("code = ?", code) if code in self.codes(request.conversation) else None
        return (asked, answer) if asked else None

    def select(self, where: str, value: str) -> AskedQuestion | None:
        """Return the open question of a token or code."""
        row = self.database.execute(f"SELECT * FROM questions WHERE open = 1 AND {where}", (value,)).fetchone()
        return to_question(row) if row else None

    def ask_again(self, origin: Request, asked: AskedQuestion) -> None:
        """Replace buttons that are too old by new ones."""
        renewed = self.renew(replace(asked, key=f"{asked.key}/{secrets.token_hex(4)}"))
        with transaction(self.database):
            self.rewrite(origin, asked, "These buttons have expired; see the new ones below.")
            self.put(origin, renewed)
        self.outbox.wake(origin.post.app, [origin.post.channel])

    def rewrite(self, origin: Request, asked: AskedQuestion, how: str) -> None:
        """Edit the post of a question, so that it says how it was answered and has no buttons."""
        capabilities = self.messenger(origin.post.app).capabilities
        text = fit(asked.text, capabilities) + f"\n\n{how}"
        post = reply_to(origin.post, text, capabilities, key=f"{asked.key}/answered")
        self.outbox.put(Outgoing(post, replaces=asked.key))

    def close(self, identity: str, id: str = "") -> None:
        """Close a question of a request, or all of them."""
        every = (identity, id, id)
        self.database.execute("UPDATE questions SET open = 0 WHERE identity = ? AND (? = '' OR id = ?)", every)

    def say(self, request: Request, text: str) -> None:
        """Post a sentence where a request came from."""
        post = request.post
        capabilities = self.messenger(post.app).capabilities
        self.outbox.put(Outgoing(reply_to(post, text, capabilities, key=f"{post.identity}/said")))
        self.outbox.wake(post.app, [post.channel])

    async def answered_elsewhere(self, waiting: Sequence[Request]) -> list[Request]:
        """Return the requests whose questions are answered by now, such as by ``openkoi approve``."""
        open_runs = {one.outermost or one.run for one in await self.koi.pending_questions()} if waiting else set()
        return [one for one in waiting if one.run not in open_runs]


def question_post(request: Request, asked: AskedQuestion, capabilities: Capabilities) -> Post:
    """Return the post that asks a question: with buttons where the app has them, else with a code."""
    buttons = 0 < len(asked.choices) <= capabilities.max_choices
    hint = "" if buttons else f"\n\nReply {explain(asked.choices or ('your answer',), asked.code)}."
    post = reply_to(request.post, fit(asked.text, capabilities) + hint, capabilities, key=asked.key)
    labels = (Choice(word.capitalize(), f"{asked.token}:{number}") for number, word in enumerate(asked.choices))
    return replace(post, choices=tuple(labels) if buttons else ())


def fit(text: str, capabilities: Capabilities) -> str:
    """Shorten the text of a question to the length of a post."""
    room = capabilities.max_text - 300  # for buttons, codes and how it was answered
    return text if capabilities.length(text) <= room else f"{text[: room // 2]} ..."


def explain(choices: Sequence[str], code: str) -> str:
    """Return what to write."""
    return " or ".join(f"`{choice} {code}`" for choice in choices)


def describe_answer(answer: str, post: Post) -> str:
    """Return who answered what and when."""
    who = post.sender.name or post.sender.id
    return f"{answer.capitalize() or 'Answered elsewhere'} ({who}, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC)"


def to_question(row: sqlite3.Row) -> AskedQuestion:
    """Return a row as a question."""
    choices = tuple(json.loads(row["choices"]))
    place = (row["id"], row["identity"], row["token"], row["code"], row["key"])
    return AskedQuestion(*place, choices, row["expires"], row["text"])

"""Ask for approval in the chat that a task came from, with buttons or words, and accept an owner's answer."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from openkoi_hookspecs import Koi, PendingQuestion, PluginNotFoundError
from openkoi_hookspecs.integrations import Capabilities, Choice, Messenger, Post, PostKind, Sender
from openkoi_hookspecs.lazy_dataclass import dataclass

from .authorize_posts import conversation_of, read_answer
from .database import transaction, write_once_possible
from .inbox import SCHEDULE, Request, Requests, State
from .outbox import Outbox, Outgoing
from .questions import AskedQuestion, Questions, renew
from .reactions import chosen_by
from .replies import reply_to
from .splitting import longest_prefix
from .user_pairing import Members, Role, shown_name

MAX_CHOICES = 5  # buttons; more questions are answered by words (estimate)
OWNERS_ONLY = "Only an owner can answer this."
WAITS = "Waiting for an owner's approval."
EXPIRED = "These buttons have expired; see the new ones below."


@dataclass(frozen=True, slots=True)
class Approvals:
    """The questions of waiting tasks. ``messenger`` returns an app by its name."""

    koi: Koi
    requests: Requests
    members: Members
    outbox: Outbox
    messenger: Callable[[str], Messenger]

    @property
    def questions(self) -> Questions:
        """The questions that were asked."""
        return Questions(self.requests.database)

    def is_revoked(self, request: Request) -> bool:
        """Return whether the sender of a request was removed before it started; False for the user's schedules."""
        post = request.post
        is_stranger = self.members.role_of(post.app, post.sender) is Role.STRANGER
        return is_stranger and request.state is State.NEW and post.sender.id != SCHEDULE

    # To ask

    async def ask(self, request: Request, run: str) -> bool:
        """Ask the open questions of a run in the chat; return whether there are any."""
        pending = [one for one in await self.koi.pending_questions() if run in (one.outermost, one.run)]
        if not pending:
            return False
        place = self.place_of_questions(request)
        with transaction(self.requests.database):
            self.requests.set_state(request.identity, State.WAITING)
            for one in pending:
                self.put(request, self.make(request, one, place), place)
            if place is not request.post:
                self.say(request, WAITS)
        self.outbox.wake(request.post.app)
        return True

    def place_of_questions(self, request: Request) -> Post:
        """Return the post that determines where to ask; a member's questions in a direct channel go to an owner."""
        post = request.post
        owners = [one for one in self.members.list_all(post.app) if one.role is Role.OWNER]
        if not (post.direct and owners) or self.members.role_of(post.app, post.sender) is Role.OWNER:
            return post
        owner = Sender(owners[0].user)
        return Post("", app=post.app, account=post.account, channel=owners[0].channel, sender=owner, direct=True)

    def make(self, request: Request, pending: PendingQuestion, place: Post) -> AskedQuestion:
        """Return a question with new buttons."""
        conversation = conversation_of(place, self.messenger(place.app).capabilities)
        key = f"{request.identity}/question/{pending.id}/{secrets.token_hex(4)}"
        sender = request.post.sender
        who = "" if place is request.post else f"{shown_name(sender)} ({sender.id}) requests approval:\n\n"
        question = pending.question
        choices = question.choices[:MAX_CHOICES]
        return renew(AskedQuestion(pending.id, request.identity, conversation, key, choices, who + question.text))

    def put(self, request: Request, asked: AskedQuestion, place: Post) -> None:
        """Store a question, with the post that asks it."""
        self.questions.put(asked)
        self.outbox.put(Outgoing(question_post(place, asked, self.messenger(request.post.app).capabilities)))

    # To answer

    async def answer(self, request: Request, role: Role) -> str:
        """Accept a press or a written answer; return the identity of the request that can continue, else nothing."""
        found = self.find(request)
        origin = self.requests.find(found[0].identity) if found else None
        if found is None or origin is None:
            return ""
        question, answer = found
        if role is not Role.OWNER:
            self.say(request, OWNERS_ONLY)
            self.outbox.wake(request.post.app)
            return ""
        if question.expired and request.post.kind in (PostKind.PRESS, PostKind.REACTION):
            self.ask_again(origin, question)
            return ""
        try:
            await self.koi.answer_question(question.id, answer)
        except PluginNotFoundError:  # it was answered elsewhere
            answer = ""
        settle = partial(self.settle, question, describe_answer(answer, request.post))
        await write_once_possible(self.requests.database, settle, self.koi.warn)
        self.outbox.wake(origin.post.app)
        return question.identity

    def settle(self, question: AskedQuestion, how: str) -> None:
        """Close a question that was answered, and show the answer in its post."""
        self.questions.close(question.identity, question.id)
        self.rewrite(question, how)

    def find(self, request: Request) -> tuple[AskedQuestion, str] | None:
        """Return the open question that a post answers, and the answer; None if it answers none.

        A press counts only in the post that has the button, a reaction only on the post that asks, a code only in the
        conversation of the question.
        """
        post = request.post
        if post.kind is PostKind.REACTION:
            question = self.questions.by_key(self.outbox.key_of(post.app, post.channel, post.reply_to))
            return (question, chosen_by(post.choice, question.choices)) if question else None
        if post.kind is not PostKind.PRESS:
            answer, code = read_answer(post.text)
            question = self.questions.by_code(request.conversation, code)
            return (question, answer) if question else None
        token, _, number = post.choice.partition(":")
        question = self.questions.by_token(token) if token else None
        if question is None or self.outbox.key_of(post.app, post.channel, post.reply_to) != question.key:
            return None
        valid = number.isdecimal() and int(number) < len(question.choices)
        return (question, question.choices[int(number)]) if valid else None

    def ask_again(self, origin: Request, question: AskedQuestion) -> None:
        """Replace buttons that are too old with new ones."""
        renewed = renew(replace(question, key=f"{question.key}/{secrets.token_hex(4)}"))
        with transaction(self.requests.database):
            self.rewrite(question, EXPIRED)
            self.put(origin, renewed, self.place_of_questions(origin))
        self.outbox.wake(origin.post.app)

    def rewrite(self, question: AskedQuestion, how: str) -> None:
        """Edit the post of a question, so that it shows how it was answered and has no buttons."""
        if post := self.outbox.find(question.key):
            text = f"{fit(question.text, self.messenger(post.app).capabilities)}\n\n{how}"
            changed = replace(post, text=text, choices=(), key=f"{question.key}/answered")
            self.outbox.put(Outgoing(changed, replaces=question.key))

    def say(self, request: Request, text: str) -> None:
        """Queue a sentence to be posted where a request came from."""
        post = request.post
        capabilities = self.messenger(post.app).capabilities
        self.outbox.put(Outgoing(reply_to(post, text, capabilities, key=f"{post.identity}/notice")))

    async def answered_elsewhere(self, waiting: Sequence[Request]) -> list[Request]:
        """Return the requests whose questions have been answered elsewhere, such as with ``openkoi approve``."""
        open_runs = {one.outermost or one.run for one in await self.koi.pending_questions()} if waiting else set()
        return [one for one in waiting if one.run not in open_runs]


def question_post(place: Post, question: AskedQuestion, capabilities: Capabilities) -> Post:
    """Return the post that asks a question: with buttons if the app supports them, else with a code."""
    buttons = 0 < len(question.choices) <= capabilities.max_choices
    hint = "" if buttons else f"\n\nReply {explain(question.choices or ('your answer',), question.code)}."
    post = reply_to(place, fit(question.text, capabilities) + hint, capabilities, key=question.key)
    labels = (Choice(word.capitalize(), f"{question.token}:{number}") for number, word in enumerate(question.choices))
    return replace(post, choices=tuple(labels) if buttons else ())


def fit(text: str, capabilities: Capabilities) -> str:
    """Shorten the text of a question to the length of a post."""
    room = capabilities.max_text - 300  # for buttons, codes and how it was answered
    if capabilities.length(text) <= room:
        return text
    return f"{text[: longest_prefix(text, room, capabilities.length)]} ..."


def explain(choices: Sequence[str], code: str) -> str:
    """Return how to answer in writing."""
    return " or ".join(f"`{choice} {code}`" for choice in choices)


def describe_answer(answer: str, post: Post) -> str:
    """Return a line about who gave which answer, and when."""
    who = shown_name(post.sender)
    return f"{answer.capitalize() or 'Answered elsewhere'} ({who}, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC)"

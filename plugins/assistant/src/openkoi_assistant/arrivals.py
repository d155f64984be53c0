"""Convert incoming posts to requests, depending on their senders and subjects."""

from collections.abc import Callable, Container
from functools import partial

from openkoi_hookspecs import NO
from openkoi_hookspecs.integrations import Messenger, Post, PostKind
from openkoi_hookspecs.lazy_dataclass import dataclass

from .authorize_posts import Circumstances, classify, conversation_of
from .inbox import Kind, Request, Requests
from .outbox import Outbox
from .questions import Questions
from .reactions import chosen_by, read_reaction
from .replies import request_of_sign
from .user_pairing import Members


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Admits posts. ``messenger`` returns an app by its name; ``active`` are the conversations with running tasks."""

    requests: Requests
    members: Members
    outbox: Outbox
    messenger: Callable[[str], Messenger]
    active: Container[str]

    def admit(self, app: str, post: Post) -> Request | None:
        """Return a post as a request; None if it is not for the assistant."""
        capabilities = self.messenger(app).capabilities
        about = self.find_subject(post)
        conversation = about.conversation if about else conversation_of(post, capabilities)
        known = bool(capabilities.threads and post.thread)
        circumstances = Circumstances(
            known=lambda: known and self.requests.knows_conversation(conversation),
            codes=partial(Questions(self.requests.database).codes, conversation),
            pairing=partial(self.members.accepts, post),
            reaction=lambda: self.meaning_of(post, about),
            only_bots=partial(self.requests.is_left_to_bots, post),
        )
        kind = classify(post, self.members.role_of(app, post.sender), circumstances)
        if kind is Kind.STEER and conversation not in self.active:
            kind = Kind.TASK
        return Request(post, kind=kind, conversation=conversation) if kind else None

    def find_subject(self, post: Post) -> Request | None:
        """Return the request that a reaction is about: the one whose question or progress post got the reaction."""
        if post.kind is not PostKind.REACTION:
            return None
        key = self.outbox.key_of(post.app, post.channel, post.reply_to)
        question = Questions(self.requests.database).by_key(key)
        return self.requests.find(question.identity if question else request_of_sign(key))

    def meaning_of(self, post: Post, about: Request | None) -> Kind | None:
        """Return what a reaction requests; None if it requests nothing."""
        if about is None:
            return None
        question = Questions(self.requests.database).by_key(self.outbox.key_of(post.app, post.channel, post.reply_to))
        if question:
            return Kind.ANSWER if chosen_by(post.choice, question.choices) else None
        return Kind.STOP if read_reaction(post.choice) == NO and about.conversation in self.active else None

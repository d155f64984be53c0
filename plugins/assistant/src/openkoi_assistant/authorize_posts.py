"""Authorize posts of the allowed users (the allowlist), and drop those of all others; decide what each asks for."""

import re
from collections.abc import Callable

from openkoi_hookspecs.integrations import Capabilities, Post, PostKind, SenderKind
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.posts import join_ids

from .inbox import Kind
from .user_pairing import Role, read_code

COMMANDING = frozenset({Role.OWNER, Role.MEMBER})
STOP_WORDS = frozenset({"stop", "/stop", "cancel", "/cancel", "abort"})
STEER = re.compile(r"^\s*also\b[\s,:]*", re.IGNORECASE)
ANSWER = re.compile(r"^\s*(?P<answer>\S.*?)\s+(?P<code>[A-HJ-NP-Z2-9]{4})\s*$", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """Facts about the place of a post, looked up on demand.

    ``known``: an earlier task came from its conversation; ``codes``: those of open questions there; ``pairing``: the
    post is the valid pairing code; ``reaction``: what the post requests if it is a reaction; ``only_bots``: bots had
    the last turns.
    """

    known: Callable[[], bool] = lambda: False
    codes: Callable[[], frozenset[str]] = frozenset
    pairing: Callable[[], bool] = lambda: False
    reaction: Callable[[], Kind | None] = lambda: None
    only_bots: Callable[[], bool] = lambda: False


NOWHERE = Circumstances()


def classify(post: Post, role: Role, there: Circumstances = NOWHERE) -> Kind | None:
    """Return the kind of a post; None if it is not for the assistant, or its sender may not send tasks."""
    if not post.sender.authenticated:
        return None
    if post.sender.kind is SenderKind.BOT:
        return classify_bot(post, role, there)
    if post.sender.kind is not SenderKind.PERSON:
        return None
    if post.kind is PostKind.NEW and post.direct and read_code(post.text) and there.pairing():
        return Kind.PAIR
    if role not in COMMANDING:
        return None
    match post.kind:
        case PostKind.PRESS:
            return Kind.ANSWER
        case PostKind.REACTION:
            return there.reaction()
        case PostKind.NEW if post.direct or post.mentioned or there.known():
            return classify_words(post, there.codes)
    return None


def classify_bot(post: Post, role: Role, there: Circumstances) -> Kind | None:
    """Return the kind of a bot's post: a task if the bot is allowed and mentions the assistant, else None."""
    is_heard = role is Role.BOT and post.kind is PostKind.NEW and post.mentioned
    return Kind.TASK if is_heard and strip_mention(post.text) and not there.only_bots() else None


def classify_words(post: Post, codes: Callable[[], frozenset[str]]) -> Kind | None:
    """Return what a member's words request."""
    words = strip_mention(post.text)
    if words.lower().rstrip(".!") in STOP_WORDS:
        return Kind.STOP
    if (found := ANSWER.match(words)) and found["code"].upper() in codes():
        return Kind.ANSWER
    if STEER.match(words):
        return Kind.STEER
    return Kind.TASK if words or post.attachments else None


def strip_mention(text: str) -> str:
    """Return a text without the name of the assistant at its beginning or end."""
    return re.sub(r"^\s*(<@[^>\s]+>|@\S+)[\s,:]*|\s*(<@[^>\s]+>|@\S+)\s*$", "", text).strip()


def read_answer(text: str) -> tuple[str, str]:
    """Return the answer and the code of a text such as ``yes K7QP``; empty if it is not an answer."""
    found = ANSWER.match(strip_mention(text))
    return (found["answer"], found["code"].upper()) if found else ("", "")


def conversation_of(post: Post, capabilities: Capabilities) -> str:
    """Return the conversation that a post belongs to: one per user of a direct channel, one per thread elsewhere.

    If the app has threads, the answer to a post outside threads starts one.
    """
    if post.direct:
        return join_ids(post.app, post.account, post.channel, post.sender.id, *([post.thread] if post.thread else []))
    if post.thread or not capabilities.threads:
        return post.conversation
    return join_ids(post.app, post.account, post.channel, post.id)


def memory_of(post: Post) -> str:
    """Return the memory that a post belongs to: its channel's or, in a direct channel, its sender's alone.

    The users of a direct channel may change: another user may join, and the first one may leave.
    """
    own = [post.sender.id] if post.direct else []
    return join_ids(post.app, post.account, post.channel, *own)


def thread_of(post: Post, capabilities: Capabilities) -> str:
    """Return the thread in which a post is answered."""
    if post.thread or post.direct or not capabilities.threads:
        return post.thread
    return post.id

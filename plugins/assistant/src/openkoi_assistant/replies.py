"""Build the posts that reply to a request."""

from collections.abc import Sequence
from dataclasses import replace

from openkoi_hookspecs import NextAction, Result
from openkoi_hookspecs.integrations import Attachment, Capabilities, Post

from .authorize_posts import thread_of
from .inbox import Request
from .outbox import REPEATED, Outgoing
from .splitting import split_text

MAX_PARTS = 3  # a longer answer is a file
SIGN = "/sign"
WORKING, QUEUED = "Working on it ...", "Queued: your task starts when the current one is done."
ATTACHED = "\n\n(The full answer is in the attached file.)"


def sign_key(request: Request) -> str:
    """Return the key of the progress post of a request."""
    return f"{request.identity}{SIGN}"


def request_of_sign(key: str) -> str:
    """Return the id of the request whose progress post has this key; empty for other posts."""
    return key.removesuffix(SIGN) if key.endswith(SIGN) else ""


def reply_to(post: Post, text: str, capabilities: Capabilities, *, key: str) -> Post:
    """Return a post at the place where another post is answered."""
    return Post(
        text,
        app=post.app,
        account=post.account,
        channel=post.channel,
        thread=thread_of(post, capabilities),
        reply_to=post.id,
        subject=post.subject,
        format=best_format(capabilities),
        key=key,
    )


def best_format(capabilities: Capabilities) -> str:
    """Return the format of answers: models write Markdown."""
    return "markdown" if "markdown" in capabilities.formats else "plain"


def make_sign(request: Request, capabilities: Capabilities, *, queued: bool) -> Outgoing:
    """Return the progress post, which confirms a request at once and is edited until the answer is ready."""
    post = reply_to(request.post, QUEUED if queued else WORKING, capabilities, key=sign_key(request))
    return Outgoing(replace(post, partial=True, recipients=(request.post.sender.id,)))


def make_answer(request: Request, text: str, capabilities: Capabilities) -> list[Outgoing]:
    """Return the posts of an answer, the first of which replaces the progress post."""
    room = capabilities.max_text - capabilities.length(REPEATED)  # which is added when a killed process is unsure
    parts = split_text(text, room, capabilities.length) or ["Done."]
    files: tuple[Attachment, ...] = ()
    data = text.encode()
    if len(parts) > MAX_PARTS and len(data) <= capabilities.max_file:
        short = split_text(text, room - capabilities.length(ATTACHED), capabilities.length)[0]
        parts = [short + ATTACHED, ""]
        files = (Attachment("answer.md", media_type="text/markdown", size=len(data), data=data),)
    posts = [reply_to(request.post, part, capabilities, key=answer_key(request, n)) for n, part in enumerate(parts)]
    last = replace(posts[-1], attachments=files)
    return [Outgoing(post, sign_key(request) if n == 0 else "") for n, post in enumerate([*posts[:-1], last])]


def answer_key(request: Request, number: int) -> str:
    """Return the key of a part of an answer."""
    return f"{request.identity}/answer/{number}"


def describe_result(result: Result) -> str:
    """Return a run's answer, with the reason if it was not accepted."""
    text = result.text.strip()
    if result.decision.action in (NextAction.ACCEPT, NextAction.ACCEPT_BEST):
        return text or "Done."
    return join_paragraphs([text, f"(Not finished: {result.decision.reason})"])


def join_paragraphs(texts: Sequence[str]) -> str:
    """Join the paragraphs that are not empty."""
    return "\n\n".join(filter(None, texts))

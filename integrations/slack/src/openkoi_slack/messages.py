"""Convert posts to Slack messages: Markdown as a block, with buttons below it."""

from openkoi_hookspecs import AppRejectedError, Json
from openkoi_hookspecs.integrations import Choice, Post

from .events import EMOJI

MAX_TEXT = 12_000  # of a markdown block
MAX_SECTION = 3_000  # characters of a section, which is what plain text above buttons is in


def place_in(post: Post) -> dict[str, Json]:
    """Return where a message is posted."""
    thread: dict[str, Json] = {"thread_ts": post.thread} if post.thread else {}
    return {"channel": post.channel, **thread, "unfurl_links": False, "unfurl_media": False, "mrkdwn": False}


def content_of(post: Post) -> dict[str, Json]:
    """Return the content of a message, with its buttons; ``text`` is what notifications show."""
    text = escape(post.text)
    if len(text) > MAX_TEXT:
        raise AppRejectedError(f"Slack messages are limited to {MAX_TEXT:,} characters.")
    blocks: list[Json] = [{"type": "markdown", "text": post.text}] if post.format == "markdown" else []
    if post.choices:
        blocks = blocks or to_sections(post.text)
        blocks.append({"type": "actions", "elements": [to_button(n, one) for n, one in enumerate(post.choices)]})
    return {"text": text, "blocks": blocks}


def escape(text: str) -> str:
    """Escape the characters that Slack would read as markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escaped_length(text: str) -> int:
    """Return how long a text is for Slack, which limits both blocks and the escaped text sent with them."""
    return len(escape(text))


def to_sections(text: str) -> list[Json]:
    """Return plain text as blocks."""
    parts = (text[start : start + MAX_SECTION] for start in range(0, len(text), MAX_SECTION))
    return [{"type": "section", "text": {"type": "plain_text", "text": part}} for part in parts]


def to_button(number: int, choice: Choice) -> Json:
    """Return a button."""
    label: Json = {"type": "plain_text", "text": choice.label[:75]}
    return {"type": "button", "action_id": f"choice-{number}", "text": label, "value": choice.value}


def emoji_name(emoji: str) -> str:
    """Return Slack's name for an emoji."""
    if emoji not in EMOJI:
        raise AppRejectedError(f"{emoji} has no Slack name. Known: {' '.join(EMOJI)}.")
    return EMOJI[emoji]

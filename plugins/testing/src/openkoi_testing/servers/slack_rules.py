"""Check what is sent to the fake Slack, as its Web API does."""

from typing import Any

from .slack_chats import Facts
from .slack_streams import SlackCallError

MAX_MARKDOWN, MAX_TEXT, MAX_SECTION, MAX_BUTTON = 12_000, 40_000, 3_000, 2_000


def check_content(text: str, blocks: Any) -> Facts:
    """Return the blocks of a message; raise SlackCallError for what Slack does not take."""
    if len(text) > MAX_TEXT or not (text or blocks):
        raise SlackCallError("msg_too_long" if text else "no_text")
    for block in blocks:
        check_block(block)
    return {"blocks": list(blocks)} if blocks else {}


def check_block(block: Facts) -> None:
    """Raise SlackCallError for a block that Slack does not take."""
    if block["type"] not in ("markdown", "section", "actions"):
        raise SlackCallError("invalid_blocks")
    if block["type"] == "markdown" and len(block["text"]) > MAX_MARKDOWN:
        raise SlackCallError("msg_blocks_too_long")
    if block["type"] == "section" and not 0 < len(block["text"]["text"]) <= MAX_SECTION:
        raise SlackCallError("invalid_blocks")
    for button in block.get("elements", ()):
        if not (button["text"]["text"] and 0 < len(button["value"]) <= MAX_BUTTON):
            raise SlackCallError("invalid_blocks")

"""Pass posts between apps and the programs that host them, through the hooks of plugins and without secrets."""

from collections.abc import Callable
from dataclasses import replace

from openkoi_base.isolation import named_errors
from openkoi_hookspecs import Koi, KoiError, Pattern, events, hooks
from openkoi_hookspecs.posts import Post


async def receive_post(post: Post, koi: Koi) -> Post | None:
    """Return a post after every plugin's changes; None if one dropped it."""
    received = await koi.fold(hooks.message_received, post, koi=koi)
    return None if received.dropped else received


async def send_post(post: Post, koi: Koi) -> str:
    """Send a post without secrets, or edit the one with its id; return its id, or nothing if a plugin dropped it."""
    sending = await koi.fold(hooks.message_sending, post, koi=koi)
    if sending.dropped:
        return ""
    return await deliver_post(redact_post(sending, koi.redact), await koi.load("integrations", post.app))


def redact_post(post: Post, redact: Callable[[str], str]) -> Post:
    """Mask the secrets in the texts of a post."""
    choices = tuple(replace(one, label=redact(one.label)) for one in post.choices)
    files = tuple(replace(one, name=redact(one.name)) for one in post.attachments)
    return replace(post, text=redact(post.text), subject=redact(post.subject), choices=choices, attachments=files)


async def deliver_post(post: Post, app: object) -> str:
    """Send a post, or edit the one with its id; return its id. Raises AppError, or KoiError if the app cannot."""
    from openkoi_hookspecs.integrations import Messenger, SupportsEdit

    if not isinstance(app, Messenger):
        raise KoiError(f"{post.app} does not support posts, so nothing was sent.")
    if post.id and not isinstance(app, SupportsEdit):
        raise KoiError(f"{post.app} cannot edit posts. Send a new one.")
    with named_errors(post.app, "send"):  # an app is a plugin: it may raise anything
        return await (app.edit(post) if post.id and isinstance(app, SupportsEdit) else app.send(post))


async def propose_pattern(pattern: Pattern, koi: Koi) -> Pattern | None:
    """Log a pattern after every plugin's changes; return None if one dropped it."""
    proposed = await koi.fold(hooks.on_pattern, pattern, koi=koi)
    if proposed.dropped:
        return None
    await koi.emit(events.PatternProposed(proposed))
    return proposed

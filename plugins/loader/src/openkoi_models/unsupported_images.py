"""Adapt messages to one model: images and files that it cannot read are replaced with a note.

Files in the log are read here. Each message is converted once, so that a growing conversation is sent as the same
objects, whose encoding providers cache.
"""

from collections.abc import Collection, Sequence
from dataclasses import field, replace

from openkoi_hookspecs import (
    File,
    Image,
    KoiError,
    Message,
    Part,
    RequestRejectedError,
    SupportsMedia,
    Text,
    ToolResult,
)
from openkoi_hookspecs.content import IMAGE_TYPES
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_prompt import quote_untrusted

from .images_in_messages import describe_part, media_in
from .model_roles import ResolvedModel

IMAGES = "images"
REFUSED = "rejected a request that contained this image or file"
MAX_KEPT = 20_000
CONTENT_STATUSES = (400, 413, 415, 422)
Content = Text | Image | File


@dataclass(frozen=True, slots=True)
class Shown:
    """What a model can read besides text: parts of these media types, if any.

    ``refused`` are digests of parts in a request that it rejected.
    """

    name: str
    sees: bool
    types: Collection[str]
    refused: frozenset[str] = frozenset()


@dataclass(slots=True)
class SendableMessages:
    """Messages in the form in which models receive them. ``warnings`` for the user about that are issued once each.

    ``blind`` are models that rejected an image, without known image support; ``refusals`` are
    the digests of the parts in requests that other models rejected.
    """

    kept: dict[tuple[int, Shown], tuple[Message, Message]] = field(default_factory=dict)
    warnings: dict[str, bool] = field(default_factory=dict)
    blind: set[str] = field(default_factory=set)
    refusals: dict[str, frozenset[str]] = field(default_factory=dict)

    def adapt_messages(self, messages: Sequence[Message], resolved: ResolvedModel) -> Sequence[Message]:
        """Return messages in the form that a model receives."""
        return [self.adapt_message(one, resolved) for one in messages]

    def adapt_message(self, message: Message, resolved: ResolvedModel) -> Message:
        """Return a message in the form that a model receives; keep the original, so that its identity is not reused."""
        shown = self.shown_to(resolved)
        if len(self.kept) > MAX_KEPT:
            self.kept.clear()
        if (id(message), shown) not in self.kept:
            self.kept[id(message), shown] = message, self.convert_message(message, shown)
        return self.kept[id(message), shown][1]

    def shown_to(self, resolved: ResolvedModel) -> Shown:
        """Return what a model can read; an unknown model is assumed to support images."""
        sees = resolved.name not in self.blind and IMAGES in (resolved.model.can or (IMAGES,))
        provider = resolved.provider
        types = tuple(provider.media_types) if isinstance(provider, SupportsMedia) else IMAGE_TYPES
        return Shown(resolved.name, sees, types, self.refusals.get(resolved.name, frozenset()))

    def note_refusal(self, error: RequestRejectedError, messages: Sequence[Message], resolved: ResolvedModel) -> bool:
        """Record that a model rejected messages; return whether to retry without their images and files.

        A broken image makes every request with it fail.
        """
        known = self.refusals.get(resolved.name, frozenset())
        sent = frozenset(part.digest for part in media_in(messages))
        if not is_about_content(error) or resolved.name in self.blind or not sent - known:
            return False
        self.refusals[resolved.name] = known | sent
        if not resolved.model.can:
            self.blind.add(resolved.name)
        return True

    def take_warnings(self) -> list[str]:
        """Return the warnings that were not returned before."""
        fresh = [text for text, is_new in self.warnings.items() if is_new]
        self.warnings = dict.fromkeys(self.warnings, False)
        return fresh

    def convert_message(self, message: Message, shown: Shown) -> Message:
        parts = tuple(self.adapt_part(part, shown) for part in message.parts)
        return message if parts == message.parts else replace(message, parts=parts)

    def adapt_part(self, part: Part, shown: Shown) -> Part:
        if isinstance(part, ToolResult) and part.parts:
            return replace(part, parts=tuple(self.load_content(one, shown) for one in part.parts))
        return self.load_content(part, shown) if isinstance(part, Image | File) else part

    def load_content(self, part: Content, shown: Shown) -> Content:
        if isinstance(part, Text):
            return part
        try:
            return self.load_part(part, shown)
        except KoiError as error:
            self.warnings.setdefault(f"{error} A note was sent instead of {name_kind(part)}.", True)
            return Text(f"[{describe_part(part)} is omitted, because it is missing from the run log.]")

    def load_part(self, part: Image | File, shown: Shown) -> Content:
        """Return an image or a file with its bytes, or a note instead; raise KoiError if the bytes are missing."""
        if isinstance(part, File) and (text := part.text) is not None:
            return Text(quote_untrusted(part.name, text))
        if shown.refused and part.digest in shown.refused:
            return self.note(part, shown, REFUSED)
        if not shown.sees:
            return self.note(part, shown, "does not support images")
        if part.media_type not in shown.types:
            return self.note(part, shown, f"does not support {part.media_type}")
        return replace(part, content=part.data)

    def note(self, part: Image | File, shown: Shown, reason: str) -> Text:
        """Return a note in place of a part, and warn the user."""
        remedy = f" To send {name_kind(part)}, choose another model with -m." if reason != REFUSED else ""
        self.warnings.setdefault(
            f"{shown.name} {reason}, so a note was sent instead of {name_kind(part)}.{remedy}", True
        )
        return Text(f"[{describe_part(part)} is omitted, because this model {reason}.]")


def name_kind(part: Image | File) -> str:
    """Return the name of a part in warnings."""
    return "the file" if isinstance(part, File) else "the image"


def is_about_content(error: RequestRejectedError) -> bool:
    """Return whether an image or a file may be the reason for a rejection, instead of length, key or quota."""
    return not error.context_overflow and error.status in CONTENT_STATUSES

"""Convert images and files to Converse's format, within its limits; describe in words what it does not accept."""

from collections.abc import Mapping

from openkoi_hookspecs import File, Image
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_http import base64_of

Block = Mapping[str, object]

IMAGES = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"}
WORD, EXCEL = "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/vnd.ms-excel"
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
DOCUMENTS = {"application/pdf": "pdf", "application/msword": "doc", WORD: "docx", EXCEL: "xls", SHEET: "xlsx"}
MEDIA_TYPES = (*IMAGES, *DOCUMENTS)
LIMITS = {Image: 3_750_000, File: 4_500_000}  # bytes, of one image or document of a request to Converse
NOT_IN_NAMES = lazy_pattern(r"[^A-Za-z0-9()\[\]-]+")


def media(part: Image | File) -> Block:
    """Return a block for an image or a document, or a note in its place if Converse does not accept it."""
    kinds = IMAGES if isinstance(part, Image) else DOCUMENTS
    kind = kinds.get(part.media_type.lower().replace("image/jpg", "image/jpeg"))
    if kind is None:
        return note(part, f"of type {part.media_type}")
    if part.size > LIMITS[type(part)]:
        return note(part, f"of {part.size / 1e6:.1f} MB")
    block = {"format": kind, "source": {"bytes": base64_of(part)}}
    return {"image": block} if isinstance(part, Image) else {"document": {"name": name_of(part), **block}}


def note(part: Image | File, what: str) -> Block:
    """Return a note that a part is not shown."""
    kind = "An image" if isinstance(part, Image) else "A document"
    return {"text": f"({kind} {what} is omitted here, because this model cannot read it.)"}


def name_of(file: File) -> str:
    """Return a name that Converse accepts, and that no other document has."""
    plain = NOT_IN_NAMES.sub(" ", file.name).strip()[:150]
    return f"{plain} {file.digest[:8]}".strip()

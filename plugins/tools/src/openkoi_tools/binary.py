"""Detect data that is not text, and name its format."""

SAMPLE_BYTES = 8_192
MAX_CONTROLS = 4
MAX_CONTROL_SHARE = 0.02  # a larger share of control characters in a sample means binary data (estimate)
FORMAT_SIGNATURES = (
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\xfd7zXZ\0", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"\x7fELF", "an ELF program"),
    (b"\0asm", "a WebAssembly module"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"wOF2", "a web font"),
)
CONTROLS = bytes(code for code in range(32) if chr(code) not in "\t\n\r\f\b\x1b")
ODD_CHARACTERS = CONTROLS.decode() + "\ufffd"
MAX_ODD_SHARE = 0.1  # a larger share of odd characters means a wrong encoding (estimate)
WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")


def binary_format(data: bytes) -> str:
    """Return the format of data that is not text; empty if it is text."""
    named = next((name for beginning, name in FORMAT_SIGNATURES if data.startswith(beginning)), "")
    if named or data.startswith(WIDE_BOMS):
        return named
    sample = data[:SAMPLE_BYTES]
    controls = len(sample) - len(sample.translate(None, CONTROLS))
    return "binary data" if controls > max(MAX_CONTROLS, MAX_CONTROL_SHARE * len(sample)) else ""


def is_garbled(text: str) -> bool:
    """Return whether a text was decoded from bytes that are not text."""
    odd = len(text) - len(text.translate(dict.fromkeys(map(ord, ODD_CHARACTERS))))
    return odd > max(MAX_CONTROLS, MAX_ODD_SHARE * len(text))

"""Tell text from other data, and say what the other data is."""

SAMPLE = 8_192
FEW_CONTROLS = 4
MANY_CONTROLS = 0.02
BEGINNINGS = (
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
ODD = CONTROLS.decode() + "\ufffd"
MANY_ODD = 0.1
WIDE = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")


def binary(data: bytes) -> str:
    """Say what data is that is not text; nothing, if it is text."""
    named = next((name for beginning, name in BEGINNINGS if data.startswith(beginning)), "")
    if named or data.startswith(WIDE):
        return named
    sample = data[:SAMPLE]
    controls = len(sample) - len(sample.translate(None, CONTROLS))
    return "binary data" if controls > max(FEW_CONTROLS, MANY_CONTROLS * len(sample)) else ""


def garbled(text: str) -> bool:
    """Whether a text was made of bytes that are none."""
    odd = len(text) - len(text.translate(dict.fromkeys(map(ord, ODD))))
    return odd > max(FEW_CONTROLS, MANY_ODD * len(text))

"""Read and write an export's manifest: its segments and their number of records."""

import json
from collections.abc import Mapping
from dataclasses import asdict, field
from pathlib import Path

from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

SCHEMA = "openkoi.export/1"
FILE = "manifest.json"


@dataclass(frozen=True, slots=True)
class ExportManifest:
    """The content of an export: records by segment, rows by table, and damaged lines that were skipped."""

    at: str
    segments: Mapping[str, int]
    tables: Mapping[str, int] = field(default_factory=dict)
    task: str = ""
    since: str = ""
    left_out: tuple[str, ...] = ()
    schema: str = SCHEMA

    @property
    def text(self) -> str:
        """The manifest as JSON."""
        return json.dumps(asdict(self), indent=1) + "\n"


def read_manifest(folder: Path) -> ExportManifest:
    """Read an export's manifest; raise KoiError if it cannot be imported."""
    path = folder / FILE
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise KoiError(
            f"{folder} is not an export: it has no {FILE}. Create one with `openkoi export --format json`."
        ) from None
    except OSError as error:
        raise KoiError(f"Cannot read {path}: {error.strerror}. Export again.") from None
    except (ValueError, RecursionError):
        raise KoiError(f"{path} is not valid JSON. Export again.") from None
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise KoiError(f"{path} is not in the format {SCHEMA}. Update OpenKoi, or export again.")
    segments = content.get("segments")
    if not isinstance(segments, dict) or not all(type(count) is int for count in segments.values()):
        raise KoiError(f"{path} lacks the record counts of its segments. Export again.")
    return ExportManifest(at=str(content.get("at", "")), segments=segments)

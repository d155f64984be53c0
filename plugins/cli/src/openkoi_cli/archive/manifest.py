"""The table of contents of an export: its segments with the number of their records, by which a loss is noticed."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from openkoi_hookspecs import KoiError

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
        """As it is written."""
        return json.dumps(asdict(self), indent=1) + "\n"


def read_manifest(folder: Path) -> ExportManifest:
    """Read the one of an export; raises KoiError when it is none that can be imported."""
    path = folder / FILE
    try:
        said = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise KoiError(
            f"{folder} is not an export: it has no {FILE}. Make one with openkoi export --format json."
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise KoiError(f"{path} cannot be read: {error}. Export again.") from None
    if not isinstance(said, dict) or said.get("schema") != SCHEMA:
        raise KoiError(f"{path} does not say that it is {SCHEMA}. Update OpenKoi, or export again.")
    segments = said.get("segments")
    if not isinstance(segments, dict) or not all(type(count) is int for count in segments.values()):
        raise KoiError(f"{path} does not say how many records its segments have. Export again.")
    return ExportManifest(at=str(said.get("at", "")), segments=segments)

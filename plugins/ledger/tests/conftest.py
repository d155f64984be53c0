"""The ledger's small world is shared by its tests: its folder is looked into for modules."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

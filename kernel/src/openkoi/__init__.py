"""OpenKoi's kernel: the loop, and nothing that a plugin can bring."""

__version__ = "2026.11.21"

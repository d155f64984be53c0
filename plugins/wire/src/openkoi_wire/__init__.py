"""The one HTTP door of OpenKoi's providers and integrations (a library)."""

"""Read, list, search, edit, write and run: OpenKoi's hands."""

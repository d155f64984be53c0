"""``openkoi plugin``: write, certify, install, remove and configure plugins."""

"""Find models on this machine, and set up a provider with the user."""

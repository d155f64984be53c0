"""OpenAI's models, and every server that speaks Chat Completions, for OpenKoi."""

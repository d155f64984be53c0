"""OpenAI's models and embeddings, and any OpenAI-compatible server."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .embedder import OpenAIEmbedder as OpenAIEmbedder
    from .provider import OpenAI as OpenAI

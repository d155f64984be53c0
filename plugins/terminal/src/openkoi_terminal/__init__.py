"""Show text on terminals: streamed Markdown, the working line, diffs, and text that cannot control the terminal."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .blocks import Block, MarkdownStream
    from .choices import QUIET_SECONDS, find_choice
    from .diffs import count_changes, render_diff
    from .live_answer import LiveAnswer
    from .live_region import ERASE_BELOW
    from .markdown import render_block, render_markdown
    from .safe_text import IncompleteEscapes, show_hidden, strip_controls, strip_escapes
    from .style import PLAIN, Style, detect_style
    from .width import clip_row, tail_rows, text_width, wrap_words
    from .working_line import INTERRUPT_HINT, WorkingFacts, WorkingLine, format_working_line

__all__ = [
    "ERASE_BELOW",
    "INTERRUPT_HINT",
    "PLAIN",
    "QUIET_SECONDS",
    "Block",
    "IncompleteEscapes",
    "LiveAnswer",
    "MarkdownStream",
    "Style",
    "WorkingFacts",
    "WorkingLine",
    "clip_row",
    "count_changes",
    "detect_style",
    "find_choice",
    "format_working_line",
    "render_block",
    "render_diff",
    "render_markdown",
    "show_hidden",
    "strip_controls",
    "strip_escapes",
    "tail_rows",
    "text_width",
    "wrap_words",
]

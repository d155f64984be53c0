"""Show text on terminals: streamed Markdown, the working line, diffs, and text that cannot control the terminal."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .blocks import Block as Block
    from .blocks import MarkdownStream as MarkdownStream
    from .choices import QUIET_SECONDS as QUIET_SECONDS
    from .choices import find_choice as find_choice
    from .diffs import count_changes as count_changes
    from .diffs import render_diff as render_diff
    from .live_answer import LiveAnswer as LiveAnswer
    from .live_region import ERASE_BELOW as ERASE_BELOW
    from .markdown import render_block as render_block
    from .markdown import render_markdown as render_markdown
    from .safe_text import IncompleteEscapes as IncompleteEscapes
    from .safe_text import show_hidden as show_hidden
    from .safe_text import strip_controls as strip_controls
    from .safe_text import strip_escapes as strip_escapes
    from .style import PLAIN as PLAIN
    from .style import Style as Style
    from .style import detect_style as detect_style
    from .width import clip_row as clip_row
    from .width import tail_rows as tail_rows
    from .width import text_width as text_width
    from .width import wrap_words as wrap_words
    from .working_line import INTERRUPT_HINT as INTERRUPT_HINT
    from .working_line import WorkingFacts as WorkingFacts
    from .working_line import WorkingLine as WorkingLine
    from .working_line import format_working_line as format_working_line

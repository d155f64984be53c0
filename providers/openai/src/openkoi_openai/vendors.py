"""Define vendors of an OpenAI-compatible server: Groq, OpenRouter, Together, DeepSeek, xAI, Qwen, or any other."""

from .chat import ServerQuirks
from .vendor import Vendor, make_provider

Groq = make_provider(
    Vendor(
        name="Groq",
        variable="GROQ",
        base_url="https://api.groq.com/openai/v1",
        quirks=ServerQuirks(
            limit_key="max_completion_tokens",
            schema_format="json_object",
            streams_schemas=False,
            reasoning_keys=("reasoning",),
        ),
    )
)

OpenRouter = make_provider(
    Vendor(
        name="OpenRouter",
        variable="OPENROUTER",
        base_url="https://openrouter.ai/api/v1",
        author="openrouter",
        quirks=ServerQuirks(reasoning_keys=("reasoning", "reasoning_content")),
        headers={"X-Title": "OpenKoi"},
    )
)

Together = make_provider(
    Vendor(
        name="Together",
        variable="TOGETHER",
        base_url="https://api.together.xyz/v1",
        quirks=ServerQuirks(reasoning_keys=("reasoning", "reasoning_content")),
    )
)

DeepSeek = make_provider(
    Vendor(
        name="DeepSeek",
        variable="DEEPSEEK",
        base_url="https://api.deepseek.com/v1",
        quirks=ServerQuirks(schema_format="json_object", sent_reasoning_key="reasoning_content"),
        output=8_192,
    )
)

XAI = make_provider(
    Vendor(
        name="xAI",
        variable="XAI",
        base_url="https://api.x.ai/v1",
        quirks=ServerQuirks(limit_key="max_completion_tokens"),
    )
)

Qwen = make_provider(
    Vendor(
        name="Qwen",
        variable="QWEN",
        vendor_key="DASHSCOPE_API_KEY",
        base_url="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        quirks=ServerQuirks(schema_format="json_object"),
        output=8_192,
    )
)

Custom = make_provider(Vendor(name="Custom", variable="CUSTOM"))

"""The vendors that speak Chat Completions: the table of what differs. Knows facts only."""

from .chat import Manners
from .endpoint import Endpoint, endpoint

Groq = endpoint(
    Endpoint(
        name="Groq",
        variable="GROQ",
        base_url="https://api.groq.com/openai/v1",
        manners=Manners(
            limit_key="max_completion_tokens", shape="json_object", stream_shapes=False, thoughts=("reasoning",)
        ),
    )
)

OpenRouter = endpoint(
    Endpoint(
        name="OpenRouter",
        variable="OPENROUTER",
        base_url="https://openrouter.ai/api/v1",
        author="openrouter",
        manners=Manners(thoughts=("reasoning", "reasoning_content")),
        headers={"X-Title": "OpenKoi"},
    )
)

Together = endpoint(
    Endpoint(
        name="Together",
        variable="TOGETHER",
        base_url="https://api.together.xyz/v1",
        manners=Manners(thoughts=("reasoning", "reasoning_content")),
    )
)

DeepSeek = endpoint(
    Endpoint(
        name="DeepSeek",
        variable="DEEPSEEK",
        base_url="https://api.deepseek.com/v1",
        manners=Manners(shape="json_object", thoughts_back="reasoning_content"),
        output=8_192,
    )
)

XAI = endpoint(
    Endpoint(
        name="xAI",
        variable="XAI",
        base_url="https://api.x.ai/v1",
        manners=Manners(limit_key="max_completion_tokens"),
    )
)

Qwen = endpoint(
    Endpoint(
        name="Qwen",
        variable="QWEN",
        vendor_key="DASHSCOPE_API_KEY",
        base_url="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        manners=Manners(shape="json_object"),
        output=8_192,
    )
)

Custom = endpoint(Endpoint(name="Custom", variable="CUSTOM"))

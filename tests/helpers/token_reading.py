"""A second implementation of what a model reads of an answer, and of counting it."""

import json

from rs_bpe import openai

_VOCABULARY = openai.o200k_base()


def tokens(text):
    return _VOCABULARY.count(text)


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def of_result(answer):
    """Return the tokens of an answer to a call."""
    if "error" in answer:
        return tokens(compact(answer["error"]))
    result = _without(answer["result"], "_meta")
    result["content"] = [_block(block) for block in result["content"]]
    forms = [result]
    if "structuredContent" in result and _repeats(result):
        forms = [_without(result, "structuredContent"), {**result, "content": []}]
    return max(tokens(compact(form)) for form in forms)


def _repeats(result):
    """Return whether the structured content says what the text blocks say, maybe in a wrapper."""
    said = result["structuredContent"]
    texts = [block["text"] for block in result["content"]]
    values = [_value(text) for text in texts]
    inner = next(iter(said.values())) if len(said) == 1 else said
    return any(one in (texts[0], values[0], values) for one in (said, inner))


def _value(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def _block(block):
    if block["type"] in ("image", "audio"):
        block = _without(block, "data")
    return _without(block, "_meta", "icons")


def of_list(answer):
    result = _without(answer["result"], "_meta")
    result["tools"] = [_without(tool, "_meta", "icons") for tool in result["tools"]]
    return tokens(compact(result))


def of_greeting(answer):
    return tokens(answer["result"].get("instructions", ""))


def _without(members, *names):
    return {name: value for name, value in members.items() if name not in names}

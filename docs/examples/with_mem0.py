#!/usr/bin/env python3
"""The memory library mem0 as a method: lamp-eval run --method "exec:python3 with_mem0.py" --model PROVIDER/ID

What a user did goes into mem0 with `add`; a question is answered from what `search` finds. mem0's own calls for facts are asked of the
run's model, so that they are stored, capped and billed with the run: `memory.llm` is replaced by a class with mem0's `generate_response`.
Texts are embedded by mem0, here by a local model, which costs nothing and is not in the bill.

Written for mem0ai 1.x (pip install "mem0ai<2" sentence-transformers). The project's test runs it with a stub that has these calls, not
with mem0 itself. stdout is for messages of the protocol (docs/EXTENDING.md) only.
"""
import contextlib
import json
import sys
import tempfile

MEMORIES = 10  # found for a question

protocol = sys.stdout
waiting = []  # lines that came while an ask was open
open_question = None
asks = 0


def send(message):
    print(json.dumps(message), file=protocol, flush=True)


def lines():
    while True:
        if waiting:
            yield waiting.pop(0)
            continue
        line = sys.stdin.readline()
        if line == "":
            return
        yield json.loads(line)


def ask(messages, max_tokens=None):
    """The run's model on behalf of the open question."""
    global asks
    asks += 1
    name = f"ask-{asks}"
    system = "\n\n".join(m["content"] for m in messages if m["role"] == "system")
    turns = [{"role": m["role"], "content": m["content"]} for m in messages if m["role"] != "system"]
    request = {"messages": turns or [{"role": "user", "content": system}]}
    if turns and system:
        request["system"] = system
    if max_tokens is not None:
        request["maxTokens"] = max_tokens
    send({"type": "ask", "ask": name, "id": open_question, "request": request})
    for line in iter(sys.stdin.readline, ""):
        message = json.loads(line)
        if message["type"] == "reply" and message["ask"] == name:
            if "error" in message:
                raise RuntimeError(message["error"])
            return message["text"]
        waiting.append(message)
    raise RuntimeError("lamp-eval closed the line")


class RunModel:
    """What mem0 calls its llm: generate_response(messages, response_format, tools, tool_choice) gives a text."""

    def generate_response(self, messages, response_format=None, tools=None, tool_choice="auto", **_):
        return ask(messages)


def opened_memory():
    from mem0 import Memory

    memory = Memory.from_config(
        {
            "llm": {"provider": "openai", "config": {"api_key": "replaced below"}},
            "embedder": {"provider": "huggingface", "config": {"model": "sentence-transformers/all-MiniLM-L6-v2"}},
            "vector_store": {"provider": "qdrant", "config": {"path": tempfile.mkdtemp(), "embedding_model_dims": 384}},
        }
    )
    memory.llm = RunModel()
    return memory


def text_of(event):
    parts = [f"{name}: {value}" for name, value in event["fields"].items() if name not in ("id", "date")]
    return "; ".join(parts if event.get("date") is None else [event["date"], *parts])


def answer(memory, task, histories, added, question):
    unit = question["unit"]
    if unit not in added:  # at the unit's first question: every call belongs to a question
        for event in histories[unit]:
            memory.add([{"role": "user", "content": text_of(event)}], user_id=unit)
        added.add(unit)
    found = memory.search(question["content"], user_id=unit, limit=MEMORIES)["results"]
    known = "\n".join(f"- {one['memory']}" for one in found)
    content = f"What is known of this user:\n{known}\n\n{question['text']}" if known else question["text"]
    return ask([{"role": "user", "content": content}], task["maxAnswerTokens"])


def main():
    global open_question
    memory, task, histories, added = None, None, {}, set()
    for message in lines():
        if message["type"] == "hello":
            task = message["task"]
            memory = opened_memory()
        elif message["type"] == "user":
            histories[message["unit"]] = message["history"]
        elif message["type"] == "question":
            open_question = message["id"]
            try:
                send({"id": open_question, "output": answer(memory, task, histories, added, message)})
            except Exception as error:  # a failed row, asked again by the next run
                send({"id": open_question, "error": str(error)})


with contextlib.redirect_stdout(sys.stderr):  # what a library prints is no message
    main()

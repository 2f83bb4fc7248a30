#!/usr/bin/env python3
"""mem0 as a method: lamp-eval run --method "exec:python3 with_mem0.py" --set exec.door=on --model PROVIDER/ID

What a user did goes into mem0 with `add`; a question is answered from what `search` finds. mem0 calls the model and the encoder at
OPENAI_BASE_URL, which is the run's door: its calls are counted, capped and replayed. Needs `pip install mem0ai==2.2.1`. Its prompt of
extraction has about 8,500 tokens. stdout is for messages of the protocol (docs/EXTENDING.md) only.
"""
import contextlib
import json
import os
import sys

BATCH = 10  # history items that are added at a time
MEMORIES = 10  # found for a question

protocol = sys.stdout


def send(message):
    print(json.dumps(message), file=protocol, flush=True)


def opened_memory(hello):
    os.environ["MEM0_TELEMETRY"] = "False"
    os.environ["MEM0_DIR"] = hello["folder"]
    from mem0 import Memory
    from mem0.configs import prompts

    prompts._resolve_dates = lambda *_, **__: (hello["date"], hello["date"])  # today's date would be another in a resumed run
    size = hello["embedder"]["dimensions"]
    return Memory.from_config(
        {
            "llm": {"provider": "openai", "config": {"model": "run"}},
            "embedder": {"provider": "openai", "config": {"model": "run", "embedding_dims": size}},
            "vector_store": {
                "provider": "qdrant",
                "config": {"path": os.path.join(hello["folder"], "vectors"), "embedding_model_dims": size},
            },
            "history_db_path": os.path.join(hello["folder"], "history.db"),
        }
    )


def text_of(event):
    parts = [f"{name}: {value}" for name, value in event["fields"].items() if name not in ("id", "date")]
    return "; ".join(parts if event.get("date") is None else [event["date"], *parts])


def ingest(memory, unit, history):
    for start in range(0, len(history), BATCH):
        turns = [{"role": "user", "content": text_of(event)} for event in history[start : start + BATCH]]
        memory.add(turns, user_id=unit)


def answer(memory, client, task, question):
    found = memory.search(question["content"], filters={"user_id": question["unit"]}, top_k=MEMORIES)["results"]
    known = "\n".join(f"- {one['memory']}" for one in found)
    content = f"What is known of this user:\n{known}\n\n{question['text']}" if known else question["text"]
    reply = client.chat.completions.create(
        model="run", messages=[{"role": "user", "content": content}], max_tokens=task["maxAnswerTokens"]
    )
    return reply.choices[0].message.content


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            from openai import OpenAI

            send({"type": "hello", "calls": "door"})
            memory, client, task = opened_memory(message), OpenAI(), message["task"]
        elif message["type"] == "user":
            ingest(memory, message["unit"], message["history"])
            send({"type": "ready", "unit": message["unit"]})
        elif message["type"] == "question":
            send({"id": message["id"], "output": answer(memory, client, task, message)})


with contextlib.redirect_stdout(sys.stderr):  # what a library prints is no message
    main()

#!/usr/bin/env python3
"""LangMem as a method: lamp-eval run --method "exec:python3 with_langmem.py" --set exec.door=on --model PROVIDER/ID

A store manager makes memories of what a user did, by tools that the model calls; a question is answered from what the store finds.
Model and encoder are asked at OPENAI_BASE_URL, which is the run's door. Needs `pip install langmem==0.0.30 langchain-openai`, and a
model that calls tools. stdout is for messages of the protocol (docs/EXTENDING.md) only.
"""
import contextlib
import json
import os
import sys

BATCH = 10  # history items that are shown at a time
MEMORIES = 10  # found for a question

protocol = sys.stdout


def send(message):
    print(json.dumps(message), file=protocol, flush=True)


class System:
    def __init__(self, hello):
        os.environ["LANGSMITH_TRACING"] = "false"
        from langchain_openai import ChatOpenAI, OpenAIEmbeddings
        from langgraph.store.memory import InMemoryStore
        from langmem import create_memory_store_manager

        vectors = OpenAIEmbeddings(model="run", check_embedding_ctx_length=False)  # texts, not tokens
        self.model = ChatOpenAI(model="run")
        self.store = InMemoryStore(index={"dims": hello["embedder"]["dimensions"], "embed": vectors})
        self.manager = create_memory_store_manager(self.model, namespace=("{user}",), store=self.store)
        self.length = hello["task"]["maxAnswerTokens"]

    def ingest(self, unit, history):
        for start in range(0, len(history), BATCH):
            turns = [{"role": "user", "content": text_of(event)} for event in history[start : start + BATCH]]
            self.manager.invoke({"messages": turns}, config={"configurable": {"user": name_of(unit)}})

    def answer(self, question):
        found = self.store.search((name_of(question["unit"]),), query=question["content"], limit=MEMORIES)
        known = "\n".join(f"- {json.dumps(one.value['content'])}" for one in found)
        content = f"What is known of this user:\n{known}\n\n{question['text']}" if known else question["text"]
        return self.model.invoke(content, max_tokens=self.length).content


def name_of(unit):
    return unit.replace(".", "_")  # a namespace has no dots


def text_of(event):
    parts = [f"{name}: {value}" for name, value in event["fields"].items() if name not in ("id", "date")]
    return "; ".join(parts if event.get("date") is None else [event["date"], *parts])


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            send({"type": "hello", "calls": "door"})
            system = System(message)
        elif message["type"] == "user":
            system.ingest(message["unit"], message["history"])
            send({"type": "ready", "unit": message["unit"]})
        elif message["type"] == "question":
            send({"id": message["id"], "output": system.answer(message)})


with contextlib.redirect_stdout(sys.stderr):  # what a library prints is no message
    main()

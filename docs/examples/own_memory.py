#!/usr/bin/env python3
"""A memory system of your own: lamp-eval run --method "exec:python3 own_memory.py" --set exec.door=on --model PROVIDER/ID

It keeps one sentence about each ten history items, and shows all of them with a question. Both calls go to the address in
OPENAI_BASE_URL, which is the run's. stdout is for messages of the protocol (docs/EXTENDING.md) only.
"""
import json
import os
import sys
import urllib.request

notes = {}


def ask(content, max_tokens):
    body = json.dumps({"messages": [{"role": "user", "content": content}], "max_tokens": max_tokens}).encode()
    headers = {"content-type": "application/json", "authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
    request = urllib.request.Request(f"{os.environ['OPENAI_BASE_URL']}/chat/completions", body, headers)
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)["choices"][0]["message"]["content"]


def send(message):
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        length = message["task"]["maxAnswerTokens"]
        send({"type": "hello", "calls": "door"})
    elif message["type"] == "user":
        items = [json.dumps([event["fields"], event.get("label")]) for event in message["history"]]
        parts = ["\n".join(items[start : start + 10]) for start in range(0, len(items), 10)]
        notes[message["unit"]] = [ask(f"Say in one sentence what this user likes:\n{part}", 60) for part in parts]
        send({"type": "ready", "unit": message["unit"]})
    elif message["type"] == "question":
        known = "\n".join(notes[message["unit"]])
        send({"id": message["id"], "output": ask(f"About the user:\n{known}\n\n{message['text']}", length)})

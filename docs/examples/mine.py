#!/usr/bin/env python3
"""A method of your own for `lamp-eval run --method exec:./mine.py`: answers as the user did for the most similar past item.

The protocol is in docs/EXTENDING.md. stdout is for messages only; print anything else on stderr.
"""
import json
import re
import sys

histories = {}


def words(text):
    return set(re.findall(r"\w+", text.lower()))


def answer(question):
    asked = words(question["content"])
    best, most = "", -1.0
    for event in histories[question["unit"]]:
        if "label" not in event:
            continue
        past = words(" ".join(value for name, value in event["fields"].items() if name != "id"))
        overlap = len(asked & past) / (1 + len(past))
        if overlap >= most:  # the later one where two are equal
            best, most = event["label"], overlap
    return best


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "calls": "ask"}), flush=True)  # it makes no calls of its own
    elif message["type"] == "user":
        histories[message["unit"]] = message["history"]
    elif message["type"] == "question":
        print(json.dumps({"id": message["id"], "output": answer(message)}), flush=True)

"""Starts llama.cpp's server for one model on 127.0.0.1 and prints "ready" once it answers.

python serve.py MODEL.gguf PORT [--slots 2] [--ctx 4096] [--threads 2] [--key SECRET] [--name NAME] [--embedding]
"""
import argparse
import signal
import sys

import xllamacpp

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("port", type=int)
parser.add_argument("--slots", type=int, default=2, help="calls answered at a time")
parser.add_argument("--ctx", type=int, default=4096, help="tokens of context in each slot")
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--key", default="", help="the one API key that is taken")
parser.add_argument("--name", default="", help="the model's name in replies, instead of its path")
parser.add_argument("--embedding", action="store_true", help="serve /v1/embeddings")
given = parser.parse_args()

params = xllamacpp.CommonParams()
params.model.path = given.model
params.n_ctx = given.ctx * given.slots
params.n_parallel = given.slots
params.port = given.port
params.cpuparams.n_threads = given.threads
params.cpuparams_batch.n_threads = given.threads
params.use_jinja = True
params.embedding = given.embedding
if given.name:
    params.model_alias = {given.name}
if given.key:
    params.api_keys = [given.key]

server = xllamacpp.Server(params)
print("ready", server.listening_address, flush=True)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
signal.pause()

#!/bin/sh
# Fails where this task's results are worse than baseline.json. Exit code: 0 pass, 10 worse, 2 wrong use (docs/RELIABILITY.md).
# GitHub: a step behind actions/checkout and actions/setup-node: "- run: sh FOLDER/ci.sh". GitLab: a job with "image: node:22" and
# "script: [sh FOLDER/ci.sh]". A model needs its key in the environment; a recorded run needs none (docs/HOW-TO.md).
set -e
command=${LAMP_EVAL:-lamp-eval}
$command run --config FOLDER/lamp-eval.yaml --out FOLDER/results/ci
$command gate FOLDER/results/ci --baseline FOLDER/baseline.json --junit FOLDER/results/ci/junit.xml

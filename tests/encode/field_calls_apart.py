"""The calls of frozen field cases that need a process: a case comes in, what it gives goes out.

    python tests/encode/field_calls_apart.py < CASE.json

`expected` says what holds of it; the case holds the whole file of its tokenizer.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from field_calls import CALLS as PLAIN
from field_calls import apply, columns, written

import maxmunch as mm

Case = dict[str, Any]
BEGUN = time.perf_counter()


def prepare(tok: mm.Tokenizer, steps: list[list[Any]]) -> None:
    """Change a tokenizer step by step; `add_many` adds numbered tokens."""
    for step in steps:
        if step[0] == "add_many":
            tok.add_tokens([f"{step[1]}{number}]" for number in range(step[2])])
        else:
            apply(tok, [step])


def seconds(tok: mm.Tokenizer, text: str) -> float:
    """Return the seconds of processor that a text takes, which do not depend on what else runs."""
    begun = time.process_time()
    _ = tok.encode(text, add_special_tokens=False).ids
    return time.process_time() - begun


def scaling(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    """Compare the time of a text with that of one that is `factor` times as long."""

    def made(times: int) -> str:
        text: str = given.get("before", "") + given["repeat"] * times + given.get("after", "")
        return text

    short = max(min(seconds(tok, made(given["n"])) for _ in range(3)), 1e-4)
    long = min(seconds(tok, made(given["n"] * given["factor"])) for _ in range(2))
    return {"ratio": long / short}


def timed(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    """Encode everything of a text; the time of the setup counts."""
    found = columns(tok.encode(written(given["text"])), None)
    return {"seconds": time.perf_counter() - BEGUN, "n": len(found["ids"])}


def resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def memory(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    """Return by how much memory grows over texts of words that never come twice."""
    numbers = range(given["warm"] + given["count"])
    texts = (f"{given['word']}{number:07d} " * given["repeat"] for number in numbers)
    before = 0.0
    for number, text in enumerate(texts):
        if number == given["warm"]:
            before = resident()
        tok.encode(text)
    return {"growth_mb": resident() - before}


def threads(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    """Encode in threads, while every second of them changes the truncation if so asked."""
    right = tok.encode(given["text"]).ids
    found: list[bool] = []
    errors: list[str] = []
    end = time.monotonic() + given["seconds"]

    def once(number: int) -> None:
        if number % 2 and given.get("reconfigure"):
            tok.enable_truncation(10**6)
            tok.no_truncation()
        else:
            tok.encode_batch([given["text"] * 200] * 4)
            found.append(tok.encode(given["text"]).ids == right)

    def work(number: int) -> None:
        try:
            while time.monotonic() < end:
                once(number)
        except BaseException as error:  # noqa: BLE001 (a panic counts, too)
            errors.append(repr(error))

    workers = [threading.Thread(target=work, args=(k,)) for k in range(given["threads"])]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return {"no_errors": not errors, "no_wrong": all(found)}


def fork(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    """Encode a batch, and again in a forked child."""
    os.environ.pop("TOKENIZERS_PARALLELISM", None)
    os.environ.update(given.get("env", {}))
    batch = [given["text"]] * 64
    tok.encode_batch(batch)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, json.dumps(tok.encode_batch(batch)[0].ids).encode())
        finally:
            os._exit(0)
    os.close(writer)
    end = time.monotonic() + given["seconds"]
    while not (done := os.waitpid(child, os.WNOHANG)[0] == child) and time.monotonic() < end:
        time.sleep(0.05)
    if not done:
        os.kill(child, 9)
        os.waitpid(child, 0)
        return {"child_finished": False, "same_ids": False}
    ids = json.loads(os.read(reader, 1 << 20))
    return {"child_finished": True, "same_ids": ids == tok.encode(given["text"]).ids}


def words_no_numpy(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    sys.modules["numpy"] = None  # type: ignore[assignment]
    return {"ids": tok.encode(given["words"], is_pretokenized=True).ids}


def one_cpu(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    return {"n": len(tok.encode(written(given["text"]), add_special_tokens=False).ids)}


APART = {
    "fork": fork,
    "memory": memory,
    "one_cpu": one_cpu,
    "scaling": scaling,
    "threads": threads,
    "timed": timed,
    "words_no_numpy": words_no_numpy,
}


def main() -> None:
    """Run the case that is read, and write what it gives."""
    case = json.load(sys.stdin)
    tok = mm.Tokenizer.from_str(json.dumps(case["tokenizer"]))
    prepare(tok, case.get("setup", []))
    call = APART.get(case["call"]) or PLAIN[case["call"]]
    json.dump(call(tok, case["input"]), sys.stdout)


if __name__ == "__main__":
    main()

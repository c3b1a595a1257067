"""An attempt in a process of its own, which can be ended at any moment.

HiGHS looks for interrupts in its simplex and interior point methods only; a first-order solve of an
hour would keep Ctrl-C, the time limit and a failing callback waiting. What the solver does to its
process (a crash, all memory taken) stays there, too.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import pickle
import subprocess
import sys
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from maxmunch.lp.highs import Attempt, Outcome, attempt, peak_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["attempt_apart", "serve"]

# How often the caller looks up, and how long after its time a solver may take to notice.
PERIOD_SECONDS = 0.25
GRACE_SECONDS = 2.0

# The path comes first: what follows it is pickled, and needs this package to be read.
START = (
    "import json, sys; sys.path[:] = json.loads(sys.stdin.buffer.readline());"
    " from maxmunch.lp.process import serve; serve()"
)


def attempt_apart(asked: Attempt, watch: Callable[[], object]) -> Outcome:
    """Return what a solver in another process makes of it; `watch` is called while it works.

    Whatever `watch` raises, and Ctrl-C, ends the solver at once and is raised here.
    """
    until = None if asked.seconds is None else time.monotonic() + asked.seconds + GRACE_SECONDS
    answer: list[bytes] = []
    with subprocess.Popen(  # noqa: S603 - this interpreter, on this package
        [sys.executable, "-c", START],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # Ctrl-C in a terminal is for the caller, who ends the solver.
        start_new_session=True,
    ) as solver:
        # Both pipes at once: `communicate` loses what of a long input is left at its timeout.
        talk = threading.Thread(target=_talk, args=(solver, asked, answer), daemon=True)
        try:
            talk.start()
            while talk.is_alive():
                talk.join(PERIOD_SECONDS)
                watch()
                if until is not None and time.monotonic() > until:
                    return Outcome("stopped at its time limit", out_of_time=True)
        finally:
            # An ended process takes no harm from this.
            solver.kill()
            talk.join()
    if not answer:
        return Outcome(f"a crash: its process ended with {solver.returncode}")
    outcome: Outcome = pickle.loads(answer[0])  # noqa: S301 - our own process wrote it
    return outcome


def _talk(solver: subprocess.Popen[bytes], asked: Attempt, answer: list[bytes]) -> None:
    """Send the task, and put the answer into `answer` if one comes."""
    if solver.stdin is None or solver.stdout is None:
        return
    # A solver that has ended reads nothing.
    with contextlib.suppress(BrokenPipeError), solver.stdin as task:
        task.write(json.dumps(sys.path).encode() + b"\n")
        pickle.dump(asked, task, 5)
    found = solver.stdout.read()
    # An answer is whole when its last byte, which ends every pickle, is there.
    if found.endswith(pickle.STOP):
        answer.append(found)


def serve() -> None:
    """Read an attempt from standard input, write its outcome to standard output."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    asked: Attempt = pickle.load(sys.stdin.buffer)  # noqa: S301 - the caller wrote it
    # The library prints where the answer goes.
    with open(os.dup(1), "wb") as output, open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), 1)
        outcome = replace(attempt(asked), peak_bytes=peak_bytes())
        buffer = io.BytesIO()
        pickle.dump(outcome, buffer, 5)
        output.write(buffer.getbuffer())


def _end_with(parent: int) -> None:
    """End this process when its parent is gone: nobody waits for the answer."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)

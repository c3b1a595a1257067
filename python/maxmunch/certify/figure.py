"""One figure of a paper: its value beside ours, with a verdict. Imports nothing of maxmunch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

_Verdict = Literal["same", "differs", "not reproducible"]


@dataclass(frozen=True)
class Figure:
    """One figure.

    Attributes:
        name: What is measured.
        paper: The paper's value, in words.
        ours: Our value, in words.
        verdict: `"same"`, `"differs"` or `"not reproducible"`.
        because: The reason, empty for `"same"`.
    """

    name: str
    paper: str
    ours: str
    verdict: _Verdict
    because: str = ""


def figure(name: str, paper: object, ours: object, because: str = "") -> Figure:
    """Return the figure with the verdict that the two values give; `because` is for `differs`."""
    verdict: _Verdict = "same" if str(paper) == str(ours) else "differs"
    return Figure(name, str(paper), str(ours), verdict, because if verdict == "differs" else "")

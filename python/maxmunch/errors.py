"""The exceptions of maxmunch, all under one root.

::

    MaxmunchError
    ├── UnsupportedTokenizerError (ValueError)   .json_path
    ├── InvalidTokenizerError     (ValueError)   .json_path
    ├── InvalidArgumentError      (ValueError)   .name
    ├── InvalidTokenSetError      (ValueError)
    ├── UntokenizableError        (ValueError)   .position, .starts
    ├── CertificateError          (ValueError)
    ├── LimitError                               .limit
    ├── TrainingError
    └── InternalError

Every message says which value was met, which rule it breaks, and what helps; the facts that a
program may want are attributes. The compiled core raises these very classes. This module imports
nothing of maxmunch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "CertificateError",
    "InternalError",
    "InvalidArgumentError",
    "InvalidTokenSetError",
    "InvalidTokenizerError",
    "LimitError",
    "MaxmunchError",
    "TrainingError",
    "UnsupportedTokenizerError",
    "UntokenizableError",
]


class MaxmunchError(Exception):
    """Anything that maxmunch refuses or cannot finish."""


class UnsupportedTokenizerError(MaxmunchError, ValueError):
    """A well-formed tokenizer file asks for what maxmunch does not reproduce id for id."""

    def __init__(self, message: str, json_path: str = "$") -> None:
        super().__init__(message)
        self.json_path = json_path


class InvalidTokenizerError(MaxmunchError, ValueError):
    """A tokenizer file is malformed: not JSON, a missing field, a value of the wrong kind."""

    def __init__(self, message: str, json_path: str = "$") -> None:
        super().__init__(message)
        self.json_path = json_path


class InvalidArgumentError(MaxmunchError, ValueError):
    """An argument lies outside its range."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name


class InvalidTokenSetError(MaxmunchError, ValueError):
    """A token set is empty, holds an empty token or nullable pattern, or has a bad pattern."""


class UntokenizableError(MaxmunchError, ValueError):
    """The scan got stuck at byte `position`; `starts` are the tokens committed before it."""

    def __init__(self, message: str, position: int = 0, starts: Sequence[int] = ()) -> None:
        super().__init__(message)
        self.position = position
        self.starts = list(starts)


class CertificateError(MaxmunchError, ValueError):
    """A certificate or inventory belongs to another token set, or is damaged."""


class LimitError(MaxmunchError):
    """A state, byte or time limit was reached; `limit` names the argument that raises it."""

    def __init__(self, message: str, limit: str = "") -> None:
        super().__init__(message)
        self.limit = limit


class TrainingError(MaxmunchError):
    """Training cannot give what was asked for; a checkpoint, where one was asked for, is kept."""


class InternalError(MaxmunchError):
    """A bug in maxmunch. The core never panics into Python and never aborts: it raises this."""

"""Certificates: what proves a lower bound, saved, loaded and checked in integers.

The checker works out the candidates for itself and shares no code with what found the multipliers.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmunch import _core
from maxmunch.corpus.counts import write_whole
from maxmunch.errors import CertificateError
from maxmunch.train.options import BYTES, Choice

if TYPE_CHECKING:
    import os

    from maxmunch.corpus.counts import PretokenCounts

__all__ = ["Bound", "Certificate", "check_bound"]

MAGIC = b"maxmunch bound certificate\n"
VERSION = 3
DIGEST_BYTES = 32
MOST = (1 << 63) - 1


@dataclass(frozen=True)
class Bound:
    """A proven lower bound.

    Attributes:
        value: Tokens that no greedy vocabulary of the scope goes below.
        scope: What exactly it bounds: pretokens, size, rules.
    """

    value: int
    scope: str


@dataclass(frozen=True, repr=False)
class Certificate:
    """Multipliers that prove a lower bound for every vocabulary of a size.

    Attributes:
        counts_sha256: Fingerprint of the counts it was made for.
        top: The bound is for this many of the most frequent pretokens; None for all.
        choice: Size and rules of the vocabularies it speaks of.
        numbers: How many multipliers it has: one for each occurrence of a candidate, and one for
            each byte, of the distinct pretokens of two bytes or more.
        multipliers: The price of a place in the vocabulary and the multipliers, packed.
        parts: Parts that are proven by cases, each case with multipliers of its own, packed.
    """

    counts_sha256: str
    top: int | None
    choice: Choice
    numbers: int
    multipliers: bytes
    parts: bytes = b""

    def __repr__(self) -> str:
        size = self.choice.vocab_size
        return f"Certificate({size:,} tokens, {self.numbers:,} multipliers)"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate; it replaces `path` only once it is complete.

        Raises:
            OSError: The file cannot be written; what was at `path` is kept.
        """
        choice = asdict(self.choice)
        for name in ("pinned", "forbidden"):
            choice[name] = [token.hex() for token in choice[name]]
        choice["splittable"] = self.choice.splittable.hex()
        header: dict[str, Any] = {
            "version": VERSION,
            "counts_sha256": self.counts_sha256,
            "top": self.top,
            "numbers": self.numbers,
            "parts": len(self.parts),
            "choice": choice,
        }
        packed = zlib.compress(self.multipliers + self.parts, 1)
        body = MAGIC + json.dumps(header).encode() + b"\n" + packed
        write_whole(path, [body, hashlib.sha256(body).digest()])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Certificate:
        """Return the certificate that `save` wrote to `path`.

        Raises:
            CertificateError: The file is none, is of another version, or is damaged.
            OSError: The file cannot be read.
        """
        data = Path(path).read_bytes()
        body, digest = data[:-DIGEST_BYTES], data[-DIGEST_BYTES:]
        if not data.startswith(MAGIC) or hashlib.sha256(body).digest() != digest:
            message = f"{path} is not a certificate of a bound, or is damaged; make it again"
            raise CertificateError(message)
        try:
            return cls._read(path, body[len(MAGIC) :])
        except CertificateError:
            raise
        except (ValueError, LookupError, TypeError, AttributeError, zlib.error) as error:
            # The digest is whole, so that this was written by something else.
            message = f"{path} is not a certificate of a bound ({error!r}); make it again"
            raise CertificateError(message) from error

    @classmethod
    def _read(cls, path: str | os.PathLike[str], body: bytes) -> Certificate:
        """Return the certificate of a body whose digest is right."""
        head, _, packed = body.partition(b"\n")
        header = json.loads(head)
        if header["version"] != VERSION:
            message = f"{path} has version {header['version']}, this program reads {VERSION}"
            raise CertificateError(message)
        choice = header["choice"]
        numbers = (header["top"] or 0, header["numbers"], choice["vocab_size"])
        if any(type(number) is not int or not 0 <= number <= MOST for number in numbers):
            raise ValueError(f"{numbers} are no whole numbers from 0 to {MOST}")
        for name in ("pinned", "forbidden"):
            choice[name] = [bytes.fromhex(token) for token in choice[name]]
        choice["splittable"] = bytes.fromhex(choice["splittable"])
        packed = zlib.decompress(packed)
        first = len(packed) - header["parts"]
        return cls(
            header["counts_sha256"],
            header["top"],
            Choice(**choice),
            header["numbers"],
            packed[:first],
            packed[first:],
        )


def check_bound(certificate: Certificate, counts: PretokenCounts) -> Bound:
    """Return the bound that the certificate proves, recomputed from the counts in integers.

    Nothing that found the certificate is trusted: candidates, paths and weights are worked out
    anew, multipliers that must not be negative are refused when they are, and so are cases that
    leave a vocabulary out.

    Raises:
        CertificateError: It was made for other counts, or its multipliers do not fit them.

    Complexity: one look-up for each substring of each distinct pretoken.
    Source: Theorem "Bound" in docs/concepts/training.md.
    """
    if counts.fingerprint != certificate.counts_sha256:
        message = "the certificate was made for other counts; give the counts of its training"
        raise CertificateError(message)
    choice, top = certificate.choice, certificate.top
    scope = counts if top is None else counts.top(top)
    value = _core.check_bound(
        scope._table,  # noqa: SLF001 - the two modules are one flow
        token_rules(choice),
        budget=choice.budget,
        multipliers=certificate.multipliers,
        numbers=certificate.numbers,
        parts=certificate.parts,
    )
    return Bound(value, bound_scope(counts, scope, choice))


def token_rules(choice: Choice) -> _core.TokenRules:
    """Return the rules of a choice as the core takes them."""
    return _core.TokenRules(
        max_token_bytes=choice.max_token_bytes,
        valid_utf8=choice.valid_utf8,
        forbidden=choice.forbidden,
        pinned=choice.pinned,
        splittable=choice.splittable,
        split_after=choice.split_after,
    )


def scope_text(counts: PretokenCounts, scope: PretokenCounts) -> str:
    """Return in words which pretokens `scope` holds of the text that `counts` was made from.

    `counts` itself may be the most frequent part of a table, or lack what a memory limit dropped.
    """
    share = 100 * scope.total / counts.text_total
    of = counts.text_distinct or (None if counts.left_out or counts.dropped else len(counts))
    if scope.total == counts.text_total:
        which = f"all {len(scope):,} distinct pretokens"
    elif of is not None:
        which = f"the {len(scope):,} most frequent of {of:,} distinct pretokens"
    else:
        which = f"{len(scope):,} distinct pretokens of a text that has more"
    return f"{which}, {scope.total:,} occurrences ({share:.2f} % of the text's)"


def bound_scope(counts: PretokenCounts, scope: PretokenCounts, choice: Choice) -> str:
    """Return in words what a bound speaks of."""
    rules = [f"at most {choice.max_token_bytes} bytes a token"]
    rules += ["whole characters"] if choice.valid_utf8 else []
    rules += [f"{len(choice.pinned)} pinned"] if choice.pinned else []
    rules += [f"{len(choice.forbidden)} forbidden"] if choice.forbidden else []
    place = "end" if choice.split_after else "start"
    rules += [f"{choice.splittable!r} at the {place} only"] if choice.splittable else []
    return (
        f"greedy longest match with the {BYTES} bytes and at most {choice.budget:,} other tokens"
        f" ({', '.join(rules)}) on {scope_text(counts, scope)}"
    )

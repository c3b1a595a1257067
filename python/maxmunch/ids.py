"""Ids and nothing else: the calls of a tokenizer that compute no offsets and no token texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxmunch.arguments import thread_count
from maxmunch.encoding import RaggedIds
from maxmunch.errors import InvalidArgumentError
from maxmunch.state import TokenizerState

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    import numpy.typing as npt

    from maxmunch.arguments import Specials

__all__ = ["GivesIds"]


class GivesIds(TokenizerState):
    """The calls of a tokenizer that give ids, or count them."""

    def encode_ids(
        self,
        text: str | bytes,
        *,
        add_special_tokens: bool = True,
        specials: Specials = "parse",
        threads: int = 1,
    ) -> npt.NDArray[np.uint32]:
        """Return the ids of `encode(text)`, and nothing else.

        Args:
            text: The text; `bytes` must be valid UTF-8.
            add_special_tokens: Whether the post-processor adds its tokens.
            specials: As in `encode`.
            threads: Threads for this one text; its ids are the same for every number. One does
                the work today.

        Returns:
            uint32, shape (n_ids,).
        """
        thread_count(threads)
        return self._core.encode_ids(text, add_special_tokens, self._policy(specials))

    def encode_ids_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        add_special_tokens: bool = True,
        specials: Specials = "parse",
        threads: int | None = None,
    ) -> RaggedIds:
        """Return the ids of many texts in one array; same ids for every number of threads.

        Args:
            texts: The texts; `bytes` must be valid UTF-8.
            add_special_tokens: Whether the post-processor adds its tokens.
            specials: As in `encode`.
            threads: Threads to use; every core by default.
        """
        if isinstance(texts, str | bytes):
            raise InvalidArgumentError("texts: a single text; give a list of texts", "texts")
        policy = self._policy(specials)
        return RaggedIds(
            *self._core.encode_ids_batch(
                list(texts), add_special_tokens, policy, thread_count(threads)
            )
        )

    def count_tokens(self, text: str | bytes, *, add_special_tokens: bool = True) -> int:
        """Return the number of ids that `encode_ids(text)` has."""
        return self._core.count_tokens(text, add_special_tokens, self._policy("parse"))

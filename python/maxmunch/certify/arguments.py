"""Arguments of the certify flow in the form that the core reads; imports nothing of the flow."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    import mmap

    import numpy as np
    import numpy.typing as npt

    Window: TypeAlias = bytes | str | bytearray | memoryview
    Data: TypeAlias = bytes | str | bytearray | memoryview | mmap.mmap | npt.NDArray[np.uint8]

__all__ = [
    "as_data",
    "bytes_of_mask",
    "checked_limits",
    "checked_number",
    "one_byte",
    "window_bytes",
]

_LAST_BYTE = 0xFF
_MOST = (1 << 63) - 1


def as_data(data: Data) -> bytes | str | npt.NDArray[np.uint8]:
    """Return `data` in a form that the core borrows without copying."""
    if isinstance(data, bytes | str):
        return data
    import numpy as np

    if isinstance(data, np.ndarray):
        if data.dtype != np.uint8 or data.ndim != 1:
            raise InvalidArgumentError(
                f"data: an array of {data.dtype} and {data.ndim} dimensions; give one dimension of "
                "uint8, or bytes",
                "data",
            )
        return np.ascontiguousarray(data)
    view = memoryview(data)
    if view.nbytes == 0:
        return b""
    return np.frombuffer(view, dtype=np.uint8)


def checked_number(name: str, value: int, rule: str, *, least: int, most: int | None = None) -> int:
    """Return `value`, or refuse it when it is outside `least .. most`."""
    if value < least or value > (_MOST if most is None else most):
        raise InvalidArgumentError(f"{name}: it is {value}; {rule}", name)
    return value


def checked_limits(
    max_states: int | None, time_limit: float | None, *, name: str = "max_states"
) -> tuple[int | None, float | None]:
    """Return both limits of a question, or refuse one that is negative or no number."""
    if max_states is not None:
        checked_number(name, max_states, "a number of states is 0 or more", least=0)
    if time_limit is not None and not time_limit >= 0:
        raise InvalidArgumentError(
            f"time_limit: it is {time_limit!r}; give seconds, 0 or more, or None for no limit",
            "time_limit",
        )
    return max_states, time_limit


def window_bytes(window: Window) -> bytes | str:
    """Return a window in a form that the core reads."""
    if isinstance(window, bytearray | memoryview):
        return bytes(window)
    return window


def bytes_of_mask(mask: bytes) -> bytes:
    """Return the bytes in a mask of 32 bytes, increasing."""
    return bytes(byte for byte in range(_LAST_BYTE + 1) if mask[byte >> 3] >> (byte & 7) & 1)


def one_byte(byte: bytes | int) -> int:
    """Return the value of one byte, given as bytes of length 1 or as a number."""
    if isinstance(byte, bytes) and len(byte) == 1:
        return byte[0]
    if isinstance(byte, int) and 0 <= byte <= _LAST_BYTE:
        return byte
    raise InvalidArgumentError(
        f"byte: {byte!r} is not one byte; give a bytes of length 1, or an int in 0 .. 255", "byte"
    )

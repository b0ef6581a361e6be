"""Exceptions, one for each status of the C interface."""

from __future__ import annotations


class Error(Exception):
    """Every error of Copse. The message names the function, the value and the limit."""


class InvalidArgument(Error, ValueError):
    """A value is outside of the documented range."""


class ArrayError(InvalidArgument, TypeError):
    """An array has a shape, a type or a device that the call does not take."""


class OutOfMemory(Error, MemoryError):
    """The host or the device could not give the requested bytes."""


class NoDevice(Error):
    """No GPU answers, or the library has no CUDA backend."""


class DeviceFailure(Error):
    """A launch, copy or driver call failed."""


class BadFile(Error, OSError):
    """A file cannot be read, written or trusted."""


class Capacity(Error, OverflowError):
    """A count is larger than the structure can hold."""


class Cancelled(Error):
    """The call was cancelled."""


class InternalError(Error):
    """An error that Copse did not expect."""


class ForkError(Error):
    """An object was made before a fork and is used in the child process."""


class StaleTree(Error):
    """The vertices were changed in place after the tree was made of them."""


class NoGpuWarning(UserWarning):
    """device="auto" took the CPU. The message says why."""


BY_STATUS = {
    1: InvalidArgument,
    2: OutOfMemory,
    3: NoDevice,
    4: DeviceFailure,
    5: BadFile,
    6: Capacity,
    7: Cancelled,
    8: InternalError,
}


def check_range(name: str, value: float, least: float, most: float) -> None:
    """Raises InvalidArgument unless a number is from `least` to `most`."""
    if not least <= value <= most:
        raise InvalidArgument(f"{name} is {value}; it can be {least} to {most}")

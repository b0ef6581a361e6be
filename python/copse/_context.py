"""Contexts: one per device and stream, made when they are needed."""

from __future__ import annotations

import os
import sys
import threading
import warnings
import weakref
from ctypes import byref, c_void_p
from types import FrameType
from typing import Any, Dict, Optional, Tuple

from ._errors import Error, ForkError, InvalidArgument, NoGpuWarning
from ._library import call, library
from ._structs import ContextOptions

_AUTOMATIC, _CPU, _CUDA = 0, 1, 2


def check_process(process: int, what: str) -> None:
    """Raises ForkError in a child process that was forked after an object was made."""
    if os.getpid() != process:
        raise ForkError(
            f"the {what} was made in process {process} and is used in its fork {os.getpid()}. Make it in the child "
            'process, or start processes by multiprocessing.get_context("spawn")'
        )


def _destroy(function: Any, address: Optional[int], process: int) -> None:
    if os.getpid() == process:
        function(address)


class Handle:
    """Owns an object of the library. It is destroyed with this, but not at the end of the program."""

    def __init__(self, kind: str, address: Optional[int]):
        self.kind, self.process, self._address = kind, os.getpid(), address
        finalizer = weakref.finalize(self, _destroy, getattr(library, f"copse_{kind}_destroy"), address, self.process)
        finalizer.atexit = False

    def __reduce__(self) -> Any:
        raise InvalidArgument(
            f"the {self.kind} is memory of the library in this process, so it can be neither copied nor pickled. A Scene can; "
            "make all else anew of its arrays"
        )

    @property
    def address(self) -> Optional[int]:
        check_process(self.process, self.kind)
        return self._address


class Context(Handle):
    """A device and a stream."""

    def __init__(self, backend: int, ordinal: int, stream: Optional[int]):
        options = ContextOptions(
            backend=backend, device=ordinal, stream=stream or None, has_stream=int(stream is not None)
        )
        made = c_void_p()
        call("copse_context_create", byref(options), byref(made))
        super().__init__("context", made.value)
        self.stream = stream  # of the caller, or None
        self.stream_owner: Any = None  # keeps the stream of the caller
        self.is_cuda = library.copse_context_backend(made) == _CUDA
        self.device = f"cuda:{ordinal}" if self.is_cuda else "cpu"
        self.name = library.copse_context_device_name(made).decode(errors="replace")

    def wait(self) -> None:
        call("copse_context_wait", self.address)


_contexts: Dict[Tuple[int, str, Optional[int]], Context] = {}
_lock = threading.Lock()
_has_warned = False
_why_no_gpu: Optional[str] = None


def _parse(device: str) -> Tuple[int, int]:
    """Returns backend and ordinal of "cpu", "cuda" or "cuda:N"."""
    kind, _, ordinal = str(device).partition(":")
    if kind == "cpu" and not ordinal:
        return _CPU, 0
    if kind == "cuda" and (ordinal == "" or ordinal.isdigit()):
        return _CUDA, int(ordinal or 0)
    raise InvalidArgument(f'device is {device!r}; it can be "auto", "cpu", "cuda" or "cuda:N"')


def context_of(device: str, stream: Optional[int] = None, stream_owner: Any = None) -> Context:
    """Returns the context of a device: on a stream of its own, or on a stream of the caller, which it keeps alive."""
    backend, ordinal = _parse(device)
    key = (os.getpid(), f"{backend}:{ordinal}", None if backend == _CPU else stream)
    with _lock:
        if key not in _contexts:
            _contexts[key] = Context(backend, ordinal, key[2])
            _contexts[key].stream_owner = stream_owner() if callable(stream_owner) else stream_owner
        return _contexts[key]


def _frames_of_package() -> int:
    """Returns how many calls deep the package is in, so that a warning names the line of the caller."""
    package, depth = os.path.dirname(__file__), 0
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == package:
        depth, frame = depth + 1, frame.f_back
    return depth + 1


def automatic_device() -> str:
    """Returns "cuda:0" if a GPU answers, else "cpu", which is told once by a NoGpuWarning."""
    global _has_warned, _why_no_gpu
    try:
        context_of("cuda:0")
        return "cuda:0"
    except Error as error:
        _why_no_gpu = str(error)
    if not _has_warned:
        _has_warned = True
        warnings.warn(
            f'Copse runs on the CPU, since no GPU can be used: {_why_no_gpu}. device="cpu" asks for that without this '
            "warning",
            NoGpuWarning,
            stacklevel=_frames_of_package(),
        )
    return "cpu"


def device_for(device: str, on_gpu: Any) -> Tuple[str, tuple]:
    """Returns the device of a new object, and stream and keeper of the stream for its context.

    device: what the caller asked for; "auto": where the arrays are, else the GPU if one answers
    on_gpu: the first array on a GPU, or None
    """
    if on_gpu is None:
        return (automatic_device() if device == "auto" else device), ()
    if device == "auto":
        device = on_gpu.device if ":" in on_gpu.device else "cuda:0"
    return device, () if device == "cpu" else (on_gpu.stream, on_gpu.stream_owner)


def device_report() -> str:
    """Returns in words which devices can be used, and why the GPU cannot.

    >>> print(copse.device_report())
    """
    lines = [f"Copse {library.copse_version().decode()}"]
    with_cuda = "with" if library.copse_built_with_cuda() else "without"
    lines[0] += f", {with_cuda} the CUDA backend"
    cpu = context_of("cpu")
    lines.append(f"cpu: {cpu.name}, {library.copse_context_worker_count(cpu.address)} threads")
    try:
        lines.append(f"cuda:0: {context_of('cuda:0').name}")
    except Error as error:
        lines.append(f"cuda:0: not used: {error}")
    return "\n".join(lines)

"""What all objects in the memory of a device share."""

from __future__ import annotations

from typing import Optional

from . import _arrays
from ._arrays import Array
from ._context import Context, Handle, context_of


class OnDevice:
    """An object in the memory of a device. Its work goes to the stream of the arrays that a call takes."""

    _PREFIX: str  # how the names of the library's functions begin
    _handle: Handle
    _context: Context

    @property
    def device(self) -> str:
        """The device: "cpu" or "cuda:N"."""
        return self._context.device

    def check_versions(self) -> None:
        """Raises StaleTree if the tree is older than its vertices, where that can be known."""

    def _context_for(self, array: Optional[Array]) -> Context:
        """Returns the context of the stream that an array is used on. Waits if the last work was on another one."""
        context = self._context
        if not context.is_cuda:
            return context
        if array is None or array.device == _arrays.CPU:
            wanted = context if context.stream is None else context_of(context.device)
        elif array.stream == context.stream and array.device == context.device:
            return context
        else:
            wanted = context_of(context.device, array.stream, array.stream_owner)
        if wanted is not self._context:
            self._context.wait()
            self._context = wanted
        return wanted

"""Arrays of the caller: NumPy, the buffer protocol, __array_interface__, __dlpack__ on the host;
__cuda_array_interface__ on the GPU. They are used in place. What does not fit is refused, unless the caller asks to
convert it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from ._errors import ArrayError
from ._library import CONTEXT, HOST

CPU = "cpu"


@dataclass
class Array:
    """An array as the library takes it."""

    address: int
    shape: tuple
    strides: tuple  # bytes
    device: str  # "cpu", "cuda" if its ordinal is not known, or "cuda:N"
    stream: int  # on CUDA: the stream that the caller works on; 0 is CUDA's default stream
    is_torch: bool
    owner: Any  # keeps the memory
    item_bytes: int = 4
    stream_owner: Any = None  # keeps the stream

    @property
    def memory(self) -> int:
        return HOST if self.device == CPU else CONTEXT

    @property
    def count(self) -> int:
        return self.shape[0]


def _torch_of(value: Any):
    """Returns the module torch if the value is one of its tensors, else None."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(value, torch.Tensor) else None


def _cuda_interface(value: Any) -> Optional[dict]:
    torch = _torch_of(value)
    if torch is not None and not value.is_cuda:
        return None
    if torch is not None and value.requires_grad:
        value = value.detach()
    return getattr(value, "__cuda_array_interface__", None)


def _device_of(value: Any) -> str:
    """Returns "cuda:N", or "cuda" if the object does not tell its ordinal."""
    if hasattr(value, "__dlpack_device__"):
        return f"cuda:{int(value.__dlpack_device__()[1])}"
    return "cuda"


def _stream_of(name: str, value: Any, interface: dict) -> Tuple[int, Any]:
    """Returns the stream that an array is used on, and an object that keeps it alive. A stream that is destroyed before
    what was made on it would take the program down."""
    torch = _torch_of(value)
    if torch is not None:
        current = torch.cuda.current_stream(value.device)
        return int(current.cuda_stream), current
    cupy = sys.modules.get("cupy")
    if cupy is not None and isinstance(value, cupy.ndarray):
        current = cupy.cuda.get_current_stream()
        return int(current.ptr), current
    stream = interface.get("stream")
    if stream in (None, 1, 2):  # none to wait for, and CUDA's own names of its default streams
        return (2 if stream == 2 else 0), None
    owner = getattr(value, "stream", None)
    if not owner:
        raise ArrayError(
            f"{name} is used on the CUDA stream {int(stream):#x}, and has no attribute `stream` that keeps it alive; give "
            "the array on the default stream"
        )
    return int(stream), owner


def _on_host(name: str, value: Any, convert: bool) -> np.ndarray:
    """Returns a NumPy array over the memory of the value."""
    torch = _torch_of(value)
    if torch is not None:
        return value.detach().numpy()
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__array_interface__"):
        return np.asarray(value)
    try:
        return np.asarray(memoryview(value))
    except TypeError:
        pass
    if hasattr(value, "__dlpack__"):
        if int(value.__dlpack_device__()[0]) == 1:
            return np.from_dlpack(value)
        raise ArrayError(f"{name} is a {type(value).__name__} on a device, without __cuda_array_interface__")
    if convert:
        return np.asarray(value)
    raise ArrayError(
        f"{name} is a {type(value).__name__}; an array is needed: NumPy, PyTorch, CuPy, or anything with the buffer "
        "protocol, __array_interface__, __dlpack__ or __cuda_array_interface__. convert=True makes one of it"
    )


def _shape_text(shape: Sequence[Optional[int]]) -> str:
    return "(" + ", ".join("n" if size is None else str(size) for size in shape) + ("," if len(shape) == 1 else "") + ")"


def _fits(shape: tuple, wanted: Sequence[Optional[int]]) -> bool:
    return len(shape) == len(wanted) and all(w is None or w == s for s, w in zip(shape, wanted))


def _refuse(name: str, shape: tuple, dtype: str, device: str, wanted: str) -> None:
    raise ArrayError(f"{name} has the shape {tuple(shape)} of {dtype} on {device}; {wanted}")


def read(
    name: str,
    value: Any,
    shapes: Sequence[Sequence[Optional[int]]],
    dtypes: Sequence[str] = ("float32",),
    convert: bool = False,
) -> Array:
    """Returns an array of one of the shapes and types. The numbers of a row are packed; rows may stand
    apart, at any multiple of 4 bytes.

    shapes: None stands for any size. If convert is true, an array on the host is copied to the first type and to
    packed rows where it has to be. Raises ArrayError with shape, type and device.
    """
    wanted = " or ".join(_shape_text(s) for s in shapes) + " of " + " or ".join(dtypes) + " is needed"
    interface = _cuda_interface(value)
    if interface is not None:
        return _read_cuda(name, value, interface, shapes, dtypes, wanted)
    array = _on_host(name, value, convert)
    if not any(_fits(array.shape, s) for s in shapes):
        _refuse(name, array.shape, str(array.dtype), CPU, wanted)
    if str(array.dtype) not in dtypes:
        if not convert:
            _refuse(name, array.shape, str(array.dtype), CPU, wanted + "; convert=True copies it")
        array = _converted(name, array, dtypes[0])
    if not _has_packed_rows(array.shape, array.strides, array.itemsize):
        if not convert:
            _refuse(
                name,
                array.shape,
                f"{array.dtype}, {array.strides} bytes apart,",
                CPU,
                "packed rows are needed; convert=True copies it",
            )
        array = np.ascontiguousarray(array)
    return Array(array.ctypes.data, array.shape, array.strides, CPU, 0, _torch_of(value) is not None, array, array.itemsize)


def _converted(name: str, array: np.ndarray, dtype: str) -> np.ndarray:
    """Copies an array to another type. Raises ArrayError for integers that do not fit."""
    if np.issubdtype(np.dtype(dtype), np.integer) and array.size > 0:
        limits = np.iinfo(dtype)
        low, high = array.min(), array.max()
        if low < limits.min or high > limits.max:
            raise ArrayError(f"{name} has values from {low} to {high}; {dtype} takes {limits.min} to {limits.max}")
    return np.ascontiguousarray(array, dtype=dtype)


def _has_packed_rows(shape: tuple, strides: tuple, itemsize: int) -> bool:
    if 0 in shape or len(shape) == 0:
        return True
    if strides[0] < 0 or strides[0] % min(itemsize, 4) != 0:
        return False
    expected = itemsize
    for size, stride in zip(reversed(shape[1:]), reversed(strides[1:])):
        if size > 1 and stride != expected:
            return False
        expected *= size
    return True


def _read_cuda(name: str, value: Any, interface: dict, shapes, dtypes, wanted: str) -> Array:
    shape, device = tuple(interface["shape"]), _device_of(value)
    dtype = np.dtype(interface["typestr"])
    if str(dtype) not in dtypes or not any(_fits(shape, s) for s in shapes):
        _refuse(name, shape, str(dtype), device, wanted)
    if interface.get("mask") is not None:
        _refuse(name, shape, str(dtype), device, "it has a mask, which is not supported")
    strides = interface.get("strides")
    if strides is None:
        strides, step = [], dtype.itemsize
        for size in reversed(shape):
            strides.insert(0, step)
            step *= size
    strides = tuple(strides)
    if not _has_packed_rows(shape, strides, dtype.itemsize):
        _refuse(name, shape, f"{dtype}, {strides} bytes apart,", device, "packed rows are needed")
    stream, stream_owner = _stream_of(name, value, interface)
    return Array(interface["data"][0], shape, strides, device, stream, _torch_of(value) is not None, value, dtype.itemsize, stream_owner)


def require_packed(name: str, array: Array) -> Array:
    """Raises ArrayError unless the rows follow each other without gaps."""
    row = array.item_bytes * int(np.prod(array.shape[1:], dtype=np.int64))
    if array.count > 1 and array.strides[0] != row:
        raise ArrayError(f"the rows of {name} are {array.strides[0]} bytes apart; packed rows of {row} are needed")
    return array

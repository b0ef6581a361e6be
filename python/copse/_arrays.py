"""Arrays of the caller: NumPy, the buffer protocol, __array_interface__, __cuda_array_interface__ and __dlpack__. They are
used in place. What does not fit is refused, unless the caller asks to convert it."""

from __future__ import annotations

import sys
from typing import Any, Dict, Optional, Sequence, Tuple

import numpy as np

from . import _dlpack
from ._errors import ArrayError
from ._library import CONTEXT, HOST

CPU = "cpu"


class Array:
    """An array as the library takes it."""

    __slots__ = ("address", "shape", "strides", "device", "stream", "kind", "owner", "item_bytes", "stream_owner")

    def __init__(
        self,
        address: int,
        shape: tuple,
        strides: tuple,  # bytes
        device: str,  # "cpu", "cuda" if its ordinal is not known, or "cuda:N"
        stream: int,  # on CUDA: the stream that the caller works on; 0 is CUDA's default stream
        kind: str,  # the library that it is of, such as "numpy"; results are of the same kind
        owner: Any,  # keeps the memory
        item_bytes: int,
        stream_owner: Any = None,  # keeps the stream, or is a function that returns what keeps it
    ):
        self.address, self.shape, self.strides, self.device = address, shape, strides, device
        self.stream, self.kind, self.owner, self.item_bytes = stream, kind, owner, item_bytes
        self.stream_owner = stream_owner

    @property
    def memory(self) -> int:
        return HOST if self.device == CPU else CONTEXT

    @property
    def count(self) -> int:
        return self.shape[0]


def kind_of(value: Any) -> str:
    """Returns the name of the library that an object is of, such as "torch"."""
    root = type(value).__module__.partition(".")[0]
    return "jax" if root == "jaxlib" else root


def _torch_of(value: Any):
    """Returns the module torch if the value is one of its tensors, else None."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(value, torch.Tensor) else None


def version_of(value: Any) -> Optional[int]:
    """Returns how often a tensor of PyTorch was changed in place, or None for what does not count it."""
    if _torch_of(value) is None or value.is_inference():
        return None
    return value._version


def _device_of(value: Any) -> str:
    """Returns "cuda:N", or "cuda" if the object does not tell its ordinal."""
    if hasattr(value, "__dlpack_device__"):
        return f"cuda:{int(value.__dlpack_device__()[1])}"
    return "cuda"


def _stream_of(name: str, value: Any, interface: dict) -> Tuple[int, Any]:
    """Returns the stream that an array is used on, and an object that keeps it alive. A stream that is destroyed before
    what was made on it would take the program down."""
    cupy = sys.modules.get("cupy")
    if cupy is not None and isinstance(value, cupy.ndarray):
        current = cupy.cuda.get_current_stream()
        return int(current.ptr), current
    stream = interface.get("stream")
    if stream is None or stream in (1, 2):  # none to wait for, and CUDA's own names of its default streams
        return (2 if stream == 2 else 0), None
    owner = getattr(value, "stream", None)
    if not owner:
        raise ArrayError(
            f"{name} is used on the CUDA stream {int(stream):#x}, and has no attribute `stream` that keeps it alive; give "
            "the array on the default stream"
        )
    return int(stream), owner


def _shape_text(shape: Sequence[Optional[int]]) -> str:
    return "(" + ", ".join("n" if size is None else str(size) for size in shape) + ("," if len(shape) == 1 else "") + ")"


def _fits(shape: tuple, shapes: Sequence[Sequence[Optional[int]]]) -> bool:
    for wanted in shapes:
        if len(shape) == len(wanted):
            for size, want in zip(shape, wanted):
                if want is not None and want != size:
                    break
            else:
                return True
    return False


class _Wanted:
    """What a call takes. The words for it are made only if something does not fit."""

    def __init__(self, name: str, shapes: Sequence[Sequence[Optional[int]]], dtypes: Sequence[str]):
        self.name, self.shapes, self.dtypes = name, shapes, dtypes

    def fits(self, shape: tuple) -> bool:
        return _fits(shape, self.shapes)

    def refuse(self, shape: tuple, dtype: str, device: str, more: str = "") -> None:
        wanted = " or ".join(_shape_text(s) for s in self.shapes) + " of " + " or ".join(self.dtypes) + " is needed"
        raise ArrayError(f"{self.name} has the shape {tuple(shape)} of {dtype} on {device}; {wanted}{more}")

    def refuse_rows(self, shape: tuple, dtype: str, strides: tuple, device: str) -> None:
        raise ArrayError(
            f"{self.name} has the shape {tuple(shape)} of {dtype}, {tuple(strides)} bytes apart, on {device}; packed rows "
            "are needed; convert=True copies it"
        )


_FLOAT32, _FLOATS = np.dtype(np.float32), ("float32",)


def read(
    name: str,
    value: Any,
    shapes: Sequence[Sequence[Optional[int]]],
    dtypes: Sequence[str] = _FLOATS,
    convert: bool = False,
) -> Array:
    """Returns an array of one of the shapes and types. The numbers of a row are packed; rows may stand
    apart, at any multiple of 4 bytes.

    shapes: None stands for any size. If convert is true, an array is copied to the first type and to packed rows where it
    has to be. Raises ArrayError with shape, type and device.
    """
    if type(value) is np.ndarray:
        if value.dtype is _FLOAT32 and dtypes is _FLOATS and value.flags.c_contiguous and _fits(value.shape, shapes):
            return Array(value.ctypes.data, value.shape, value.strides, CPU, 0, "numpy", value, 4)
        return _read_host(_Wanted(name, shapes, dtypes), value, "numpy", convert)
    wanted = _Wanted(name, shapes, dtypes)
    torch = _torch_of(value)
    if torch is not None:
        return _read_torch(wanted, value, torch, convert)
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        return _read_cuda(wanted, value, interface, convert)
    return _read_other(wanted, value, convert)


def _read_other(wanted: _Wanted, value: Any, convert: bool) -> Array:
    """Reads what is neither of NumPy nor has __cuda_array_interface__."""
    kind = kind_of(value)
    if hasattr(value, "__array_interface__"):
        return _read_host(wanted, np.asarray(value), kind, convert)
    try:
        return _read_host(wanted, np.asarray(memoryview(value)), kind, convert)
    except TypeError:
        pass
    if hasattr(value, "__dlpack__"):
        return _read_dlpack(wanted, value, kind, convert)
    if convert:
        return _read_host(wanted, np.asarray(value), "numpy", convert)
    raise ArrayError(
        f"{wanted.name} is a {type(value).__name__}; an array is needed: NumPy, PyTorch, CuPy, or anything with the buffer "
        "protocol, __array_interface__, __dlpack__ or __cuda_array_interface__. convert=True makes one of it"
    )


def _read_host(wanted: _Wanted, array: np.ndarray, kind: str, convert: bool) -> Array:
    if not wanted.fits(array.shape):
        wanted.refuse(array.shape, str(array.dtype), CPU)
    if str(array.dtype) not in wanted.dtypes:
        if not convert:
            wanted.refuse(array.shape, str(array.dtype), CPU, "; convert=True copies it")
        array = _converted(wanted.name, array, wanted.dtypes[0])
    if not _has_packed_rows(array.shape, array.strides, array.itemsize):
        if not convert:
            wanted.refuse_rows(array.shape, str(array.dtype), array.strides, CPU)
        array = np.ascontiguousarray(array)
    return Array(array.ctypes.data, array.shape, array.strides, CPU, 0, kind, array, array.itemsize)


def _converted(name: str, array: np.ndarray, dtype: str) -> np.ndarray:
    """Copies an array to another type. Raises ArrayError for integers that do not fit."""
    if np.issubdtype(np.dtype(dtype), np.integer) and array.size > 0:
        _check_range(name, array.min(), array.max(), dtype)
    return np.ascontiguousarray(array, dtype=dtype)


def _check_range(name: str, low: Any, high: Any, dtype: str) -> None:
    limits = np.iinfo(dtype)
    if low < limits.min or high > limits.max:
        raise ArrayError(f"{name} has values from {low} to {high}; {dtype} takes {limits.min} to {limits.max}")


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


def packed_strides(shape: tuple, item_bytes: int) -> tuple:
    """Returns the bytes from element to element along each axis of a packed array."""
    strides: list = []
    for size in reversed(shape):
        strides.insert(0, item_bytes)
        item_bytes *= size
    return tuple(strides)


def _read_cuda(wanted: _Wanted, value: Any, interface: dict, convert: bool) -> Array:
    shape, device = tuple(interface["shape"]), _device_of(value)
    dtype = np.dtype(interface["typestr"])
    if interface.get("mask") is not None:
        wanted.refuse(shape, str(dtype), device, "; it has a mask, which is not supported")
    if not wanted.fits(shape):
        wanted.refuse(shape, str(dtype), device)
    strides = tuple(interface.get("strides") or packed_strides(shape, dtype.itemsize))
    is_packed = _has_packed_rows(shape, strides, dtype.itemsize)
    if str(dtype) not in wanted.dtypes or not is_packed:
        if convert:
            copied = _converted_on_device(wanted, value)
            return _read_cuda(wanted, copied, copied.__cuda_array_interface__, False)
        if str(dtype) not in wanted.dtypes:
            wanted.refuse(shape, str(dtype), device, "; convert=True copies it")
        wanted.refuse_rows(shape, str(dtype), strides, device)
    stream, stream_owner = _stream_of(wanted.name, value, interface)
    return Array(interface["data"][0], shape, strides, device, stream, kind_of(value), value, dtype.itemsize, stream_owner)


def _converted_on_device(wanted: _Wanted, value: Any) -> Any:
    """Copies an array of CuPy on its device. Checks of integers wait for the device."""
    cupy = sys.modules.get("cupy")
    if cupy is None or not isinstance(value, cupy.ndarray):
        raise ArrayError(f"{wanted.name} is a {type(value).__name__}; convert=True copies arrays of PyTorch and CuPy alone")
    dtype = wanted.dtypes[0]
    if np.issubdtype(np.dtype(dtype), np.integer) and 0 not in value.shape:
        _check_range(wanted.name, value.min().item(), value.max().item(), dtype)
    return cupy.ascontiguousarray(value, dtype=dtype)


_torch_devices: Dict[Any, str] = {}


def _torch_device(name: str, value: Any) -> str:
    """Returns "cpu" or "cuda:N"."""
    device = value.device
    known = _torch_devices.get(device)
    if known is None:
        if device.type not in ("cpu", "cuda"):
            raise ArrayError(f"{name} is on {device}; tensors are taken on cpu and cuda")
        known = _torch_devices[device] = CPU if device.type == "cpu" else f"cuda:{device.index}"
    return known


def _read_torch(wanted: _Wanted, value: Any, torch: Any, convert: bool) -> Array:
    """Reads a tensor, in place. It asks for the parts that it needs, which is quicker than an interface with all."""
    device = _torch_device(wanted.name, value)
    shape, dtype = tuple(value.shape), str(value.dtype).partition(".")[2]
    if value.layout is not torch.strided:
        wanted.refuse(shape, f"{dtype}, {value.layout},", device)
    if not wanted.fits(shape):
        wanted.refuse(shape, dtype, device)
    item_bytes = value.element_size()
    strides = tuple([step * item_bytes for step in value.stride()])
    is_packed = _has_packed_rows(shape, strides, item_bytes)
    if dtype not in wanted.dtypes or not is_packed:
        if convert:
            return _read_torch(wanted, _converted_tensor(wanted, value, torch), torch, False)
        if dtype not in wanted.dtypes:
            wanted.refuse(shape, dtype, device, "; convert=True copies it")
        wanted.refuse_rows(shape, dtype, strides, device)
    if device == CPU:
        return Array(value.data_ptr(), shape, strides, CPU, 0, "torch", value, item_bytes)
    stream = _raw_stream(torch, value.device)
    return Array(value.data_ptr(), shape, strides, device, stream, "torch", value, item_bytes, torch.cuda.current_stream)


def _raw_stream(torch: Any, device: Any) -> int:
    """Returns the current stream of PyTorch."""
    quick = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # what compiled kernels of PyTorch ask
    return int(quick(device.index) if quick is not None else torch.cuda.current_stream(device).cuda_stream)


def _converted_tensor(wanted: _Wanted, value: Any, torch: Any) -> Any:
    """Copies a tensor on its device. Checks of integers wait for the device."""
    dtype = wanted.dtypes[0]
    if np.issubdtype(np.dtype(dtype), np.integer) and value.numel() > 0:
        _check_range(wanted.name, value.min().item(), value.max().item(), dtype)
    return value.detach().to(getattr(torch, dtype)).contiguous()


def to_numpy(array: Array) -> np.ndarray:
    """Returns an array on the host as one of NumPy, without a copy."""
    return array.owner.detach().numpy() if array.kind == "torch" else np.asarray(array.owner)


def _read_dlpack(wanted: _Wanted, value: Any, kind: str, convert: bool) -> Array:
    """Reads what has __dlpack__ alone."""
    device_type, ordinal = (int(part) for part in value.__dlpack_device__())
    if device_type not in (_dlpack.CPU, _dlpack.CUDA, _dlpack.CUDA_HOST, _dlpack.CUDA_MANAGED):
        raise ArrayError(
            f"{wanted.name} is a {type(value).__name__} on the DLPack device {device_type}; arrays are taken on the CPU (1) "
            "and on CUDA (2, 3, 13)"
        )
    taken = _dlpack.Taken(value, device_type)
    if device_type in (_dlpack.CPU, _dlpack.CUDA_HOST):
        host = np.asarray(_HostView(taken))
        return _read_host(wanted, host, kind, convert)
    shape, device, dtype = taken.shape, f"cuda:{ordinal}", np.dtype(taken.typestr)
    if str(dtype) not in wanted.dtypes or not wanted.fits(shape):
        wanted.refuse(shape, str(dtype), device)
    strides = taken.strides or packed_strides(shape, dtype.itemsize)
    if not _has_packed_rows(shape, strides, dtype.itemsize):
        wanted.refuse_rows(shape, str(dtype), strides, device)
    return Array(taken.address, shape, strides, device, 0, kind, (value, taken), dtype.itemsize)


class _HostView:
    """A taken array as NumPy takes it."""

    def __init__(self, taken: _dlpack.Taken):
        self._taken = taken
        self.__array_interface__ = {
            "shape": taken.shape,
            "typestr": "<" + taken.typestr if taken.typestr != "b1" else "|b1",
            "data": (taken.address, False),
            "strides": taken.strides,
            "version": 3,
        }


def require_packed(name: str, array: Array) -> Array:
    """Raises ArrayError unless the rows follow each other without gaps."""
    row = array.item_bytes
    for size in array.shape[1:]:
        row *= size
    if array.shape[0] > 1 and array.strides[0] != row:
        raise ArrayError(f"the rows of {name} are {array.strides[0]} bytes apart; packed rows of {row} are needed")
    return array

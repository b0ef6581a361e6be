"""Arrays of libraries that use GPUs: PyTorch, __cuda_array_interface__ and __dlpack__."""

from __future__ import annotations

import sys
from typing import Any, Dict, Tuple

import numpy as np

from . import _dlpack
from ._array import CPU, Array, Wanted, check_conversion, kind_of, packed_strides
from ._errors import ArrayError
from ._host_arrays import read_host

# ---- __cuda_array_interface__ --------------------------------------------------------------------------

def read_cuda(wanted: Wanted, value: Any, interface: dict) -> Array:
    shape, device = tuple(interface["shape"]), _device_of(value)
    dtype = np.dtype(interface["typestr"])
    if interface.get("mask") is not None:
        wanted.refuse(shape, str(dtype), device, "; it has a mask, which is not supported")
    if not wanted.fits(shape):
        wanted.refuse(shape, str(dtype), device)
    strides = tuple(interface.get("strides") or packed_strides(shape, dtype.itemsize))
    if str(dtype) not in wanted.dtypes or not wanted.takes_rows(shape, strides, dtype.itemsize):
        if wanted.convert:
            copied = _converted_on_device(wanted, value)
            return read_cuda(wanted, copied, copied.__cuda_array_interface__)
        wanted.refuse_layout(shape, str(dtype), strides, device, can_copy=_is_of_cupy(value))
    stream, stream_owner = _stream_of(wanted.name, value, interface)
    return Array(interface["data"][0], shape, strides, device, stream, kind_of(value), value, dtype.itemsize, stream_owner)


def _device_of(value: Any) -> str:
    """Returns "cuda:N", or "cuda" if the object does not tell its ordinal."""
    if hasattr(value, "__dlpack_device__"):
        return f"cuda:{int(value.__dlpack_device__()[1])}"
    return "cuda"


def _is_of_cupy(value: Any) -> bool:
    cupy = sys.modules.get("cupy")
    return cupy is not None and isinstance(value, cupy.ndarray)


def _stream_of(name: str, value: Any, interface: dict) -> Tuple[int, Any]:
    """Returns the stream that an array is used on, and an object that keeps it alive. A stream that is destroyed before
    what was made on it would take the program down."""
    if _is_of_cupy(value):
        current = sys.modules["cupy"].cuda.get_current_stream()
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


def _refuse_to_copy(wanted: Wanted, value: Any) -> None:
    raise ArrayError(f"{wanted.name} is a {type(value).__name__}; convert=True copies arrays of PyTorch and CuPy alone")


def _converted_on_device(wanted: Wanted, value: Any) -> Any:
    """Copies an array of CuPy on its device."""
    if not _is_of_cupy(value):
        _refuse_to_copy(wanted, value)
    dtype = str(value.dtype)
    if dtype not in wanted.dtypes:
        dtype = wanted.dtypes[0]
        check_conversion(wanted.name, value, value.dtype.kind, dtype)
    return sys.modules["cupy"].ascontiguousarray(value, dtype=dtype)


# ---- PyTorch -------------------------------------------------------------------------------------------

def read_torch(wanted: Wanted, value: Any, torch: Any) -> Array:
    """Reads a tensor, in place. It asks for the parts that it needs, which is quicker than an interface with all."""
    device = _torch_device(wanted.name, value)
    shape, dtype = tuple(value.shape), str(value.dtype).partition(".")[2]
    if value.layout is not torch.strided:
        wanted.refuse(shape, f"{dtype}, {value.layout},", device)
    if not wanted.fits(shape):
        wanted.refuse(shape, dtype, device)
    item_bytes = value.element_size()
    strides = tuple([step * item_bytes for step in value.stride()])
    if dtype not in wanted.dtypes or not wanted.takes_rows(shape, strides, item_bytes):
        if wanted.convert:
            return read_torch(wanted, _converted_tensor(wanted, value.detach(), dtype, torch), torch)
        wanted.refuse_layout(shape, dtype, strides, device)
    if device == CPU:
        return Array(value.data_ptr(), shape, strides, CPU, 0, "torch", value, item_bytes)
    stream = _raw_stream(torch, value.device)
    return Array(value.data_ptr(), shape, strides, device, stream, "torch", value, item_bytes, torch.cuda.current_stream)


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


def _raw_stream(torch: Any, device: Any) -> int:
    """Returns the current stream of PyTorch."""
    quick = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # what compiled kernels of PyTorch ask
    return int(quick(device.index) if quick is not None else torch.cuda.current_stream(device).cuda_stream)


def _converted_tensor(wanted: Wanted, value: Any, dtype: str, torch: Any) -> Any:
    """Copies a tensor on its device."""
    if dtype not in wanted.dtypes:
        kind = "c" if value.is_complex() else "f" if value.is_floating_point() else "i"
        check_conversion(wanted.name, value, kind, wanted.dtypes[0])
        value = value.to(getattr(torch, wanted.dtypes[0]))
    return value.contiguous()


# ---- __dlpack__ ----------------------------------------------------------------------------------------

def read_dlpack(wanted: Wanted, value: Any, kind: str) -> Array:
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
        return read_host(wanted, host, kind)
    shape, device, dtype = taken.shape, f"cuda:{ordinal}", np.dtype(taken.typestr)
    if not wanted.fits(shape):
        wanted.refuse(shape, str(dtype), device)
    strides = taken.strides or packed_strides(shape, dtype.itemsize)
    if str(dtype) not in wanted.dtypes or not wanted.takes_rows(shape, strides, dtype.itemsize):
        if wanted.convert:
            _refuse_to_copy(wanted, value)
        wanted.refuse_layout(shape, str(dtype), strides, device, can_copy=False)
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

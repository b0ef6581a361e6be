"""What all builds share: options, and measures of the trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence, Tuple

from ._arrays import CPU
from ._context import Context
from ._errors import ArrayError, InvalidArgument, check_range
from ._geometry import Geometry
from ._structs import BuildOptions, StatsStruct

QUALITIES = {"fast": 0, "balanced": 1, "best": 2}


@dataclass(frozen=True)
class Stats:
    """Measures of a tree."""

    source_count: int  #: triangles, or instances, of the last build
    left_out_count: int  #: those that are not in the tree, since no ray can hit them
    node_count: int
    leaf_count: int
    depth: int  #: nodes on the longest path from the root to a leaf
    sah_cost: float  #: expected cost of a ray
    lower: Tuple[float, float, float]  #: the box around the tree
    upper: Tuple[float, float, float]
    used_bytes: int
    size_bytes: int

    @classmethod
    def _of(cls, struct: StatsStruct) -> "Stats":
        values = {name: getattr(struct, name) for name in cls.__dataclass_fields__}
        values["lower"], values["upper"] = tuple(struct.lower), tuple(struct.upper)
        return cls(**values)


def check_quality(quality: str, capacity: int) -> int:
    """Returns the number of a quality. Raises InvalidArgument if it or the capacity is none."""
    if quality not in QUALITIES:
        raise InvalidArgument(f'quality is {quality!r}; it can be "fast", "balanced" or "best"')
    check_range("capacity", capacity, 0, 2**64 - 1)
    return QUALITIES[quality]


def build_options(quality: str, capacity: int, splits: float = 1) -> BuildOptions:
    """Returns the options of a build. Raises InvalidArgument if one is out of range."""
    number = check_quality(quality, capacity)
    check_range("splits", splits, 1, 4)
    return BuildOptions(quality=number, capacity=capacity, splits=splits)


def check_device(context: Context, geometries: Sequence[Geometry]) -> None:
    """Raises ArrayError if vertices are on a GPU that is not the device of the context."""
    for number, geometry in enumerate(geometries):
        device = geometry._positions.device
        if device not in (CPU, context.device) and not (device == "cuda" and context.is_cuda):
            raise ArrayError(f"the vertices of geometry {number} are on {device}, but the scene is on {context.device}")

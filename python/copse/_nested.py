"""Nested instances: scenes in many places, which stand in many places themselves."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, Sequence, Tuple, Union

from ._build import build_options
from ._context import Handle
from ._errors import ArrayError
from ._instances import Instances
from ._library import call, library
from ._placed import PlacedSurfaces
from ._records import NestedHits, NestedNearest, NestedNeighbours, NestedOverlaps
from ._scene import Scene
from ._structs import Part


class NestedInstances(PlacedSurfaces[NestedHits, NestedNearest, NestedNeighbours, NestedOverlaps]):
    """Parts in many places, and a tree over the places. A part is a Scene, Instances, or NestedInstances: a forest of
    trees, of branches, of leaves. There can be 7 levels of instances.

    parts:      in any mixture. After refit() or rebuild() of one, refit or rebuild what holds it, from the inside outwards
    transforms: (n, 3, 4) float32 on the host; or (n, 4, 4), whose last rows are 0 0 0 1
    part_ids:   (n,) which part each one is of; None: the first
    masks:      (n,) rays pass over instances that share no bit with their mask, on each level; None: all bits
    quality, capacity: as for Scene
    """

    _PREFIX = "copse_nested_"
    _HITS, _NEAREST, _NEIGHBOURS, _OVERLAPS = NestedHits, NestedNearest, NestedNeighbours, NestedOverlaps
    _IDS = "part_ids"

    def __init__(
        self,
        parts: Sequence[Union[Scene, Instances, "NestedInstances"]],
        transforms: Any,
        *,
        part_ids: Any = None,
        masks: Any = None,
        quality: str = "balanced",
        capacity: int = 0,
        convert: bool = False,
    ):
        self.parts = list(parts)
        members = [self._member_of(number, part) for number, part in enumerate(self.parts)]
        self._take_scenes(self.parts)
        self._wait_for_scenes()
        options = build_options(quality, capacity)
        records = self._records(transforms, part_ids, masks, convert)
        structs = (Part * len(members))(*[Part(**member) for member in members])
        made = c_void_p()
        function, counted = "copse_nested_build", self._counted(records)
        call(function, self._context.address, structs, len(members), *counted, byref(options), byref(made))
        self._handle = Handle("nested", made.value)

    @staticmethod
    def _member_of(number: int, part: Any) -> dict:
        kinds: Sequence[Tuple[Any, str]] = ((Scene, "accel"), (Instances, "scene"), (NestedInstances, "nested"))
        for kind, name in kinds:
            if isinstance(part, kind):
                return {name: part._handle.address}
        raise ArrayError(f"part {number} is a {type(part).__name__}; a Scene, Instances or NestedInstances is needed")

    def __repr__(self) -> str:
        return f"<copse.NestedInstances: {len(self)} of {len(self.parts)} parts, {self.level_count} levels, on {self.device}>"

    @property
    def level_count(self) -> int:
        """The levels of instances: one more than the part with the most levels has."""
        return library.copse_nested_level_count(self._handle.address)

    def refit(self, transforms: Any, *, part_ids: Any = None, masks: Any = None, convert: bool = False) -> None:
        """Fits the tree to as many instances that have moved, and to parts that were refitted."""
        self._change("refit", transforms, part_ids, masks, convert)

    def rebuild(self, transforms: Any, *, part_ids: Any = None, masks: Any = None, convert: bool = False) -> None:
        """Builds a new tree over any number of instances up to the capacity."""
        self._change("rebuild", transforms, part_ids, masks, convert)

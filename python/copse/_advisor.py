"""When to refit and when to rebuild a scene that moves."""

from __future__ import annotations

from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import Any

from ._context import Handle
from ._errors import InvalidArgument, check_range
from ._library import call
from ._scene import Scene
from ._structs import RebuildRule, TreeHistoryStruct


@dataclass(frozen=True)
class TreeHistory:
    """What a RebuildAdvisor knows of its tree."""

    built_cost: float  #: SAH cost after the last build
    cost: float  #: SAH cost now
    refits_since_build: int  #: refits after the last build
    refit_count: int  #: all refits
    rebuild_count: int  #: all builds but the first one

    @property
    def growth(self) -> float:
        """How many times the cost when built the tree costs now; 1 if it costs nothing."""
        return self.cost / self.built_cost if self.built_cost > 0 else 1.0


class RebuildAdvisor:
    """Decides for one scene that moves when to refit it and when to rebuild it, by the SAH cost of its tree: what a ray is
    expected to cost. All devices decide alike.

    >>> advisor = copse.RebuildAdvisor(scene)
    >>> for vertices in frames:
    ...     advisor.refit_or_rebuild(vertices)       # in place of scene.refit(vertices)

    scene:      a Scene. Once it is due, one that was compacted or loaded raises InvalidArgument, since it has no room for a
                rebuild
    max_growth: it is rebuilt once its cost is more than so many times its cost when built: 1 to 1000. A low value rebuilds
                often and keeps rays fast
    max_refits: it is rebuilt after so many refits in any case; 0: no limit
    """

    def __init__(self, scene: Scene, *, max_growth: float = 1.25, max_refits: int = 64):
        if not isinstance(scene, Scene):
            raise InvalidArgument(f"scene is a {type(scene).__name__}; a copse.Scene is needed")
        check_range("max_refits", max_refits, 0, 2**32 - 1)
        self.scene = scene
        made = c_void_p()
        rule = RebuildRule(max_growth=max_growth, max_refits=max_refits)
        call("copse_advisor_create", scene._context.address, scene._handle.address, byref(rule), byref(made))
        self._handle = Handle("advisor", made.value)

    def __repr__(self) -> str:
        return f"<copse.RebuildAdvisor of {self.scene!r}>"

    def refit_or_rebuild(self, vertices: Any, *, convert: bool = False) -> bool:
        """Refits the scene to vertices that have moved. If its tree has become too costly, rebuilds it. Returns True if it was
        rebuilt. Waits for the decision.

        vertices: as Scene.refit takes them
        """
        before = self.history().rebuild_count
        geometries = self.scene._moved(vertices, convert)
        self.scene._change("copse_accel_refit_or_rebuild", geometries, self._handle.address)
        return self.history().rebuild_count > before

    def note_build(self) -> None:
        """Takes the cost of the tree as the one to compare with. Call it after scene.rebuild()."""
        call("copse_advisor_note_build", self.scene._context.address, self._handle.address, self.scene._handle.address)

    def history(self) -> TreeHistory:
        """Returns what is known of the tree. Waits."""
        struct = TreeHistoryStruct()
        call("copse_advisor_history", self.scene._context.address, self._handle.address, byref(struct))
        return TreeHistory(*(getattr(struct, name) for name in TreeHistory.__dataclass_fields__))

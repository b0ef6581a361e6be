"""Trees that are older than their vertices."""

from __future__ import annotations

import weakref
from typing import List, Sequence, Tuple

from . import _arrays
from ._errors import StaleTree
from ._geometry import Geometry


class Versioned:
    """What is made of vertices that may change in place. PyTorch counts such changes; other arrays have no count, and nothing
    is known of them."""

    #: False: no rays and queries are refused because vertices were changed in place.
    checks_versions = True

    geometries: List[Geometry]
    _versions: Sequence[Tuple[int, weakref.ref, int]] = ()

    def _keep(self, geometries: List[Geometry]) -> None:
        """Keeps the geometries that the tree was just made of, and notes their versions."""
        self.geometries = geometries
        self._note_versions(geometries)

    def _note_versions(self, geometries: Sequence[Geometry]) -> None:
        """Notes the versions of vertices without keeping them: nothing changes a tensor that is gone."""
        noted = []
        for number, geometry in enumerate(geometries):
            version = _arrays.version_of(geometry.vertices)
            if version is not None:
                noted.append((number, weakref.ref(geometry.vertices), version))
        self._versions = noted

    def check_versions(self) -> None:
        """Raises StaleTree if a tensor of vertices was changed in place after the tree was made of it. All rays and
        queries ask for it."""
        if not self._versions or not self.checks_versions:
            return
        for number, reference, made_of in self._versions:
            version = _arrays.version_of(reference())
            if version is not None and version != made_of:
                raise StaleTree(
                    f"the vertices of geometry {number} are of version {version}, but the tree was made of version {made_of}: "
                    "they were changed in place. Call refit() or rebuild(), or set checks_versions = False"
                )

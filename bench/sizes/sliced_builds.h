#pragma once

namespace copse::bench {

/// Adds the rows of builds in slices by a GPU, whose triangles and trees are in host memory.
void add_sliced_builds();

}  // namespace copse::bench

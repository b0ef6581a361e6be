#pragma once

// A renderer's own header. It has the name of one of Copse's, which must not include it.

namespace renderer {

struct Ray {
  float origin[3] = {0, 0, 3};
  float direction[3] = {0, 0, -1};
};

}  // namespace renderer

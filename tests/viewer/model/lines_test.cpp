#include "viewer/model/inspect/lines.h"

#include <gtest/gtest.h>

namespace copse::test {

using namespace viewer;

TEST(Lines, CellsShareTheirEdges) {
  const std::vector<CellCorners> neighbours = {corners_of(Aabb{vec3(0), vec3(1)}),
                                               corners_of(Aabb{vec3(1, 0, 0), vec3(2, 1, 1)})};
  Lines lines;
  add_cells(lines, std::span(neighbours).first(1), {255, 0, 0, 255});
  EXPECT_EQ(lines.size(), 2u * 12);
  lines.clear();
  add_cells(lines, neighbours, {255, 0, 0, 255});
  EXPECT_EQ(lines.size(), 2u * 20) << "four of the edges belong to both";
  for (const LineVertex& vertex : lines) EXPECT_TRUE(vertex.position.x >= 0 && vertex.position.x <= 2);
}

TEST(Lines, OnTopOfEachOtherGetFainterTheMoreThereAre) {
  EXPECT_EQ(opacity_of(0), 255);
  EXPECT_EQ(opacity_of(2000), 255);
  EXPECT_LT(opacity_of(20000), 40);
  EXPECT_EQ(opacity_of(1000000000), 20);
}

}  // namespace copse::test

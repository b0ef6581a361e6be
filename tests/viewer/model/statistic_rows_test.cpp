#include "viewer/model/settings/statistic_rows.h"

#include <algorithm>
#include <string_view>

#include "tests/viewer/scenes.h"

namespace copse::test {
namespace {

using namespace viewer;

const StatisticRow* find(const std::vector<StatisticRow>& rows, std::string_view name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const StatisticRow& row) { return row.name == name; });
  return found != rows.end() ? &*found : nullptr;
}

TEST(StatisticRows, HaveAllNumbersOfTwoTrees) {
  SmallSession s;
  s.session.wanted(1).builder = Builder::sah;
  s.session.comparison() = Comparison::side_by_side;
  s.session.finish();
  const std::vector<StatisticRow> rows =
      compare(s.session.statistics(0), s.session.timings(0), s.session.statistics(1), s.session.timings(1));
  for (const char* name : {"Build time", "Trace time", "SAH cost", "Memory", "Nodes", "Leaves", "Depth"}) {
    const StatisticRow* const row = find(rows, name);
    ASSERT_NE(row, nullptr) << name;
    EXPECT_TRUE(row->a && row->b) << name;
  }
  const StatisticRow& cost = *find(rows, "SAH cost");
  EXPECT_EQ(cost.a, s.session.statistics(0).sah_cost);
  EXPECT_EQ(cost.b, s.session.statistics(1).sah_cost);
  EXPECT_DOUBLE_EQ(*cost.ratio(), *cost.b / *cost.a);
  EXPECT_EQ(find(rows, "Buckets"), nullptr) << "neither has any";
}

TEST(StatisticRows, LeaveOpenWhatOneStructureLacks) {
  Statistics tree, grid;
  tree.sah_cost = 80;
  grid.occupied_count = 7;
  const std::vector<StatisticRow> rows = compare(tree, {}, grid, {});
  EXPECT_FALSE(find(rows, "SAH cost")->b.has_value());
  EXPECT_FALSE(find(rows, "SAH cost")->ratio().has_value());
  EXPECT_FALSE(find(rows, "Occupied")->a.has_value());
  EXPECT_FALSE((StatisticRow{"", Unit::count, 0.0, 5.0}).ratio().has_value()) << "nothing is a multiple of 0";
}

TEST(StatisticRows, WriteNumbersWithTheirUnits) {
  EXPECT_EQ(in_words(1234567, Unit::count), "1 234 567");
  EXPECT_EQ(in_words(999, Unit::bytes), "999 B");
  EXPECT_EQ(in_words(12345678, Unit::bytes), "12.3 MB");
  EXPECT_EQ(in_words(96.871, Unit::number), "96.87");
  EXPECT_EQ(in_words(0.00123, Unit::number), "0.00123");
  EXPECT_EQ(in_words(0.1234, Unit::milliseconds), "0.123 ms");
  EXPECT_EQ(in_words(12.34, Unit::milliseconds), "12.3 ms");
  EXPECT_EQ(in_words(1234, Unit::milliseconds), "1.23 s");
}

}  // namespace
}  // namespace copse::test

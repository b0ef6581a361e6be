// The scales of colours: where they end, and what pictures say about them.

#include <set>

#include "tests/viewer/scenes.h"
#include "trace/colour_scale.h"
#include "trace/heat_colour.h"
#include "viewer/model/picture/comparison.h"
#include "viewer/model/picture/percentile.h"

namespace copse::test {
namespace {

using namespace viewer;

TEST(Percentile, LeavesSoManyValuesBelow) {
  std::vector<u32> values(1000);
  for (u32 i = 0; i < 1000; ++i) values[i] = (i * 7919) % 1000 + 1;  // 1 to 1000, each once
  EXPECT_EQ(percentile(values, 99), 990u);
  EXPECT_EQ(percentile(values, 50), 500u);
  EXPECT_EQ(percentile(values, 100), 1000u);
  EXPECT_EQ(percentile(values, 0), 1u);
}

TEST(Percentile, LooksAtValuesAboveZeroAlone) {
  EXPECT_EQ(percentile(std::vector<u32>{0, 0, 0, 0, 7, 9}, 50), 7u);
  EXPECT_EQ(percentile(std::vector<u32>{0, 0}, 50), 0u);
  EXPECT_EQ(percentile({}, 99), 0u);
  EXPECT_EQ(percentile(std::vector<u32>{1, 4000000000u}, 100), 65535u);
}

TEST(HeatScale, APercentileKeepsAFewHotRaysFromDarkeningTheRest) {
  SmallSession s(testball(), 160, 120);
  s.session.view().view = View::heat;
  s.session.finish();
  const u32 most = s.session.picture(0).max_visits;
  EXPECT_LT(s.session.picture(0).heat_limit, most);
  s.session.view().heat_percentile = 100;
  s.session.finish();
  EXPECT_EQ(s.session.picture(0).heat_limit, most);
  s.session.view().heat_limit = 17;
  s.session.finish();
  EXPECT_EQ(s.session.picture(0).heat_limit, 17u);
}

TEST(HeatScale, AnotherPercentileIsThePictureThatItWouldHaveBeen) {
  SmallSession changed, fresh;
  changed.session.view().view = fresh.session.view().view = View::heat;
  changed.session.finish();
  changed.session.view().heat_percentile = fresh.session.view().heat_percentile = 80;
  changed.session.finish();
  fresh.session.finish();
  EXPECT_TRUE(same_pixels(changed.session.picture(0).image, fresh.session.picture(0).image));
}

/// The rows at the lower edge that differ if the scale is drawn.
u32 rows_of_scale(Session& session, const Picture& picture) {
  session.view().heat_legend = true;
  session.finish();
  const Picture with = picture;
  session.view().heat_legend = false;
  session.finish();
  EXPECT_EQ(picture.scale_rows, 0u);
  for (u32 y = 0; y < with.image.height; ++y) {
    for (u32 x = 0; x < with.image.width; ++x) {
      const Rgba8 p = with.image.pixels[y * with.image.width + x],
                  q = picture.image.pixels[y * with.image.width + x];
      if (p.r != q.r || p.g != q.g || p.b != q.b) {
        EXPECT_EQ(with.scale_rows, with.image.height - y);
        return with.image.height - y;
      }
    }
  }
  return 0;
}

TEST(Scales, AreInHeatMapsDifferencesAndDepths) {
  SmallSession s(sphere(), 320, 200);
  s.session.view().view = View::heat;
  EXPECT_GT(rows_of_scale(s.session, s.session.picture(0)), 15u);
  s.session.view().view = View::leaves;
  EXPECT_EQ(rows_of_scale(s.session, s.session.picture(0)), 0u) << "a colour for each leaf has no order";
  s.session.view().leaf_tint = LeafTint::depth;
  EXPECT_GT(rows_of_scale(s.session, s.session.picture(0)), 15u);
  s.session.wanted(1).builder = Builder::sah;
  s.session.comparison() = Comparison::difference;
  EXPECT_GT(rows_of_scale(s.session, s.session.difference()), 15u);
}

TEST(Scales, SayWhatIsBeyondThem) {
  EXPECT_EQ(detail::quarters_to(80, false), (std::array<std::string, 5>{"0", "20", "40", "60", "80"}));
  EXPECT_EQ(detail::quarters_to(80, true).back(), "80+");
}

TEST(Scales, HaveAUnitWhereThereIsRoom) {
  const auto ink_behind = [](const std::string& unit) {
    Image image{400, 200, std::vector<Rgba8>(400 * 200)};
    detail::draw_scale(image, {detail::heat_scale, detail::quarters_to(80, false), unit});
    u32 ink = 0;
    for (u32 y = 160; y < 200; ++y) {
      for (u32 x = 370; x < 400; ++x) ink += image.pixels[y * 400 + x].r == 236;
    }
    return ink;
  };
  EXPECT_GT(ink_behind("visits"), ink_behind(""));
  Image tiny{20, 20, std::vector<Rgba8>(400)};
  EXPECT_EQ(detail::draw_scale(tiny, {detail::heat_scale, detail::quarters_to(80, false), "visits"}), 0u);
}

TEST(Difference, ItsStrongestColourIsAPercentileOfTheDifferences) {
  const std::vector<u32> a{5, 5, 5, 5, 90}, b{5, 4, 7, 2, 0};  // differ by 1, 2, 3 and 90
  EXPECT_EQ(difference_limit(a, b, 75), 3u);
  EXPECT_EQ(difference_limit(a, b, 100), 90u);
  EXPECT_EQ(difference_limit(a, a, 99), 1u);
  EXPECT_COPSE_ERROR(difference_limit(a, {}, 99), ErrorCode::invalid_argument, "5 pixels and of 0");
}

}  // namespace
}  // namespace copse::test

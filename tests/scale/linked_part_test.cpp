// Links of H-PLOC trees: cut anywhere, they give the same tree, and links that form no tree are refused.

#include "scale/files/linked_part.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <set>

#include "builders/bvh/hploc.h"
#include "builders/geometry/generate.h"
#include "primitives/core/error.h"
#include "scale/files/loaded_leaves.h"
#include "tests/support/host_bvh.h"

namespace copse {

namespace {

using detail::LeftCluster;
using detail::LinkedPair;
using detail::LinkedPart;

/// A tree as its links, [slot].
std::vector<LinkedPair> links_of(const Mesh& mesh) {
  Context host({.backend = Backend::cpu, .workers = 1});
  const Bvh tree = build(host, test::host_view(mesh), HplocOptions{});
  std::vector<LinkedPair> links(mesh.triangles.size());
  const std::vector<BvhNode> nodes = tree.nodes.download(2 * links.size() - 1);
  for (u64 place = 1; place < nodes.size(); ++place) {
    const BvhNode& node = nodes[place];
    links[(place + 1) / 2].links[(place + 1) % 2] = node.is_leaf() ? link_to_leaf(node.first) : node.first;
  }
  return links;
}

/// The oracle. Each step down counts, so that a circle is noticed. Returns the first leaf below a link.
u64 visit(const std::vector<LinkedPair>& links, u64 link, std::set<u64>& visited, bool& is_tree) {
  if (linked_slot(link) >= links.size() || !visited.insert(link).second) is_tree = false;
  if (!is_tree || links_to_leaf(link)) return linked_slot(link);
  const LinkedPair& pair = links[linked_slot(link)];
  const u64 left = visit(links, pair.links[0], visited, is_tree);
  const u64 right = visit(links, pair.links[1], visited, is_tree);
  is_tree = is_tree && left < right && right == linked_slot(link);
  return left;
}

bool is_tree(const std::vector<LinkedPair>& links) {
  std::set<u64> children;
  for (u64 slot = 1; slot < links.size(); ++slot) children.insert(links[slot].links, links[slot].links + 2);
  for (u64 slot = 1; slot < links.size(); ++slot) {
    if (children.count(link_to_pair(slot)) > 0) continue;
    std::set<u64> visited;
    bool is_one = true;
    const u64 first = visit(links, link_to_pair(slot), visited, is_one);
    return is_one && first == 0 && visited.size() == 2 * links.size() - 1;
  }
  return false;
}

/// Cuts links into parts, and returns the border pairs.
std::vector<BorderPair> border_pairs_of(const std::vector<LinkedPair>& links, const std::vector<u64>& begins) {
  std::vector<LeftCluster> left;
  for (size_t part = 0; part + 1 < begins.size(); ++part) {
    const LinkedPart linked("tree", begins[part],
                            {links.begin() + i64(begins[part]), links.begin() + i64(begins[part + 1])},
                            links.size());
    left.insert(left.end(), linked.left().begin(), linked.left().end());
  }
  return detail::join_left_clusters("tree", left);
}

bool is_accepted(const std::vector<LinkedPair>& links, const std::vector<u64>& begins) {
  try {
    border_pairs_of(links, begins);
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_file);
    return false;
  }
}

TEST(LinkedPart, LeavesFewPairsToTheBorders) {
  const std::vector<LinkedPair> links = links_of(generate_random(20000, 0.01f));
  EXPECT_TRUE(is_tree(links));
  EXPECT_TRUE(border_pairs_of(links, {0, 20000}).empty());
  for (const u64 border : {1, 2, 7777, 10000, 19999}) {
    const std::vector<BorderPair> pairs = border_pairs_of(links, {0, border, 20000});
    std::set<u64> stored;
    for (const BorderPair& pair : pairs) {
      EXPECT_TRUE(pair.links[0] == links[pair.slot].links[0] && pair.links[1] == links[pair.slot].links[1]);
      for (const u64 link : pair.links) EXPECT_EQ(stored.count(link_to_pair(pair.slot)), 0u) << "before " << link;
      stored.insert(pair.links, pair.links + 2);
    }
    EXPECT_GT(pairs.size(), 0u);
    EXPECT_LT(pairs.size(), 1000u);
  }
}

/// Links as if so many leaves came before them.
std::vector<LinkedPair> moved_by(u64 before, std::vector<LinkedPair> links) {
  for (LinkedPair& pair : links) {
    for (u64& link : pair.links) link += 2 * before;
  }
  return links;
}

/// Slots and links of the whole tree have 64 bits, those within a part 32.
TEST(LinkedPart, IsTheSameBehindManyLeaves) {
  constexpr u64 before = u64{1} << 33, n = 3000, begin = 1000;
  const std::vector<LinkedPair> links = links_of(generate_random(n, 0.05f));
  const std::vector<LinkedPair> part(links.begin() + begin, links.end());
  const LinkedPart near("tree", begin, part, n), far("tree", before + begin, moved_by(before, part), before + n);
  ASSERT_EQ(far.left().size(), near.left().size());
  for (size_t i = 0; i < near.left().size(); ++i) {
    const LeftCluster &a = near.left()[i], &b = far.left()[i];
    EXPECT_EQ(a.slot + before, b.slot);
    EXPECT_EQ(a.link + 2 * before, b.link);
    EXPECT_EQ(a.pair.links[0] + 2 * before, b.pair.links[0]);
    EXPECT_EQ(a.pair.links[1] + 2 * before, b.pair.links[1]);
  }
}

/// A part of a tree with more leaves than one structure can have is written, read, and cut once more.
TEST(LinkedPart, IsReadFromAFileBehindManyLeaves) {
  constexpr u64 before = u64{3} << 30, n = 200, begin = 80, cut = 120;
  const std::vector<LinkedPair> links = moved_by(before, links_of(generate_random(n, 0.05f)));
  const std::vector<LinkedPair> part(links.begin() + begin, links.end());
  ShardFile file;
  file.rank = 1, file.rank_count = 2, file.is_hploc = true;
  file.first_slot = before + begin;
  file.slot_count = file.source_count = before + n;
  file.triangles.resize(n - begin);
  file.triangles.back().primitive = u32(before + n - 1);
  for (const LinkedPair& pair : part) {
    for (const u64 link : pair.links) file.links.push_back(u32(link - 2 * file.first_slot));
  }
  const LinkedPart linked("tree", file.first_slot, part, file.slot_count);
  for (const LeftCluster& left : linked.left()) {
    const u64 k = left.slot - file.first_slot;
    file.links[2 * k] = file.links[2 * k + 1] = invalid_id;
    file.border_pairs.push_back({left.slot, {left.pair.links[0], left.pair.links[1]}});
  }

  const auto path =
      std::filesystem::temp_directory_path() / ("copse-part-" + std::to_string(std::random_device()()));
  const ShardFile loaded = load_shard(path, save_shard(path, file));
  std::filesystem::remove(path);
  detail::LoadedLeaves leaves;
  leaves.add(path, loaded, before + cut, before + n, false);
  ASSERT_EQ(leaves.links.size(), n - cut);
  EXPECT_EQ(leaves.triangles.back().primitive, before + n - 1);
  for (u64 k = 0; k < n - cut; ++k) {
    EXPECT_EQ(leaves.links[k].links[0], links[cut + k].links[0]);
    EXPECT_EQ(leaves.links[k].links[1], links[cut + k].links[1]);
  }
}

/// Of links that are changed at random, those are accepted that form a tree, however they are cut.
TEST(LinkedPart, RefusesLinksThatFormNoTree) {
  std::mt19937 random(1);
  u32 accepted = 0, refused = 0;
  for (u32 trial = 0; trial < 6000; ++trial) {
    const u32 n = 2 + random() % 40;
    std::vector<LinkedPair> links = links_of(generate_random(n, 0.1f));
    const auto any_link = [&]() -> u64& { return links[1 + random() % (n - 1)].links[random() % 2]; };
    for (u32 change = random() % 3; change > 0; --change) {
      if (random() % 2 == 0) {
        std::swap(any_link(), any_link());
      } else {
        any_link() = random() % 8 == 0 ? LinkedPair::none : random() % (2 * n + 2);
      }
    }
    const u64 first = random() % (n + 1), second = first + random() % (n + 1 - first);
    const bool expected = is_tree(links);
    EXPECT_EQ(is_accepted(links, {0, n}), expected) << "trial " << trial;
    EXPECT_EQ(is_accepted(links, {0, first, second, n}), expected) << "trial " << trial;
    (expected ? accepted : refused) += 1;
  }
  EXPECT_GT(accepted, 1000u);
  EXPECT_GT(refused, 1000u);
}

}  // namespace

}  // namespace copse

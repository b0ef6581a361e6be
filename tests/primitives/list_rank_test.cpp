#include "primitives/list_rank.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "primitives/core/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/sizes.h"

namespace copse::test {

class ListRank : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(ListRank);

/// The successors in lists. At first each node is a list of its own.
struct Lists {
  std::vector<u32> next;
  u32 head = 0;

  explicit Lists(u64 n) : next(n, invalid_id) {}
  void link(const std::vector<u32>& order) {
    for (size_t i = 0; i + 1 < order.size(); ++i) next[order[i]] = order[i + 1];
  }
};

std::vector<u32> shuffled_ids(u64 n, u32 seed) {
  std::vector<u32> ids(n);
  std::iota(ids.begin(), ids.end(), 0u);
  std::shuffle(ids.begin(), ids.end(), std::mt19937(seed));
  return ids;
}

std::vector<u32> slow_ranks(const Lists& lists) {
  std::vector<u32> ranks(lists.next.size(), invalid_id);
  u32 rank = 0;
  for (u32 node = lists.head; node < ranks.size() && ranks[node] == invalid_id; node = lists.next[node]) {
    ranks[node] = rank++;
  }
  return ranks;
}

std::vector<u32> ranks_of(Context& context, const Lists& lists) {
  const Buffer<u32> next(context, lists.next);
  Buffer<u32> ranks(context, lists.next.size());
  list_rank(context, next.span(), lists.head, ranks.span());
  return ranks.download();
}

/// Returns one list of all nodes in the given order.
Lists list_in_order(const std::vector<u32>& order) {
  Lists lists(order.size());
  lists.link(order);
  if (!order.empty()) lists.head = order.front();
  return lists;
}

/// Returns sizes around blocks of 64 nodes and lists of 128 nodes, and sizes at which a third and a fourth level
/// begin.
std::vector<u64> list_sizes() {
  auto sizes = boundary_sizes();
  sizes.insert(sizes.end(), {63, 64, 65, 127, 128, 129, 130, 8127, 8128, 8129, 8130});
  return sizes;
}

TEST_P(ListRank, FollowsAShuffledList) {
  for (u64 n : list_sizes()) {
    const Lists lists = list_in_order(shuffled_ids(n, u32(n)));
    ASSERT_EQ(ranks_of(context(), lists), slow_ranks(lists)) << n;
  }
}

TEST_P(ListRank, FollowsRegularLists) {
  const u64 n = 20011;  // a prime
  for (u64 step : {u64{1}, u64{2}, u64{63}, u64{64}, u64{65}, u64{4096}, n - 1}) {
    std::vector<u32> order(n);
    for (u64 i = 0; i < n; ++i) order[i] = u32(i * step % n);
    const Lists lists = list_in_order(order);
    ASSERT_EQ(ranks_of(context(), lists), slow_ranks(lists)) << step;
  }
}

TEST_P(ListRank, EndsAtANodeThatIsItsOwnSuccessorOrPointsPastTheEnd) {
  for (u64 n : {2, 100, 5000}) {
    const auto order = shuffled_ids(n, 4);
    for (u32 end : {order.back(), u32(n), u32(n + 7), invalid_id - 1, invalid_id}) {
      Lists lists = list_in_order(order);
      lists.next[order.back()] = end;
      ASSERT_EQ(ranks_of(context(), lists), slow_ranks(lists)) << n << " ending in " << end;
    }
  }
}

TEST_P(ListRank, EndsARingAtItsHead) {
  for (u64 n : {1, 2, 100, 129, 5000, 20000}) {
    const auto order = shuffled_ids(n, 5);
    for (u64 start : {u64{0}, n / 2, n - 1}) {
      Lists ring = list_in_order(order);
      ring.next[order.back()] = order.front();
      ring.head = order[start];
      ASSERT_EQ(ranks_of(context(), ring), slow_ranks(ring)) << n;
    }
  }
}

TEST_P(ListRank, LeavesNodesOfOtherListsAndRingsWithoutRank) {
  for (u64 n : {20, 1000, 30000}) {
    const auto ids = shuffled_ids(n, 6);
    const auto third = [&](u64 k) {
      return std::vector<u32>(ids.begin() + i64(k * n / 3), ids.begin() + i64((k + 1) * n / 3));
    };
    Lists lists(n);
    for (u64 k = 0; k < 3; ++k) lists.link(third(k));
    lists.next[third(2).back()] = third(2).front();
    for (u32 head : {third(0).front(), third(1).front(), third(0)[2], third(0).back()}) {
      lists.head = head;
      ASSERT_EQ(ranks_of(context(), lists), slow_ranks(lists)) << n;
    }
  }
}

TEST_P(ListRank, WorksInPlace) {
  const Lists lists = list_in_order(shuffled_ids(10000, 7));
  Buffer<u32> nodes(context(), lists.next);
  list_rank(context(), nodes.span(), lists.head, nodes.span());
  EXPECT_EQ(nodes.download(), slow_ranks(lists));
}

/// Checks the result for links that are no list: the right ranks or none, as on the CPU.
void expect_right_or_none(Context& context, const Lists& lists) {
  Context cpu({.backend = Backend::cpu});
  const auto expected = ranks_of(cpu, lists);
  if (expected != slow_ranks(lists)) {
    EXPECT_EQ(expected, std::vector<u32>(lists.next.size(), invalid_id));
  }
  for (int repeat = 0; repeat < 3; ++repeat) EXPECT_EQ(ranks_of(context, lists), expected);
}

TEST_P(ListRank, FindsAListThatRunsIntoItself) {
  for (u64 n : {3, 100, 129, 1000, 20000}) {
    const auto order = shuffled_ids(n, 8);
    for (u64 back : {u64{1}, n / 2, n - 2}) {
      Lists lists = list_in_order(order);
      lists.next[order.back()] = order[back];
      EXPECT_EQ(ranks_of(context(), lists), std::vector<u32>(n, invalid_id)) << n << " back to " << back;
    }
  }
}

TEST_P(ListRank, GivesTheRightRanksOrNoneWhereListsJoin) {
  for (u64 n : {100, 1000, 20000}) {
    for (u32 seed = 0; seed < 5; ++seed) {
      const auto ids = shuffled_ids(n, 10 + seed);
      Lists lists(n);
      lists.link({ids.begin(), ids.begin() + i64(n / 2)});
      lists.link({ids.begin() + i64(n / 2), ids.end()});
      lists.next[ids.back()] = ids[n / 4];
      lists.head = ids.front();
      expect_right_or_none(context(), lists);
    }
  }
}

TEST_P(ListRank, EndsOnRandomSuccessorsAndOnASingleOneForAll) {
  std::mt19937 random(11);
  for (u64 n : {100, 1000, 20000}) {
    Lists lists(n);
    for (u32& next : lists.next) next = u32(random() % (n + 5));
    expect_right_or_none(context(), lists);
    std::fill(lists.next.begin(), lists.next.end(), u32(n / 3));
    expect_right_or_none(context(), lists);
    std::fill(lists.next.begin(), lists.next.end(), invalid_id);
    expect_right_or_none(context(), lists);
  }
}

TEST_P(ListRank, RefusesWhatDoesNotFit) {
  Buffer<u32> next(context(), 10), ranks(context(), 9);
  EXPECT_COPSE_ERROR(list_rank(context(), next.span(), 0, ranks.span()), ErrorCode::invalid_argument,
                     "9 ranks for 10");
  EXPECT_COPSE_ERROR(list_rank(context(), next.span(), 10, next.span()), ErrorCode::invalid_argument,
                     "node 10 of 10");
  EXPECT_COPSE_ERROR(list_rank(context(), next.span().first(9), 0, next.span().subspan(1, 9)),
                     ErrorCode::invalid_argument, "overlap");
}

TEST_P(ListRank, TellsItsScratch) {
  for (u64 n : {1, 128, 129, 8128, 8129, 100000}) {
    Context fresh({.backend = context().backend()});
    const Lists lists = list_in_order(shuffled_ids(n, 12));
    fresh.reserve_scratch(list_rank_scratch_bytes(n));
    const u64 reserved = fresh.scratch_bytes();
    EXPECT_EQ(ranks_of(fresh, lists), slow_ranks(lists));
    EXPECT_EQ(fresh.scratch_bytes(), reserved) << n;
  }
}

TEST_P(ListRank, LargeListsAreRankedInAFewLevels) {
  const Lists lists = list_in_order(shuffled_ids((u64{1} << 23) + 3, 13));
  EXPECT_EQ(ranks_of(context(), lists), slow_ranks(lists));
}

}  // namespace copse::test

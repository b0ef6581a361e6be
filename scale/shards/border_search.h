#pragma once

// Finds where to cut the Morton curve, so that each rank gets its share of the triangles.
//
// All ranks count their keys by the highest 11 bits, and add up the counts. The border before rank r of R should be
// where r / R of all keys are below it. If a bin ends close enough to that, the border is there. Otherwise the bin
// that contains it is counted by its next 11 bits, and so on. After the last bits, a bin is a run of equal keys,
// which are in the order of their ranks and ids; then the border cuts the run. So any input is divided evenly, even
// if all triangles are equal.
//
// Close enough means within 1 % of a share. If several bins end there, the end with the most zero bits is taken: it
// is between two large cells of the curve, so that few nodes of the tree reach across the border.
//
// Nothing here depends on the order of the input or on samples, and every rank finds the same borders.

#include <vector>

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::detail {

/// On the left side of a border are all keys below `key`, and as many of those equal to it as make `slot` triangles.
struct Splitter {
  u64 key = 0;
  u64 slot = 0;  // the number of triangles on the left side
};

/// Bits of a key that one round counts.
struct DigitRange {
  u32 end;    // the bits from this one on are known
  u32 begin;  // the lowest bit that is counted
  COPSE_HD u32 bin_count() const { return 1u << (end - begin); }
};

class BorderSearch {
 public:
  /// Begins to search for the borders between `rank_count` ranks.
  explicit BorderSearch(u32 rank_count);

  /// Returns whether all borders are found.
  bool is_done() const { return open_.empty(); }

  /// The keys to count next: those whose bits from digits().end on are one of prefixes(), which ascend. For each
  /// prefix there is one bin per value of the bits from digits().begin up to digits().end.
  const std::vector<u64>& prefixes() const { return prefixes_; }
  DigitRange digits() const { return digits_; }

  /// Takes the counts of these keys.
  ///   counts: [prefix][value], of all ranks
  void take(const std::vector<u64>& counts);

  /// The borders, [rank - 1]: first the one before rank 1, and so on. Their slots ascend.
  const std::vector<Splitter>& splitters() const { return splitters_; }

 private:
  /// A border that is still searched for.
  struct OpenBorder {
    u32 border;      // its number
    u64 prefix;      // of the bin in which it lies
    u64 first_slot;  // of that bin
  };

  void set_targets(const std::vector<u64>& counts);
  bool find_in_bins(const OpenBorder& open, const u64* counts, OpenBorder& narrowed);
  void list_prefixes();

  u32 rank_count_;
  u64 tolerance_ = 0;
  std::vector<u64> targets_;  // [border]: the ideal slot
  std::vector<Splitter> splitters_;
  std::vector<OpenBorder> open_;
  std::vector<u64> prefixes_;
  DigitRange digits_;
};

}  // namespace copse::detail

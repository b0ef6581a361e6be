#pragma once

#include <string>

#include "primitives/core/context.h"

namespace copse::cli {

/// Checksums of what a backend makes of a mesh and of rays that are the same everywhere.
struct SelfTest {
  u64 tree = 0;   // of an LBVH
  u64 accel = 0;  // of the tree of an Accel
  u64 hits = 0;   // of rays through the Accel

  friend bool operator==(const SelfTest&, const SelfTest&) = default;
};

/// The checksums that every machine and backend gives with this version of Copse.
extern const SelfTest expected_self_test;

/// Builds the trees and traces the rays.
SelfTest run_self_test(Context& context);

/// Returns what differs between two, in words: "the LBVH has the checksum 0x1, not 0x2"; empty if nothing does.
std::string difference(const SelfTest& found, const SelfTest& expected);

}  // namespace copse::cli

#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "builders/geometry/mesh.h"
#include "primitives/core/error.h"
#include "scale/communicator.h"

namespace copse::test {

/// What a rank threw, or nothing.
struct RankOutcome {
  bool has_failed = false;
  ErrorCode code = {};
  std::string text;

  bool operator==(const RankOutcome&) const = default;
};

/// Calls work(comm, rank) for each communicator in a thread of its own, and returns what they threw.
inline std::vector<RankOutcome> run_ranks(std::vector<Communicator> ranks,
                                          const std::function<void(Communicator&, u32)>& work) {
  std::vector<RankOutcome> outcomes(ranks.size());
  std::vector<std::thread> threads;
  for (u32 rank = 0; rank < ranks.size(); ++rank) {
    threads.emplace_back([&, rank, comm = std::move(ranks[rank])]() mutable {
      try {
        Communicator own = std::move(comm);  // it ends with this thread's work
        work(own, rank);
      } catch (const Error& error) {
        outcomes[rank] = {true, error.code(), error.what()};
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

inline void expect_no_error(const std::vector<RankOutcome>& outcomes) {
  for (const RankOutcome& outcome : outcomes) EXPECT_EQ(outcome.text, "");
}

/// Returns the part of each rank, [rank]: triangle i is with rank i % count, so that all boxes overlap before the build.
inline std::vector<Mesh> deal_mesh(const Mesh& mesh, u32 count) {
  std::vector<Mesh> parts(count, Mesh{mesh.positions, {}});
  for (size_t i = 0; i < mesh.triangles.size(); ++i) parts[i % count].triangles.push_back(mesh.triangles[i]);
  return parts;
}

/// Cuts a mesh into parts of consecutive triangles, [rank], each with all positions.
inline std::vector<Mesh> cut_mesh(const Mesh& mesh, const std::vector<u64>& begins) {
  std::vector<Mesh> parts;
  for (size_t rank = 0; rank + 1 < begins.size(); ++rank) {
    parts.push_back(
        {mesh.positions,
         {mesh.triangles.begin() + i64(begins[rank]), mesh.triangles.begin() + i64(begins[rank + 1])}});
  }
  return parts;
}

}  // namespace copse::test

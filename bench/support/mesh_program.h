#pragma once

// The programs that measure over one mesh. Their usage is:
//
//   copse-bench-NAME MESH|hairball [SUBDIVISIONS] [FLAG...] [--benchmark_...]
//
// Each triangle of MESH is cut into 4, SUBDIVISIONS times. So 2 makes testball-x16 of testball. "hairball" is the
// scene hairball-like of `copse bench`.

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <vector>

#include "builders/geometry/mesh.h"

namespace copse::bench {

/// A word that a program accepts beside the mesh, such as --inside.
struct MeshProgramFlag {
  std::string name, description;
  bool* is_given;
};

/// Returns whether a CUDA context can be made.
bool gpu_answers();

/// Runs the benchmarks that were registered. The results name the commit.
void run_benchmarks();

/// Runs the program: measure(mesh) registers benchmarks over the mesh and runs them. Reports words and files that
/// it cannot use on the error output. Returns the exit code.
int run_mesh_program(const std::string& description, int argc, char** argv,
                     const std::function<void(const Mesh&)>& measure,
                     const std::vector<MeshProgramFlag>& flags = {});

}  // namespace copse::bench

#pragma once

// The programs that measure over one mesh:
//
//   copse-bench-NAME MESH|hairball [SUBDIVISIONS] [FLAG...] [--benchmark_...]
//
// Every triangle of MESH is cut into 4, SUBDIVISIONS times (2 makes testball-x16 of testball); "hairball" is the
// scene hairball-like of `copse bench`.

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <vector>

#include "builders/geometry/mesh.h"

namespace copse::bench {

/// A word that a program takes beside the mesh, such as --inside.
struct MeshProgramFlag {
  std::string name, description;
  bool* is_given;
};

/// Whether a CUDA context can be made.
bool gpu_answers();

/// Runs the benchmarks that were registered, with the commit in the results.
void run_benchmarks();

/// The main function: measure(mesh) registers benchmarks over the mesh and runs them. Bad words and files are told
/// on the error output. Returns the exit code.
int run_mesh_program(const std::string& description, int argc, char** argv,
                     const std::function<void(const Mesh&)>& measure,
                     const std::vector<MeshProgramFlag>& flags = {});

}  // namespace copse::bench

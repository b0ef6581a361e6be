#pragma once

// Tables of the public calls. Each test of this folder does something bad to every call: it takes memory away, or it
// cancels. A call that is new in the library gets a row in one of the *_calls.cpp files.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <ostream>
#include <vector>

#include "copse.h"
#include "tests/builders/io/temporary_folder.h"
#include "tests/support/device_mesh.h"

namespace copse::test {

/// The bytes of everything that a call wrote or returned. Equal bytes mean equal results.
using Bytes = std::vector<u8>;

/// Makes the call, and returns the bytes. It may run again, also after an error, and then returns the same bytes.
using Run = std::function<Bytes(Context&)>;

struct Call {
  const char* name;
  std::function<Run(Context&)> prepare;  // makes what the call needs in the memory of the context
};

/// Inputs that most calls share: a sphere of 320 triangles, the same moved, 64 rays of which some miss, and a folder.
struct Given {
  explicit Given(Context& context);

  DeviceMesh mesh, moved;
  Buffer<Ray> rays;
  Buffer<vec3> points;
  Buffer<Aabb> boxes;
  Buffer<Hit> hits;
  Buffer<u8> bytes;
  Buffer<u32> counts;
  Buffer<u64> offsets;
  TemporaryFolder folder;
};

/// Returns a row of the table. `make` returns what the call works on, `run` makes the call and returns its bytes:
///   make(Context&, Given&), run(Context&, Given&, made&)
template <class Make, class RunCall>
Call call(const char* name, Make make, RunCall run) {
  return {name, [make, run](Context& context) -> Run {
            using Made = decltype(make(context, std::declval<Given&>()));
            struct State {
              Given given;
              Made made;
              State(Context& c, const Make& f) : given(c), made(f(c, given)) {}
            };
            auto state = std::make_shared<State>(context, make);
            return [state, run](Context& c) -> Bytes { return run(c, state->given, state->made); };
          }};
}

/// The same for a call that needs the inputs alone: run(Context&, Given&).
template <class RunCall>
Call call(const char* name, RunCall run) {
  return call(
      name, [](Context&, Given&) { return 0; }, [run](Context& c, Given& g, int&) { return run(c, g); });
}

template <class T>
void append(Bytes& bytes, const std::vector<T>& elements) {
  const u8* first = reinterpret_cast<const u8*>(elements.data());
  bytes.insert(bytes.end(), first, first + elements.size() * sizeof(T));
}

/// Returns the bytes of buffers, one after the other.
template <class... T>
Bytes bytes_of(const Buffer<T>&... buffers) {
  Bytes bytes;
  (append(bytes, buffers.download()), ...);
  return bytes;
}

/// Returns the bytes of spans, one after the other.
template <class... T>
Bytes bytes_in(Context& context, BufferSpan<T>... spans) {
  Bytes bytes;
  (append(bytes, download(context, spans)), ...);
  return bytes;
}

Bytes bytes_of(const Bvh& bvh);
template <class Node>
Bytes bytes_of(const WideBvh<Node>& tree) {
  const WideBvhCounts counts = tree.counts.download()[0];
  Bytes bytes = bytes_of(tree.counts);
  append(bytes, tree.nodes.download(counts.node_count));
  append(bytes, tree.primitive_ids.download(tree.primitive_ids.empty() ? 0 : counts.primitive_count));
  return bytes;
}
Bytes bytes_of(const Accel& accel);

std::vector<Call> tree_calls();
std::vector<Call> accel_calls();
std::vector<Call> scene_calls();
std::vector<Call> motion_calls();
std::vector<Call> uniform_grid_calls();
std::vector<Call> voxel_calls();
std::vector<Call> kd_tree_calls();
std::vector<Call> point_calls();
std::vector<Call> primitive_calls();

/// The calls about one kind of structure, or those of primitives. A test of one table takes minutes under a tool that
/// watches the GPU, a test of all tables more than half an hour.
struct CallTable {
  const char* name;
  std::vector<Call> (*calls)();
};
inline void PrintTo(const CallTable& table, std::ostream* out) {
  *out << table.name;
}
inline constexpr CallTable call_tables[] = {{"tree", tree_calls},
                                            {"accel", accel_calls},
                                            {"scene", scene_calls},
                                            {"motion", motion_calls},
                                            {"uniform_grid", uniform_grid_calls},
                                            {"voxels", voxel_calls},
                                            {"kd_tree", kd_tree_calls},
                                            {"points", point_calls},
                                            {"primitives", primitive_calls}};

/// The calls of all tables.
const std::vector<Call>& every_call();

/// Expects that a call has its results after a fault, and that the fault left nothing behind.
///   memory: counts what is live in the context's memory
///   live: what was live before the fault, without scratch
template <class Memory>
void expect_works_again(Context& context, const Memory& memory, const Run& run, const Bytes& expected, u64 live) {
  context.release_scratch();
  const u64 live_after_fault = memory.live_count();
  EXPECT_TRUE(run(context) == expected) << "the call has other results than without the fault";
  context.release_scratch();
  // A structure may keep what it grew by, such as masks.
  EXPECT_LE(live_after_fault, std::max(live, memory.live_count())) << "the fault left memory behind";
}

}  // namespace copse::test

// Ranks that are processes: run it by mpirun. Every process checks, and the exit code is 1 if one of them finds a fault.
// With the argument "die", one process kills itself while the others wait for it.

#include "scale/mpi_communicator.h"

#include <csignal>
#include <random>

#include "accel/accel_rays.h"
#include "builders/bvh/build.h"
#include "scale/nccl_communicator.h"
#include "scale/sharded_queries.h"
#include "scale/sharded_rays.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/host_bvh.h"

namespace copse {

namespace {

u32 fault_count = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "fault: %s\n", what.c_str());
  ++fault_count;
}

/// Returns where the parts of the ranks begin, the same on all processes.
std::vector<u64> cuts(u64 triangle_count, u32 count, std::mt19937& random) {
  std::vector<u64> begins{0, triangle_count};
  while (begins.size() <= count) begins.push_back(random() % (triangle_count + 1));
  std::sort(begins.begin(), begins.end());
  return begins;
}

std::vector<Ray> rays_through(const Mesh& mesh, u32 rank) {
  std::vector<Ray> rays;
  for (u32 i = rank; i < mesh.triangles.size() && rays.size() < 50; i += 3) {
    const vec3 target = mesh.positions[mesh.triangles[i].x];
    rays.push_back({target - vec3(1, 2, 3), 0, vec3(1, 2, 3), 4});
  }
  return rays;
}

/// The tree that the ranks gather, and the hits of each, against those of this process alone.
void check_mesh(Communicator& comm, Context& context, const test::NamedMesh& named, std::mt19937& random) {
  const Mesh& mesh = named.mesh;
  const std::vector<u64> begins = cuts(mesh.triangles.size(), comm.size(), random);
  std::vector<TriangleView> views;
  for (u32 rank = 0; rank < comm.size(); ++rank) {
    TriangleView view = test::host_view(mesh);
    view.triangles =
        BufferSpan<const uvec3>(mesh.triangles.data() + begins[rank], begins[rank + 1] - begins[rank]);
    view.geometry = rank;
    views.push_back(view);
  }
  const u32 root = comm.size() - 1;
  ShardedBvh shard = build_sharded(comm, context, views[comm.rank()], {.hploc_radius = 3});
  const Bvh hploc = gather(comm, context, shard, root);
  rebuild(comm, context, shard, views[comm.rank()]);
  refit(comm, context, shard, views[comm.rank()]);  // nothing has moved, so the tree stays
  const Bvh whole = gather(comm, context, shard, root);
  const ShardedAccel sharded = make_accel(comm, context, shard, Quality::fast);
  const Buffer<Ray> rays(context, rays_through(mesh, comm.rank()));
  Buffer<Hit> hits(context, rays.size()), expected_hits(context, rays.size());
  closest_hits(comm, context, sharded, rays.span(), hits.span());
  const std::vector<vec3> host_points(mesh.positions.begin(),
                                      mesh.positions.begin() + i64(std::min<size_t>(mesh.positions.size(), 40)));
  const Buffer<vec3> points(context, host_points);
  Buffer<NearestPoint> nearest(context, points.size()), expected_nearest(context, points.size());
  nearest_points(comm, context, sharded, points.span(), nearest.span());

  if (comm.rank() == root) {
    const Bvh expected = build(context, views, LbvhOptions{});
    expect(test::same_bytes(test::BvhCopy(whole), test::BvhCopy(expected)),
           named.name + ": the gathered tree differs");
    const Bvh expected_hploc = build(context, views, HplocOptions{.radius = 3, .morton_bits = 63});
    expect(test::same_bytes(test::BvhCopy(hploc), test::BvhCopy(expected_hploc)),
           named.name + ": the gathered H-PLOC tree differs");
  }
  const Accel accel = build(context, views);
  closest_hits(context, accel, rays.span(), expected_hits.span());
  expect(test::same_bytes(hits.download(), expected_hits.download()), named.name + ": hits differ");
  nearest_points(context, accel, points.span(), expected_nearest.span());
  expect(test::same_bytes(nearest.download(), expected_nearest.download()),
         named.name + ": nearest points differ");
}

void check_errors(Communicator& comm) {
  const u32 failing = comm.size() - 1;
  std::string text;
  try {
    comm.agree([&] {
      if (comm.rank() == failing) throw Error(ErrorCode::capacity, "too large");
    });
  } catch (const Error& error) {
    text = error.what();
  }
  const std::string expected = comm.size() == 1 ? "too large" : "rank " + std::to_string(failing) + ": too large";
  expect(text == expected, "the error of all ranks is: " + text);
  std::vector<u64> sums{comm.rank(), u64{1} << 40};
  comm.sum(sums);
  expect(sums == std::vector<u64>{u64{comm.size()} * (comm.size() - 1) / 2, u64{comm.size()} << 40}, "sums");
}

/// What cannot join NCCL is refused on all processes.
void check_refusal_of_nccl(Context& context) {
  std::string text;
  try {
    communicator_of_nccl(context, communicator_of_mpi(MPI_COMM_WORLD));
  } catch (const Error& error) {
    text = error.what();
  }
  expect(text.ends_with("communicator_of_nccl: the context is of the backend cpu; NCCL needs one of cuda"),
         "the refusal of NCCL is: " + text);
}

void check_all() {
  Context context({.backend = Backend::cpu, .workers = 1});
  check_refusal_of_nccl(context);
  for (const u64 message_bytes : {u64{1} << 30, u64{1000}}) {
    Communicator comm = communicator_of_mpi(MPI_COMM_WORLD, message_bytes);
    check_errors(comm);
    std::mt19937 random(7);
    const std::vector<test::NamedMesh> meshes = test::hard_meshes();
    const size_t step = message_bytes == 1000 ? 5 : 1;  // small messages are slow
    for (size_t i = 0; i < meshes.size(); i += step) check_mesh(comm, context, meshes[i], random);
  }
}

/// The last process ends without a word. The others must not wait for it for ever: mpirun ends them.
void die_while_others_wait() {
  Communicator comm = communicator_of_mpi(MPI_COMM_WORLD);
  comm.agree([] {});
  if (comm.rank() + 1 == comm.size()) std::raise(SIGKILL);
  comm.agree([] {});
}

std::string error_of_message_bytes(u64 message_bytes) {
  try {
    communicator_of_mpi(MPI_COMM_WORLD, message_bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

}  // namespace copse

int main(int argc, char** argv) {
  using namespace copse;
  expect(error_of_message_bytes(1) == "communicator_of_mpi: MPI is not initialised; call MPI_Init first",
         "MPI_Init");
  MPI_Init(&argc, &argv);
  expect(error_of_message_bytes(0) == "communicator_of_mpi: message_bytes is 0; it can be 1 to 2147483647",
         "no bytes");
  try {
    if (argc > 1 && std::string(argv[1]) == "die") die_while_others_wait();
    check_all();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fault: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return fault_count > 0 ? 1 : 0;
}

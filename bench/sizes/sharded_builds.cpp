#include "bench/sizes/sharded_builds.h"

#include <benchmark/benchmark.h>

#include <map>
#include <string>

#include "bench/sizes/counted_ranks.h"
#include "bench/sizes/height_field.h"
#include "builders/bvh/checksum.h"
#include "copse.h"

namespace copse::bench {
namespace {

/// Makes a group of ranks at its first use, and forgets the one before.
class RanksKeeper {
 public:
  explicit RanksKeeper(Backend backend) : backend_(backend) {}

  CountedRanks& get(u32 count) {
    if (ranks_ == nullptr || ranks_->count() != count) {
      ranks_.reset();
      link_rate_ = 0;
      ranks_ = std::make_unique<CountedRanks>(backend_, count);
    }
    return *ranks_;
  }

  /// Returns the bytes per second that leave each rank when all ranks send to all others.
  double link_rate(u32 count);

  Backend backend() const { return backend_; }

 private:
  Backend backend_;
  std::unique_ptr<CountedRanks> ranks_;
  double link_rate_ = 0;
};

/// Memory of a rank that it sends to the others, and room for what they send.
struct Pieces {
  Buffer<u8> send, receive;
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;

  /// bytes_to(from, to): what goes from one rank to another one
  template <class Bytes>
  Pieces(Context& context, const Communicator& comm, const Bytes& bytes_to) {
    u64 sent = 0, received = 0;
    for (u32 other = 0; other < comm.size(); ++other) {
      sent += bytes_to(comm.rank(), other);
      received += bytes_to(other, comm.rank());
    }
    send = Buffer<u8>(context, sent);
    receive = Buffer<u8>(context, received);
    u64 send_at = 0, receive_at = 0;
    for (u32 other = 0; other < comm.size(); ++other) {
      outgoing.push_back({send.data() + send_at, bytes_to(comm.rank(), other)});
      incoming.push_back({receive.data() + receive_at, bytes_to(other, comm.rank())});
      send_at += outgoing.back().bytes;
      receive_at += incoming.back().bytes;
    }
  }
};

/// Returns the seconds of an exchange, of the best of several.
template <class Bytes>
double exchange_seconds(CountedRanks& ranks, const Bytes& bytes_to) {
  std::vector<std::unique_ptr<Pieces>> pieces(ranks.count());
  ranks.run([&](Communicator& comm, Context& context) {
    comm.agree([&] { pieces[comm.rank()] = std::make_unique<Pieces>(context, comm, bytes_to); });
  });
  double best = 0;
  for (u32 repeat = 0; repeat < 5; ++repeat) {
    const double seconds = ranks.time([&](Communicator& comm, Context& context) {
      comm.exchange(context, pieces[comm.rank()]->outgoing, pieces[comm.rank()]->incoming);
    });
    best = repeat == 0 ? seconds : std::min(best, seconds);
  }
  return best;
}

/// Every rank sends `bytes`, in equal pieces to all others.
double all_to_all_seconds(CountedRanks& ranks, u64 bytes) {
  const u64 piece = bytes / (ranks.count() - 1);
  return exchange_seconds(ranks, [&](u32 from, u32 to) { return from == to ? u64{0} : piece; });
}

double RanksKeeper::link_rate(u32 count) {
  CountedRanks& ranks = get(count);
  const u64 bytes = backend_ == Backend::cuda ? u64{1} << 28 : u64{1} << 22;
  if (link_rate_ == 0) link_rate_ = double(bytes) / all_to_all_seconds(ranks, bytes);
  return link_rate_;
}

/// Runs a row. If it cannot run here, it says why.
template <class Work>
void guarded(benchmark::State& state, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}

void measure_all_to_all(benchmark::State& state, RanksKeeper& keeper, u32 count, u64 bytes) {
  guarded(state, [&] {
    CountedRanks& ranks = keeper.get(count);
    double seconds = 0;
    for (auto _ : state) {
      seconds = all_to_all_seconds(ranks, bytes);
      state.SetIterationTime(seconds);
    }
    state.counters["leaving_gb_per_s"] = double(bytes) / seconds * 1e-9;
  });
}

/// One rank sends to another one, for all pairs one after another.
void measure_pairs(benchmark::State& state, RanksKeeper& keeper, u32 count, u64 bytes) {
  guarded(state, [&] {
    CountedRanks& ranks = keeper.get(count);
    for (auto _ : state) {
      double sum = 0, slowest = 0, fastest = 0;
      for (u32 pair = 0; pair < count * count; ++pair) {
        const u32 source = pair / count, target = pair % count;
        if (source == target) continue;
        const double seconds = exchange_seconds(
            ranks, [&](u32 from, u32 to) { return from == source && to == target ? bytes : u64{0}; });
        sum += seconds;
        slowest = std::max(slowest, seconds);
        fastest = fastest == 0 ? seconds : std::min(fastest, seconds);
      }
      state.SetIterationTime(sum);
      state.counters["slowest_gb_per_s"] = double(bytes) / slowest * 1e-9;
      state.counters["fastest_gb_per_s"] = double(bytes) / fastest * 1e-9;
    }
  });
}

struct BuildRow {
  bool is_hploc, is_refit;
  u32 rank_count;
  u64 triangle_count;
  bool is_scattered;
  bool is_checked;
};

/// Calls work(options) with those of the builder on one context.
template <class Work>
auto with_builder(bool is_hploc, const Work& work) {
  return is_hploc ? work(HplocOptions{}) : work(LbvhOptions{});
}

/// The triangles of all ranks, and their trees.
struct RankTrees {
  bool is_hploc;
  std::vector<HeightField> fields;
  std::vector<ShardedBvh> shards;

  RankTrees(CountedRanks& ranks, const BuildRow& row)
      : is_hploc(row.is_hploc), fields(ranks.count()), shards(ranks.count()) {
    ranks.run([&](Communicator& comm, Context& context) {
      comm.agree([&] {
        fields[comm.rank()] = make_height_field(
            context, row.is_scattered ? FieldPart::scattered(row.triangle_count, comm.size(), comm.rank())
                                      : FieldPart::region(row.triangle_count, comm.size(), comm.rank()));
      });
    });
  }

  u64 triangle_count() const { return fields.size() * fields[0].triangles.size(); }

  /// Builds the trees anew. The old ones are freed before.
  void build(Communicator& comm, Context& context) {
    ShardedBvh& shard = shards[comm.rank()];
    shard = {};
    shard = build_sharded(comm, context, fields[comm.rank()].view(), options());
  }

  /// Those of with_builder.
  ShardedBuildOptions options() const {
    if (!is_hploc) return {};
    return {.morton_bits = HplocOptions{}.morton_bits, .hploc_radius = HplocOptions{}.radius};
  }

  void refit(Communicator& comm, Context& context) {
    copse::refit(comm, context, shards[comm.rank()], fields[comm.rank()].view());
  }
};

/// The stages of a call, each with the time of the slowest rank.
template <class Work>
void count_stages(benchmark::State& state, CountedRanks& ranks, const Work& work) {
  std::vector<std::map<std::string, double>> sums(ranks.count());
  ranks.run([&](Communicator& comm, Context& context) {
    context.profile().clear();
    context.profile().record(true);
    work(comm, context);
    context.profile().record(false);
    for (const Stage& stage : context.profile().stages()) {
      if (stage.depth == 1) sums[comm.rank()][stage.label] += stage.milliseconds;
    }
    context.profile().clear();
  });
  for (const auto& of_rank : sums) {
    for (const auto& [label, milliseconds] : of_rank) {
      benchmark::Counter& counter = state.counters["ms " + label];
      counter = std::max(double(counter), milliseconds);
    }
  }
}

/// The time for the work of each rank without the others, and for the bytes of the rank that sends the most.
void count_bound(benchmark::State& state, RanksKeeper& keeper, CountedRanks& ranks, double seconds,
                 double local_seconds, double moved_bytes) {
  const double link_seconds = ranks.count() == 1 ? 0 : moved_bytes / keeper.link_rate(ranks.count());
  state.counters["moved_bytes_of_a_rank"] = moved_bytes;
  state.counters["local_ms"] = local_seconds * 1e3;
  state.counters["link_ms"] = link_seconds * 1e3;
  state.counters["times_bound"] = seconds / (local_seconds + link_seconds);
}

/// All ranks build or refit trees of their own triangles alone, at once.
double local_seconds(CountedRanks& ranks, const RankTrees& trees, bool is_refit) {
  std::vector<Bvh> own(ranks.count());
  double best = 0;
  for (u32 repeat = 0; repeat < 4; ++repeat) {
    const double seconds = ranks.time([&](Communicator& comm, Context& context) {
      Bvh& bvh = own[comm.rank()];
      comm.agree([&] {
        const TriangleView view = trees.fields[comm.rank()].view();
        if (repeat == 0) {
          bvh = with_builder(trees.is_hploc,
                             [&](const auto& options) { return copse::build(context, view, options); });
        } else if (is_refit) {
          copse::refit(context, bvh, view);
        } else {
          with_builder(trees.is_hploc, [&](const auto& options) { copse::rebuild(context, bvh, view, options); });
        }
      });
    });
    best = repeat <= 1 ? seconds : std::min(best, seconds);  // the first one makes the trees
  }
  return best;
}

/// Whether the parts are the tree that one context builds of all triangles.
bool are_one_tree(CountedRanks& ranks, const RankTrees& trees) {
  u64 found = 0, expected = 0;
  ranks.run([&](Communicator& comm, Context&) {
    Context host({.backend = Backend::cpu});
    const Bvh whole = gather(comm, host, trees.shards[comm.rank()]);
    if (comm.rank() == 0) found = checksum(host, whole);
  });
  Context host({.backend = Backend::cpu});
  std::vector<Buffer<vec3>> positions;
  std::vector<Buffer<uvec3>> triangles;
  std::vector<TriangleView> views;
  for (const HeightField& field : trees.fields) {
    positions.emplace_back(host, field.positions.download());
    triangles.emplace_back(host, field.triangles.download());
    views.push_back({.positions = positions.back().span(), .triangles = triangles.back().span()});
  }
  expected = with_builder(trees.is_hploc,
                          [&](const auto& options) { return checksum(host, copse::build(host, views, options)); });
  return found == expected;
}

void measure_tree(benchmark::State& state, RanksKeeper& keeper, const BuildRow& row) {
  guarded(state, [&] {
    CountedRanks& ranks = keeper.get(row.rank_count);
    RankTrees trees(ranks, row);
    const double local = local_seconds(ranks, trees, row.is_refit);
    const auto build = [&](Communicator& comm, Context& context) { trees.build(comm, context); };
    const auto fit = [&](Communicator& comm, Context& context) { trees.refit(comm, context); };
    const auto work = [&](Communicator& comm, Context& context) {
      row.is_refit ? fit(comm, context) : build(comm, context);
    };
    ranks.run(build);
    if (row.is_refit) ranks.run(fit);  // the first one finds the routes
    double sum = 0;
    for (auto _ : state) {
      ranks.forget_traffic();
      const double seconds = ranks.time(work);
      state.SetIterationTime(seconds);
      sum += seconds;
    }
    const double seconds = sum / double(state.iterations());
    state.counters["triangles"] = double(trees.triangle_count());
    state.counters["ns_per_triangle"] = seconds / double(trees.triangle_count()) * 1e9;
    count_bound(state, keeper, ranks, seconds, local, double(ranks.max_bytes()));
    count_stages(state, ranks, work);
    if (row.is_checked && !are_one_tree(ranks, trees)) {
      state.SkipWithError("the gathered tree is not that of one context");
    }
  });
}

template <class Function>
void add(const std::string& name, const Function& function) {
  benchmark::RegisterBenchmark(name.c_str(), function)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->MinTime(0.1);
}

void add_links(const std::shared_ptr<RanksKeeper>& keeper, u32 count) {
  const std::string ranks = "/ranks:" + std::to_string(count);
  const bool is_gpu = keeper->backend() == Backend::cuda;
  for (const u64 bytes : {u64{1} << 16, u64{1} << 20, u64{1} << 26, u64{1} << 30}) {
    if (!is_gpu && bytes > u64{1} << 20) break;
    const std::string size = "/bytes:" + std::to_string(bytes);
    add("links/all-to-all" + ranks + size,
        [=](benchmark::State& state) { measure_all_to_all(state, *keeper, count, bytes); });
    if (bytes > u64{1} << 26) continue;
    add("links/pairs" + ranks + size,
        [=](benchmark::State& state) { measure_pairs(state, *keeper, count, bytes); });
  }
}

}  // namespace

void add_sharded_builds(const RankRows& rows) {
  const auto keeper = std::make_shared<RanksKeeper>(rows.backend);
  for (const u32 count : rows.rank_counts) {
    if (count > 1) add_links(keeper, count);
  }
  const std::vector<u64> on_gpus{10'000'000,    100'000'000,   1'000'000'000,
                                 2'000'000'000, 4'000'000'000, 6'000'000'000};
  const std::vector<u64> on_cpu{10'000, 100'000, 1'000'000};
  for (const u64 n : rows.backend == Backend::cuda ? on_gpus : on_cpu) {
    for (const u32 count : rows.rank_counts) {
      for (const bool is_scattered : {false, true}) {
        if (is_scattered && count == 1) continue;  // nothing moves
        for (const char* const kind : {"lbvh", "hploc", "refit"}) {
          const std::string name = kind;
          const BuildRow row{
              name == "hploc", name == "refit", count, n, is_scattered, n <= rows.checked_triangles};
          add(name + "-sharded/" + (is_scattered ? "scattered" : "regions") + "/ranks:" + std::to_string(count) +
                  "/n:" + std::to_string(n),
              [=](benchmark::State& state) { measure_tree(state, *keeper, row); });
        }
      }
    }
  }
}

}  // namespace copse::bench

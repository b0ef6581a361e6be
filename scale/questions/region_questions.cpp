// The triangles that touch regions of all ranks. Ranks reply with lists of ids. In the end, keys of region and id are
// sorted, so that lists do not depend on the order of the replies.

#include <bit>
#include <memory>

#include "primitives/core/dispatch.h"
#include "scale/questions/forwarded_region.h"
#include "scale/questions/list_mail.h"
#include "scale/sharded_queries.h"
#include "scale/shards/sharded_accel_access.h"
#include "scale/waves/wave_check.h"
#include "trace/batch/check.h"

namespace copse {

namespace detail {

// The body: region_steps.inl, for either executor.
template <class Executor, class Region>
void begin_regions(const Executor& ex, const Region* regions, u64 n, u32 rank, ForwardedRegion<Region>* live);
template <class Executor, class Region>
void route_regions(const Executor& ex, const ForwardedRegion<Region>* live, u64 n, const SpineView& spine,
                   u32* to);
template <class Executor, class Region>
void count_here(const Executor& ex, const CompressedBvh4View& tree, BufferSpan<const PackedTriangle> triangles,
                u32 rank, u32 rank_count, ForwardedRegion<Region>* live, u64 n, u32* counts, u32* reply_to);
template <class Executor, class Region>
void store_here(const Executor& ex, const CompressedBvh4View& tree, BufferSpan<const PackedTriangle> triangles,
                const ForwardedRegion<Region>* live, const u32* ids, const u64* offsets, u64 count, u32* items);
template <class Executor>
void begin_region_counts(const Executor& ex, u64 n, u32* counts);
template <class Executor>
void add_region_counts(const Executor& ex, const ListHead* heads, u64 count, u32* counts);
template <class Executor>
void place_results(const Executor& ex, const u32* counts, u64 n, u64* offsets, u64* ends);
template <class Executor>
void store_result_keys(const Executor& ex, const ListHead* heads, const u64* offsets, const u32* items, u64 count,
                       u64* ends, u64* keys);
template <class Executor>
void sort_results(const Executor& ex, const u64* keys, u64 count, u32 bits, u64* sorted, u32* primitives);

/// Regions that travel between ranks. Their results are counted, and kept if they are needed.
template <class Region>
class RegionQuestion final : public WaveQuestion<ForwardedRegion<Region>> {
 public:
  using Message = ForwardedRegion<Region>;

  ///   counts: one per region
  RegionQuestion(Communicator& comm, Context& context, const ShardedAccel& accel, BufferSpan<u32> counts,
                 bool keeps_results)
      : mail_(comm, context), accel_(accel), counts_(counts), keeps_results_(keeps_results) {
    dispatch(context, [&](const auto& ex) { begin_region_counts(ex, counts.size(), counts.data()); });
  }

  /// Sends regions from rank to rank until all are done. Collective.
  void run(BufferSpan<const Region> regions) {
    Buffer<Message> live;
    mail_.comm().agree([&] {
      live = Buffer<Message>(context(), regions.size());
      dispatch(context(), [&](const auto& ex) {
        begin_regions(ex, regions.data(), regions.size(), mail_.comm().rank(), live.data());
      });
    });
    run_waves(mail_, std::move(live), *this);
  }

  /// Returns the results of all regions, when all are done.
  OverlapLists lists() {
    const u64 n = counts_.size();
    OverlapLists lists{Buffer<u64>(context(), n + 1), {}};
    Buffer<u64> ends(context(), n);
    dispatch(context(),
             [&](const auto& ex) { place_results(ex, counts_.data(), n, lists.offsets.data(), ends.data()); });
    const u64 total = download(context(), BufferSpan<const u64>(lists.offsets.data() + n, 1))[0];
    Buffer<u64> keys(context(), total), sorted(context(), total);
    lists.primitives = Buffer<u32>(context(), total);
    dispatch(context(), [&](const auto& ex) {
      for (const ListsOfMessages<u32>& wave : waves_) {
        store_result_keys(ex, wave.heads.data(), wave.offsets.data(), wave.items.data(), wave.heads.size(),
                          ends.data(), keys.data());
      }
      sort_results(ex, keys.data(), total, 32 + u32(std::bit_width(n)), sorted.data(), lists.primitives.data());
    });
    return lists;
  }

 private:
  Context& context() const { return mail_.context(); }

  void route(const Buffer<Message>& live, Buffer<u32>& to) override {
    const SpineView spine = ShardedAccelAccess::spine_view(accel_);
    dispatch(context(), [&](const auto& ex) {
      route_regions(ex, static_cast<const Message*>(live.data()), live.size(), spine, to.data());
    });
  }

  void answer(Buffer<Message>& live) override {
    const AccelView own = accel_.own().view();
    SplitByRank back;
    ListsOfMessages<u32> lists;
    mail_.comm().agree([&] {
      Buffer<u32> counts(context(), live.size()), reply_to(context(), live.size());
      dispatch(context(), [&](const auto& ex) {
        count_here(ex, own.tree, own.triangles, mail_.comm().rank(), mail_.comm().size(), live.data(), live.size(),
                   counts.data(), reply_to.data());
      });
      back = mail_.split(reply_to);
      lists.begin(context(), live, counts, back, keeps_results_);
      if (!keeps_results_) return;
      dispatch(context(), [&](const auto& ex) {
        store_here(ex, own.tree, own.triangles, static_cast<const Message*>(live.data()), back.ids.data(),
                   lists.offsets.data(), lists.heads.size(), lists.items.data());
      });
    });
    ListsOfMessages<u32> got = lists.send(mail_, back, keeps_results_);
    mail_.comm().agree([&] {
      dispatch(context(),
               [&](const auto& ex) { add_region_counts(ex, got.heads.data(), got.heads.size(), counts_.data()); });
    });
    if (keeps_results_ && got.heads.size() > 0) waves_.push_back(std::move(got));
  }

  WaveMail mail_;
  const ShardedAccel& accel_;
  BufferSpan<u32> counts_;
  bool keeps_results_;
  std::vector<ListsOfMessages<u32>> waves_;  // the results of each wave
};

}  // namespace detail

template <class Region>
void count_overlaps(Communicator& comm, Context& context, const ShardedAccel& accel,
                    BufferSpan<const Region> regions, BufferSpan<u32> counts) {
  std::unique_ptr<detail::RegionQuestion<Region>> question;
  comm.agree([&] {
    detail::check_sharded("count_overlaps", comm, context, accel);
    detail::check_results("count_overlaps", "regions", regions, counts);
    detail::check_message_count("count_overlaps", "regions", regions.size());
    if (comm.size() == 1) return count_overlaps(context, accel.own(), regions, counts);
    question = std::make_unique<detail::RegionQuestion<Region>>(comm, context, accel, counts, false);
  });
  if (question != nullptr) question->run(regions);
}

template <class Region>
OverlapLists all_overlaps(Communicator& comm, Context& context, const ShardedAccel& accel,
                          BufferSpan<const Region> regions) {
  Buffer<u32> counts;
  std::unique_ptr<detail::RegionQuestion<Region>> question;
  comm.agree([&] {
    detail::check_sharded("all_overlaps", comm, context, accel);
    detail::check_message_count("all_overlaps", "regions", regions.size());
    counts = Buffer<u32>(context, regions.size());
    question = std::make_unique<detail::RegionQuestion<Region>>(comm, context, accel, counts.span(), true);
  });
  question->run(regions);
  OverlapLists lists;
  comm.agree([&] { lists = question->lists(); });
  return lists;
}

#define COPSE_INSTANTIATE(Region)                                                                                \
  template COPSE_API void count_overlaps(Communicator&, Context&, const ShardedAccel&, BufferSpan<const Region>, \
                                         BufferSpan<u32>);                                                       \
  template COPSE_API OverlapLists all_overlaps(Communicator&, Context&, const ShardedAccel&,                     \
                                               BufferSpan<const Region>);
COPSE_INSTANTIATE(Aabb)
COPSE_INSTANTIATE(Sphere)
COPSE_INSTANTIATE(Frustum)
#undef COPSE_INSTANTIATE

}  // namespace copse

#include "primitives/core/profile.h"

namespace copse {

void Profile::begin(const char* label) {
  device_.begin_range(label);
  const bool recorded = record_ && !device_.capturing();
  open_.push_back(recorded ? i64(records_.size()) : -1);
  if (recorded) records_.push_back({label, u32(open_.size() - 1), device_.mark(), nullptr});
}

void Profile::end() noexcept {
  const i64 record = open_.back();
  open_.pop_back();
  if (record >= 0 && size_t(record) < records_.size()) {
    try {
      records_[size_t(record)].end = device_.mark();
    } catch (...) {
      // The device has failed; wait() will say so. The stage stays without a time.
    }
  }
  device_.end_range();
}

void Profile::count_launch(const char* label) {
  ++launch_count_;
  last_label_ = label;
}

std::vector<Stage> Profile::stages() const {
  std::vector<Stage> stages;
  for (const Record& record : records_) {
    const double milliseconds = record.end ? record.end->milliseconds_since(*record.begin) : 0;
    stages.push_back({record.label, milliseconds, record.depth});
  }
  return stages;
}

void Profile::clear() {
  records_.clear();
  for (i64& record : open_) record = -1;
}

}  // namespace copse

#include "primitives/core/profile.h"

#include <memory>

#include "primitives/core/device.h"

namespace copse {

struct Profile::Records {
  struct Record {
    const char* label;
    u32 depth;
    std::unique_ptr<Mark> begin, end;
  };

  Device& device;
  bool record;
  std::vector<Record> all;
  std::vector<i64> open;  // positions in `all`, -1 for a scope that is not recorded
};

Profile::Profile(Device& device, bool record) : records_(new Records{device, record, {}, {}}) {}
Profile::~Profile() {
  delete records_;
}

void Profile::begin(const char* label) {
  Records& records = *records_;
  const bool recorded = records.record && !records.device.capturing();
  const i64 record = recorded ? i64(records.all.size()) : -1;
  records.open.reserve(records.open.size() + 1);  // no error can follow the record, so that each one has its end()
  if (recorded) records.all.push_back({label, u32(records.open.size()), records.device.mark(), nullptr});
  records.open.push_back(record);
  records.device.begin_range(label);
}

void Profile::end() noexcept {
  Records& records = *records_;
  const i64 record = records.open.back();
  records.open.pop_back();
  if (record >= 0 && size_t(record) < records.all.size()) {
    try {
      records.all[size_t(record)].end = records.device.mark();
    } catch (...) {
      // The device has failed; wait() will say so. The stage stays without a time.
    }
  }
  records.device.end_range();
}

void Profile::count_launch(const char* label) {
  ++launch_count_;
  last_label_ = label;
}

void Profile::record(bool on) {
  records_->record = on;
}

std::vector<Stage> Profile::stages() const {
  std::vector<Stage> stages;
  for (const Records::Record& record : records_->all) {
    const double milliseconds = record.end ? record.end->milliseconds_since(*record.begin) : 0;
    stages.push_back({record.label, milliseconds, record.depth});
  }
  return stages;
}

void Profile::clear() {
  records_->all.clear();
  for (i64& record : records_->open) record = -1;
}

}  // namespace copse

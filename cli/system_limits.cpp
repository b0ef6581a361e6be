#include "cli/system_limits.h"

#include <fstream>

namespace copse::cli {

std::optional<u64> limit_of(__rlimit_resource_t resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

std::optional<u64> number_in(const char* file) {
  u64 number = 0;
  if (std::ifstream(file) >> number) return number;
  return std::nullopt;
}

std::optional<u64> memory_bytes(const std::string& name) {
  std::ifstream file("/proc/meminfo");
  std::string word;
  u64 kibibytes = 0;
  while (file >> word) {
    if (word == name + ":" && file >> kibibytes) return kibibytes * 1024;
  }
  return std::nullopt;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t value_at = line.find(": ");
    if (line.starts_with("model name") && value_at != line.npos) return line.substr(value_at + 2);
  }
  return "unknown";
}

std::optional<double> cpu_quota() {
  double quota = 0, period = 0;
  if (std::ifstream("/sys/fs/cgroup/cpu.max") >> quota >> period && period > 0) return quota / period;
  return std::nullopt;
}

}  // namespace copse::cli

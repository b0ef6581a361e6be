// copse doctor: says what this build is, what it finds on this machine, and whether it computes what it should.

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "builders/geometry/primitive_set.h"
#include "cli/commands/command.h"
#include "cli/doctor/cuda_driver.h"
#include "cli/doctor/self_test.h"
#include "cli/exit_code.h"
#include "cli/system_limits.h"
#include "copse_build.h"
#include "copse_commit.h"
#include "trace/simd_name.h"

namespace copse::cli {

namespace {

/// What the doctor says, as JSON and as lines of text.
struct Report {
  Json json;
  Facts facts;
};

void describe_build(Report& report) {
  const bool has_cuda = built_with_cuda();
  report.json["copse"] = {{"version", COPSE_VERSION}, {"commit", COPSE_COMMIT}};
  report.json["build"] = {{"compiler", COPSE_BUILD_COMPILER},
                          {"type", COPSE_BUILD_TYPE},
                          {"flags", COPSE_BUILD_FLAGS},
                          {"cuda", has_cuda ? Json(COPSE_BUILD_CUDA) : Json()},
                          {"cuda_architectures", has_cuda ? Json(COPSE_BUILD_ARCHITECTURES) : Json()}};
  report.facts.add("copse", "{}, commit {}", COPSE_VERSION, COPSE_COMMIT);
  report.facts.add("compiler", "{}, {}{}{}", COPSE_BUILD_COMPILER, COPSE_BUILD_TYPE,
                   std::string_view(COPSE_BUILD_FLAGS).empty() ? "" : ", ", COPSE_BUILD_FLAGS);
  if (has_cuda) {
    report.facts.add("built for CUDA", "{}, architectures {}", COPSE_BUILD_CUDA, COPSE_BUILD_ARCHITECTURES);
  } else {
    report.facts.add("built for CUDA", "no");
  }
}

/// Returns the instruction set by which rays are traced. Highway calls all sets of 512 bits AVX3.
std::string simd_in_words() {
  const std::string name = simd_name();
  return name.starts_with("AVX3") ? "AVX-512 (" + name + " of Highway)" : name;
}

void describe_cpu(Report& report, const Context& cpu) {
  const u32 cores = std::thread::hardware_concurrency();
  const std::optional<double> quota = cpu_quota();
  report.json["cpu"] = {{"name", cpu_model()},
                        {"simd", simd_name()},
                        {"cores", cores},
                        {"threads", cpu.worker_count()},
                        {"quota", quota ? Json(*quota) : Json()}};
  report.facts.add("CPU", "{}", one_line(cpu_model()));
  report.facts.add("", "{}, {}, rays by {}", counted(cores, "cores"), counted(cpu.worker_count(), "threads"),
                   simd_in_words());
  if (quota && *quota < cores) {
    report.facts.add("", "this container may use {:.3g} CPUs: --threads {} may be faster", *quota,
                     std::max(1, int(*quota)));
  }
}

void describe_driver(Report& report, const CudaDriver& driver) {
  Json gpus = Json::array();
  for (const Gpu& gpu : driver.gpus) {
    gpus.push_back({{"name", gpu.name},
                    {"compute_capability", fmt::format("{}.{}", gpu.major, gpu.minor)},
                    {"memory_bytes", gpu.memory_bytes}});
  }
  report.json["driver"] = {{"cuda", driver.version == 0 ? Json() : Json(cuda_version_text(driver.version))},
                           {"problem", driver.problem.empty() ? Json() : Json(driver.problem)},
                           {"gpus", gpus}};
  if (driver.version != 0) {
    report.facts.add("NVIDIA driver", "for CUDA {}", cuda_version_text(driver.version));
    if (!driver.problem.empty()) report.facts.add("", "{}", one_line(driver.problem));
  } else {
    report.facts.add("NVIDIA driver", "{}", one_line(driver.problem));
  }
  for (size_t i = 0; i < driver.gpus.size(); ++i) {
    const Gpu& gpu = driver.gpus[i];
    report.facts.add(fmt::format("GPU {}", i), "{}, compute capability {}.{}, {}", gpu.name, gpu.major, gpu.minor,
                     readable_bytes(gpu.memory_bytes));
  }
}

/// A backend, or why it is not used.
struct Candidate {
  std::unique_ptr<Context> context;
  std::string reason;
};

Candidate try_cuda() {
  try {
    return {std::make_unique<Context>(ContextOptions{.backend = Backend::cuda}), ""};
  } catch (const Error& error) {
    return {nullptr, error.what()};
  }
}

void describe_cuda(Report& report, const Candidate& cuda) {
  report.json["cuda"] = {{"used", cuda.context != nullptr},
                         {"device", cuda.context ? Json(cuda.context->device_name()) : Json()},
                         {"reason", cuda.context ? Json() : Json(cuda.reason)}};
  report.facts.add("--backend auto", "{}",
                   cuda.context ? "takes CUDA, on " + cuda.context->device_name()
                                : "takes the CPU, since " + one_line(cuda.reason));
}

void describe_limits(Report& report) {
  const auto json_of = [](const auto& value) { return value ? Json(*value) : Json(); };
  const auto bytes_of = [](const std::optional<u64>& bytes) { return bytes ? readable_bytes(*bytes) : "unknown"; };
  const std::optional<u64> total = memory_bytes("MemTotal"), available = memory_bytes("MemAvailable");
  const std::optional<u64> container = number_in("/sys/fs/cgroup/memory.max");
  const std::optional<u64> address_space = limit_of(RLIMIT_AS), threads = limit_of(RLIMIT_NPROC);
  report.json["memory"] = {{"bytes", json_of(total)},
                           {"available_bytes", json_of(available)},
                           {"container_bytes", json_of(container)},
                           {"address_space_bytes", json_of(address_space)}};
  report.json["limits"] = {{"triangles", max_primitives}, {"threads_of_user", json_of(threads)}};
  report.facts.add("memory", "{}, of which {} are free{}{}", bytes_of(total), bytes_of(available),
                   container ? ", this container may use " + readable_bytes(*container) : "",
                   address_space ? ", a program " + readable_bytes(*address_space) + " (ulimit -v)" : "");
  report.facts.add("limits", "{} triangles per structure{}", grouped(max_primitives),
                   threads ? fmt::format(", {} threads of this user (ulimit -u)", grouped(*threads)) : "");
}

/// Returns the value of an environment variable, or nothing if it is missing or empty.
std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

void describe_display(Report& report) {
  const std::optional<std::string> wayland = variable("WAYLAND_DISPLAY"), x = variable("DISPLAY");
  report.json["display"] = wayland ? Json("Wayland " + *wayland) : x ? Json("X11 " + *x) : Json();
  report.facts.add("display", "{}",
                   wayland ? "Wayland " + one_line(*wayland)
                   : x     ? "X11 " + one_line(*x)
                           : "none; copse-viewer works with --headless alone");
}

/// Compares a backend with the stored checksums. Returns true if they agree.
bool test_backend(Report& report, Context& context) {
  const char* const backend = name_of(context.backend());
  const SelfTest found = run_self_test(context);
  const std::string fault = difference(found, expected_self_test);
  report.json["self_test"][backend] = {{"passed", fault.empty()},
                                       {"tree", fmt::format("{:#018x}", found.tree)},
                                       {"accel", fmt::format("{:#018x}", found.accel)},
                                       {"hits", fmt::format("{:#018x}", found.hits)}};
  report.facts.add(fmt::format("self-test, {}", backend), "{}",
                   fault.empty() ? "trees and hits have the right bytes" : "failed: " + fault);
  return fault.empty();
}

int run_doctor(Session& session, const CommonOptions& common) {
  Report report;
  session.progress().expect_stages(3);
  session.begin("asking the machine");
  Context cpu({.backend = Backend::cpu, .workers = common.threads, .cancel = session.cancel_token()});
  const Candidate cuda = try_cuda();
  describe_build(report);
  describe_cpu(report, cpu);
  describe_driver(report, ask_cuda_driver());
  describe_cuda(report, cuda);
  describe_limits(report);
  describe_display(report);
  bool passed = true;
  if (common.backend != Backend::cuda) {
    session.begin("testing the CPU");
    passed = test_backend(report, cpu);
  }
  if (cuda.context && common.backend != Backend::cpu) {
    session.begin("testing CUDA");
    passed = test_backend(report, *cuda.context) && passed;
  }
  session.print(report.json, report.facts.text());
  if (!cuda.context && common.backend == Backend::cuda) throw Error(ErrorCode::no_device, cuda.reason);
  if (!passed)
    throw Error(ErrorCode::device_failure,
                "the self-test failed: this machine or this build computes other bytes");
  return exit_ok;
}

}  // namespace

Command add_doctor_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command =
      app.add_subcommand("doctor", "Describe this build and this machine, and test that both backends work");
  add_common_options(*command, common);
  command->footer(
      "The self-test builds trees and traces rays on the CPU, and on CUDA if a GPU answers, and compares "
      "checksums\n"
      "of all bytes with those that every machine gives. The exit code is 4 with --backend cuda if no GPU "
      "answers,\n"
      "and 6 if the self-test fails.\n"
      "\n"
      "Examples:\n"
      "  copse doctor\n"
      "  copse doctor --json");
  return {command, [&common](Session& session) { return run_doctor(session, common); }};
}

}  // namespace copse::cli

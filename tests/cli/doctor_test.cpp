// copse doctor, without a driver and with one that these tests make.

#include "primitives/core/context.h"
#include "primitives/core/sanitizers.h"
#include "tests/cli/process.h"

namespace copse::test {
namespace {

using CliDoctor = CliTest;

TEST_F(CliDoctor, DescribesTheBuildAndPassesItsSelfTest) {
  const Outcome outcome = run_cli({"doctor", "--json", "--threads", "1"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json report = outcome.json();
  const std::string version = report["copse"]["version"], commit = report["copse"]["commit"];
  EXPECT_EQ(run_cli({"--version"}).out.rfind("copse " + version + ", commit " + commit + " (", 0), 0u);
  for (const char* fact : {"compiler", "type"})
    EXPECT_FALSE(report["build"][fact].get<std::string>().empty()) << fact;
  EXPECT_EQ(report["build"]["cuda"].is_null(), !built_with_cuda());
  EXPECT_EQ(report["cpu"]["threads"], 1);
  EXPECT_FALSE(report["cpu"]["simd"].get<std::string>().empty());
  EXPECT_GT(report["memory"]["bytes"], report["memory"]["available_bytes"]);
  EXPECT_EQ(report["limits"]["triangles"], u64{1} << 31);
  EXPECT_TRUE(report["self_test"]["cpu"]["passed"]);
  const bool has_gpu = gpu_answers();
  EXPECT_EQ(report["cuda"]["used"], has_gpu);
  EXPECT_EQ(report["cuda"]["reason"].is_null(), has_gpu);
  EXPECT_EQ(report["self_test"].contains("cuda"), has_gpu);
  if (!has_gpu) return;
  Json cpu = report["self_test"]["cpu"];
  EXPECT_EQ(cpu, report["self_test"]["cuda"]);
  EXPECT_FALSE(report["driver"]["gpus"].empty());
}

TEST_F(CliDoctor, SaysTheSameInWords) {
  const Outcome outcome = run_cli({"doctor", "--backend", "cpu"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* part :
       {"\ncompiler", "\nbuilt for CUDA", "\nCPU ", "\nNVIDIA driver", "\n--backend auto", "\nmemory", "\nlimits",
        "\ndisplay", "\nself-test, cpu    trees and hits have the right bytes\n"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << outcome.out;
  }
  EXPECT_EQ(outcome.out.find("self-test, cuda"), std::string::npos);
}

TEST_F(CliDoctor, ShowsADisplayAndALimitOfTheShell) {
#if COPSE_ADDRESS_SANITIZER || COPSE_THREAD_SANITIZER
  GTEST_SKIP() << "sanitizers need more address space";
#endif
  const Outcome outcome =
      run_shell("ulimit -v 30000000; DISPLAY=:7 WAYLAND_DISPLAY= $COPSE doctor --backend cpu --json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["display"], "X11 :7");
  EXPECT_EQ(outcome.json()["memory"]["address_space_bytes"], 30000000ull * 1024);
  EXPECT_EQ(run_shell("WAYLAND_DISPLAY=w-0 $COPSE doctor --backend cpu --json").json()["display"], "Wayland w-0");
}

/// Runs the doctor with a driver of this version.
Outcome run_with_driver(const std::string& version, const std::string& options) {
  return run_shell("LD_LIBRARY_PATH=" COPSE_FAKE_DRIVER " COPSE_TEST_DRIVER=" + version + " $COPSE doctor " +
                   options);
}

TEST_F(CliDoctor, NamesTheDriverAndItsGpus) {
  if (gpu_answers()) GTEST_SKIP() << "the real driver answers";
  const Outcome outcome = run_with_driver("11040", "--json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json driver = outcome.json()["driver"];
  EXPECT_EQ(driver["cuda"], "11.4");
  EXPECT_TRUE(driver["problem"].is_null());
  ASSERT_EQ(driver["gpus"].size(), 1u);
  EXPECT_EQ(driver["gpus"][0]["name"], "A GPU of the tests");
  EXPECT_EQ(driver["gpus"][0]["compute_capability"], "8.9");
  EXPECT_EQ(driver["gpus"][0]["memory_bytes"], u64{8} << 30);
  EXPECT_FALSE(outcome.json()["cuda"]["used"]);
  const std::string reason = outcome.json()["cuda"]["reason"];
  EXPECT_NE(reason.find(built_with_cuda() ? "the NVIDIA driver is for CUDA 11.4" : "has no CUDA backend"),
            std::string::npos)
      << reason;
  const std::string text = run_with_driver("11040", "").out;
  EXPECT_NE(text.find("GPU 0             A GPU of the tests, compute capability 8.9, 8.59 GB"), std::string::npos)
      << text;
}

TEST_F(CliDoctor, SaysWhyNoGpuAnswers) {
  if (gpu_answers()) GTEST_SKIP() << "a GPU answers";
  const Json without = run_cli({"doctor", "--json"}).json()["driver"];
  EXPECT_NE(without["problem"].get<std::string>().find("there is no NVIDIA driver"), std::string::npos);
  EXPECT_TRUE(without["cuda"].is_null());
  const Json silent = run_with_driver("-11040", "--json").json()["driver"];
  EXPECT_EQ(silent["cuda"], "11.4");
  EXPECT_EQ(silent["problem"], "the NVIDIA driver does not start: no CUDA-capable device is detected (error 100)");
  EXPECT_TRUE(silent["gpus"].empty());
  const Outcome forced = run_cli({"doctor", "--backend", "cuda"});
  EXPECT_EQ(forced.exit_code, 4);
  EXPECT_NE(forced.out.find("--backend auto    takes the CPU, since "), std::string::npos) << forced.out;
  EXPECT_NE(forced.err.find("copse: error: "), std::string::npos) << forced.err;
}

}  // namespace
}  // namespace copse::test

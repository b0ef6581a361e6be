#include "tests/cli/process.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace copse::test {

namespace fs = std::filesystem;

namespace {

int exit_code_in(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int exit_code_of(pid_t process) {
  int status = 0;
  return ::waitpid(process, &status, 0) == process ? exit_code_in(status) : -1;
}

std::string new_folder() {
  std::string name = (fs::temp_directory_path() / "copse-cli-output-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  return name;
}

[[noreturn]] void replace_process(const Arguments& arguments) {
  // A test runner in the background passes SIGINT on as ignored.
  std::signal(SIGINT, SIG_DFL);
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::execv(words[0], words.data());
  ::_exit(126);
}

void redirect(int descriptor, const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT, 0644);
  if (file < 0 || ::dup2(file, descriptor) < 0) ::_exit(126);
}

Outcome run_process(const Arguments& arguments, const std::string& stdout_path) {
  const std::string name = new_folder();
  const std::string out = name + "/out", err = name + "/err";
  const pid_t process = ::fork();
  if (process == 0) {
    redirect(STDOUT_FILENO, stdout_path.empty() ? out : stdout_path);
    redirect(STDERR_FILENO, err);
    replace_process(arguments);
  }
  Outcome outcome;
  outcome.exit_code = exit_code_of(process);
  if (stdout_path.empty()) outcome.out = read_file(out);
  outcome.err = read_file(err);
  fs::remove_all(name);
  return outcome;
}

Arguments with_executable(Arguments arguments) {
  arguments.insert(arguments.begin(), cli_path());
  return arguments;
}

}  // namespace

Json Outcome::json() const {
  Json parsed = Json::parse(out, nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << "no JSON: " << out << err;
  return parsed;
}

std::string cli_path() {
  const char* moved = std::getenv("COPSE_CLI");
  return moved != nullptr && *moved != '\0' ? moved : COPSE_CLI_PATH;
}

Outcome run_cli(const Arguments& arguments, const std::string& stdout_path) {
  return run_process(with_executable(arguments), stdout_path);
}

Process::Process(const Arguments& arguments, const std::function<void()>& before)
    : folder_(new_folder()), process_(::fork()) {
  if (process_ != 0) return;
  redirect(STDOUT_FILENO, folder_ + "/out");
  redirect(STDERR_FILENO, folder_ + "/err");
  if (before) before();
  replace_process(with_executable(arguments));
}

Process::~Process() {
  if (!has_ended_) {
    send(SIGKILL);
    finish();
  }
  fs::remove_all(folder_);
}

bool Process::wait_until(const std::function<bool()>& is_true) {
  while (!is_true()) {
    has_ended_ = has_ended_ || ::waitpid(process_, &status_, WNOHANG) == process_;
    if (has_ended_) return is_true();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

bool Process::wait_until_it_watches_signals() {
  return wait_until([&] {
    std::ifstream file("/proc/" + std::to_string(process_) + "/status");
    for (std::string line; std::getline(file, line);) {
      if (line.rfind("SigBlk:", 0) != 0) continue;
      const u64 blocked = std::stoull(line.substr(7), nullptr, 16);
      const auto blocks = [&](int signal) { return (blocked >> (signal - 1) & 1) != 0; };
      return blocks(SIGINT) && !blocks(SIGUSR1);  // the thread sanitizer blocks all signals while it starts
    }
    return false;
  });
}

void Process::send(int signal) {
  if (!has_ended_) ::kill(process_, signal);
}

Outcome Process::finish() {
  if (!has_ended_) ::waitpid(process_, &status_, 0);
  has_ended_ = true;
  return {
      .exit_code = exit_code_in(status_), .out = read_file(folder_ + "/out"), .err = read_file(folder_ + "/err")};
}

Outcome run_shell(const std::string& line) {
  return run_process({"/bin/sh", "-c", "COPSE='" + cli_path() + "'; " + line}, "");
}

Outcome run_on_terminal(const Arguments& arguments, const std::vector<std::string>& environment,
                        const std::string& marker, const std::string& answer) {
  int terminal = -1;
  winsize size{.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
  const pid_t process = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (process == 0) {
    ::setenv("TERM", "xterm", 1);
    ::unsetenv("NO_COLOR");
    for (const std::string& assignment : environment) ::putenv(const_cast<char*>(assignment.c_str()));
    replace_process(with_executable(arguments));
  }
  Outcome outcome;
  bool answered = marker.empty();
  std::array<char, 4096> bytes;
  // At the end of a terminal, read fails with EIO.
  for (ssize_t count; (count = ::read(terminal, bytes.data(), bytes.size())) > 0;) {
    outcome.out.append(bytes.data(), size_t(count));
    if (answered || outcome.out.find(marker) == std::string::npos) continue;
    answered = ::write(terminal, answer.data(), answer.size()) == ssize_t(answer.size());
  }
  ::close(terminal);
  outcome.exit_code = exit_code_of(process);
  return outcome;
}

CliTest::CliTest() {
  std::string name = (fs::temp_directory_path() / "copse-cli-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  folder_ = name;
}

CliTest::~CliTest() {
  std::error_code error;
  fs::remove_all(folder_, error);
}

std::string CliTest::write_text(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}

std::string CliTest::sphere() const {
  const Outcome outcome = run_cli({"generate", "sphere", "2", "-o", path("sphere.ply"), "--quiet"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return path("sphere.ply");
}

std::vector<std::string> CliTest::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Arguments CliOnEachBackend::here(Arguments arguments) const {
  arguments.insert(arguments.end(), {"--backend", name_of(GetParam())});
  return arguments;
}

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::pair<unsigned, unsigned> png_size(const std::string& path) {
  const std::string bytes = read_file(path);
  if (bytes.size() < 24 || bytes.substr(1, 3) != "PNG") return {0, 0};
  const auto number = [&](size_t at) {
    unsigned value = 0;
    for (size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  };
  return {number(16), number(20)};
}

void expect_error(const Outcome& outcome, int exit_code, const std::string& part) {
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.rfind("copse: error: ", 0), 0u) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
}

}  // namespace copse::test

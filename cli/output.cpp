#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "primitives/core/counted.h"
#include "primitives/core/error.h"

namespace copse::cli {

void print_data(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) throw ClosedPipe();
    if (written < 0) {
      throw Error(ErrorCode::bad_file, fmt::format("cannot write to standard output: {}", std::strerror(errno)));
    }
    text.remove_prefix(size_t(written));
  }
}

std::string read_standard_input(const CancelToken& cancel) {
  constexpr size_t bytes_per_read = size_t{1} << 20;
  std::string bytes;
  for (size_t size = 0;;) {
    if (cancel.stop_requested()) throw Error(ErrorCode::cancelled, "standard input: reading was cancelled");
    // Twice the room each time, so that every byte is moved once or twice in all.
    if (bytes.size() < size + bytes_per_read) bytes.resize(2 * bytes.size() + bytes_per_read);
    const ssize_t count = ::read(STDIN_FILENO, bytes.data() + size, bytes_per_read);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw Error(ErrorCode::bad_file, fmt::format("cannot read standard input: {}", std::strerror(errno)));
    }
    size += size_t(count);
    if (count > 0) continue;
    bytes.resize(size);
    return bytes;
  }
}

void print_json(const Json& object) {
  // File names may be other than UTF-8. Invalid bytes become the replacement character.
  print_data(object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text;
}

std::string grouped(unsigned long long number) {
  std::string digits = std::to_string(number);
  for (size_t from_right = 3; from_right < digits.size(); from_right += 4) {
    digits.insert(digits.size() - from_right, 1, ' ');
  }
  return digits;
}

std::string counted(unsigned long long count, std::string_view nouns) {
  return grouped(count) + " " + detail::noun_for(count, nouns);
}

std::string readable_bytes(unsigned long long bytes) {
  if (bytes < 1000) return counted(bytes, "bytes");
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", double(bytes) / 1e3);
  if (bytes < 1'000'000'000) return fmt::format("{:.1f} MB", double(bytes) / 1e6);
  return fmt::format("{:.2f} GB", double(bytes) / 1e9);
}

}  // namespace copse::cli

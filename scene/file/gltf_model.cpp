// The only file that compiles tinygltf. tinygltf takes its JSON library from here.

#define TINYGLTF_IMPLEMENTATION
#include <nlohmann/json.hpp>

#include "scene/file/gltf_model.h"

#include <algorithm>
#include <cstring>

#include "builders/io/whole_file.h"
#include "primitives/core/counted.h"
#include "scene/file/gltf_outline.h"

namespace copse::detail {

namespace fs = std::filesystem;

namespace {

/// The parts of a .glb file: a header of 12 bytes, and chunks of a length, a type and `length` bytes.
/// (glTF 2.0, section 4.)
struct GlbParts {
  std::string_view json, binary;  // binary may be empty
  u32 length = 0;                 // of the whole file
};

constexpr u32 glb_magic = 0x46546c67, json_chunk = 0x4e4f534a, binary_chunk = 0x004e4942;
constexpr u64 glb_header_bytes = 12, chunk_header_bytes = 8;

u32 word_at(std::string_view bytes, u64 offset) {
  u32 word;
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

/// Returns the chunk at `offset`, and moves `offset` past it.
std::string_view next_chunk(const fs::path& path, std::string_view file, u32 wanted, const char* name,
                            u64& offset) {
  const std::string chunk = std::string("the ") + name + " chunk at byte " + std::to_string(offset);
  if (file.size() - offset < chunk_header_bytes) {
    throw_bad_file(path, chunk + " is cut short: the file has " + counted(file.size(), "bytes"));
  }
  const u32 bytes = word_at(file, offset), type = word_at(file, offset + 4);
  offset += chunk_header_bytes;
  if (type != wanted) {
    throw_bad_file(path, chunk + " is of type " + std::to_string(type) + "; it must be " + std::to_string(wanted));
  }
  if (bytes > file.size() - offset) {
    throw_bad_file(path, chunk + " has " + counted(bytes, "bytes") + ", but " +
                             std::to_string(file.size() - offset) + " follow");
  }
  if (bytes == 0 || bytes % 4 != 0) {
    throw_bad_file(path, chunk + " has " + counted(bytes, "bytes") + "; it takes a multiple of 4, from 4 on");
  }
  const std::string_view content = file.substr(offset, bytes);
  offset += bytes;
  return content;
}

GlbParts parts_of(const fs::path& path, std::string_view file) {
  if (file.size() < glb_header_bytes || word_at(file, 0) != glb_magic) {
    throw_bad_file(path, "is no .glb file: it does not begin with 'glTF' and 8 bytes more");
  }
  if (word_at(file, 4) != 2) {
    throw_bad_file(path, "is of version " + std::to_string(word_at(file, 4)) + "; Copse reads version 2");
  }
  GlbParts parts;
  parts.length = word_at(file, 8);
  if (parts.length > file.size()) {
    throw_bad_file(
        path, "says that it has " + counted(parts.length, "bytes") + ", but has " + std::to_string(file.size()));
  }
  file = file.substr(0, parts.length);
  if (file.size() < glb_header_bytes) {
    throw_bad_file(path, "says that it has " + counted(parts.length, "bytes") + "; at least 12 are needed");
  }
  u64 offset = glb_header_bytes;
  parts.json = next_chunk(path, file, json_chunk, "JSON", offset);
  if (offset < file.size()) parts.binary = next_chunk(path, file, binary_chunk, "binary", offset);
  return parts;
}

/// The files that tinygltf may read: those in the outline.
struct BufferFiles {
  const GltfOutline& outline;
  const CancelToken& cancel;
};

bool is_buffer_file(const std::string& name, void* user) {
  return static_cast<BufferFiles*>(user)->outline.external_buffers.count(name) != 0;
}

std::string same_name(const std::string& name, void*) {
  return name;
}

bool read_buffer_file(std::vector<unsigned char>* out, std::string*, const std::string& name, void* user) {
  const auto& files = *static_cast<BufferFiles*>(user);
  const GltfOutline::ExternalBuffer& buffer = files.outline.external_buffers.at(name);
  const FileBytes bytes = read_whole_file(buffer.file, files.cancel);
  if (bytes.size() < buffer.bytes) {
    throw_bad_file(buffer.file, "has " + counted(bytes.size(), "bytes") + ", but the glTF file asks for " +
                                    std::to_string(buffer.bytes));
  }
  out->assign(bytes.data(), bytes.data() + buffer.bytes);
  return true;
}

bool write_no_file(std::string*, const std::string&, const std::vector<unsigned char>&, void*) {
  return false;
}

bool skip_image(tinygltf::Image*, int, std::string*, std::string*, int, int, const unsigned char*, int, void*) {
  return true;
}

/// Returns the first line of tinygltf's message, with at most 200 characters, all of them ASCII.
std::string first_line(const std::string& message) {
  std::string line = message.substr(0, std::min(message.find('\n'), size_t{200}));
  for (char& c : line) c = c >= ' ' && c <= '~' ? c : '?';
  return line;
}

}  // namespace

GltfModel read_gltf(const fs::path& path, const CancelToken& cancel, u64 max_bytes) {
  const FileBytes file = read_whole_file(path, cancel);
  const bool is_binary = path.extension().string().size() == 4;  // .glb, not .gltf
  GlbParts parts;
  parts.json = file.text();
  if (is_binary) parts = parts_of(path, file.text());
  const GltfOutline outline = outline_of(path, parts.json, parts.binary.size(), max_bytes);

  BufferFiles files{outline, cancel};
  tinygltf::TinyGLTF reader;
  reader.SetImageLoader(skip_image, nullptr);
  reader.SetFsCallbacks({is_buffer_file, same_name, read_buffer_file, write_no_file, &files});
  GltfModel model;
  std::string error, warning;
  bool is_read = false;
  try {
    if (is_binary) {
      const auto* const bytes = reinterpret_cast<const unsigned char*>(file.data());
      is_read = reader.LoadBinaryFromMemory(&model, &error, &warning, bytes, parts.length);
    } else {
      is_read = reader.LoadASCIIFromString(&model, &error, &warning, file.data(), u32(file.size()), "");
    }
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& fault) {
    error = fault.what();
  }
  throw_if_cancelled(path, cancel);
  // For some faults it reports an error but continues with default values.
  if (!is_read || !error.empty())
    throw_bad_file(path, "is no glTF file that tinygltf reads: " + first_line(error));
  return model;
}

}  // namespace copse::detail

#include "scene/file/gltf_accessors.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "builders/io/whole_file.h"
#include "primitives/core/counted.h"

namespace copse::detail {

namespace {

/// Returns the bytes of an unsigned integer; 0 for another type.
u64 unsigned_bytes(int component_type) {
  switch (component_type) {
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE: return 1;
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT: return 2;
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT: return 4;
    default: return 0;
  }
}

/// Returns an element of a buffer. It need not be aligned. glTF is little-endian, and so are x86 and aarch64.
template <class T>
T element_at(const unsigned char* bytes, u64 byte_count) {
  T value{};
  std::memcpy(&value, bytes, byte_count);
  return value;
}

}  // namespace

const tinygltf::Accessor& GltfAccessors::accessor(int number, const std::string& user) const {
  if (number >= 0 && size_t(number) < model_.accessors.size()) return model_.accessors[size_t(number)];
  throw_bad_file(path_, user + " names accessor " + std::to_string(number) + ", but there are " +
                            std::to_string(model_.accessors.size()));
}

GltfAccessors::Elements GltfAccessors::elements(const std::string& name, int view_number, u64 offset, u64 count,
                                                u64 element_bytes) const {
  if (view_number < 0 || size_t(view_number) >= model_.bufferViews.size()) {
    throw_bad_file(path_, name + " names buffer view " + std::to_string(view_number) + ", but there are " +
                              std::to_string(model_.bufferViews.size()));
  }
  const tinygltf::BufferView& view = model_.bufferViews[size_t(view_number)];
  const std::string view_name = "bufferViews[" + std::to_string(view_number) + "]";
  if (view.buffer < 0 || size_t(view.buffer) >= model_.buffers.size()) {
    throw_bad_file(path_, view_name + " names buffer " + std::to_string(view.buffer) + ", but there are " +
                              std::to_string(model_.buffers.size()));
  }
  const std::vector<unsigned char>& bytes = model_.buffers[size_t(view.buffer)].data;
  if (view.byteOffset > bytes.size() || view.byteLength > bytes.size() - view.byteOffset) {
    throw_bad_file(path_, view_name + " has bytes " + std::to_string(view.byteOffset) + " to " +
                              std::to_string(view.byteOffset + view.byteLength) + ", but its buffer has " +
                              std::to_string(bytes.size()));
  }
  const u64 stride = view.byteStride == 0 ? element_bytes : view.byteStride;
  if (stride < element_bytes) {
    throw_bad_file(path_, view_name + ".byteStride is " + std::to_string(stride) + ", but an element of " + name +
                              " has " + counted(element_bytes, "bytes"));
  }
  // The last element may be shorter than the stride. All terms are below 2^62.
  const u64 room = offset > view.byteLength ? 0 : view.byteLength - offset;
  if (room < element_bytes || (count - 1) > (room - element_bytes) / stride) {
    throw_bad_file(path_, name + " has " + counted(count, "elements") + " of " + counted(element_bytes, "bytes") +
                              " from byte " + std::to_string(offset) + " on, " + counted(stride, "bytes") +
                              " apart, but " + view_name + " has " + counted(view.byteLength, "bytes"));
  }
  return {bytes.data() + view.byteOffset + offset, stride};
}

/// A sparse accessor replaces some elements of its buffer view.
template <class T>
void GltfAccessors::replace_sparse(const tinygltf::Accessor& accessor, const std::string& name, u64 element_bytes,
                                   std::vector<T>& values) const {
  const auto& sparse = accessor.sparse;
  const u64 count = u64(sparse.count), index_bytes = unsigned_bytes(sparse.indices.componentType);
  if (count == 0 || count > values.size()) {
    throw_bad_file(path_, name + ".sparse.count is " + std::to_string(count) + "; it takes 1 to " +
                              std::to_string(values.size()) + ", the number of elements");
  }
  if (index_bytes == 0) {
    throw_bad_file(path_, name + ".sparse.indices.componentType is " +
                              std::to_string(sparse.indices.componentType) + "; it takes 5121, 5123 or 5125");
  }
  const Elements places = elements(name + ".sparse.indices", sparse.indices.bufferView,
                                   u64(sparse.indices.byteOffset), count, index_bytes);
  const Elements replacements = elements(name + ".sparse.values", sparse.values.bufferView,
                                         u64(sparse.values.byteOffset), count, element_bytes);
  for (u64 i = 0; i < count; ++i) {
    const u32 place = element_at<u32>(places.first + i * places.stride, index_bytes);
    if (place >= values.size()) {
      throw_bad_file(path_, name + ".sparse.indices has " + std::to_string(place) + "; the accessor has " +
                                counted(values.size(), "elements"));
    }
    values[place] = element_at<T>(replacements.first + i * replacements.stride, element_bytes);
  }
}

template <class T>
std::vector<T> GltfAccessors::read(const tinygltf::Accessor& accessor, const std::string& name,
                                   u64 element_bytes) const {
  constexpr u64 max_count = u64{1} << 31;
  if (accessor.count == 0) throw_bad_file(path_, name + ".count is 0; it must be at least 1");
  if (accessor.count > max_count) {
    throw Error(ErrorCode::capacity, path_.string() + ": " + name + ".count is " + std::to_string(accessor.count) +
                                         "; at most 2147483648 are possible");
  }
  if (accessor.bufferView < 0) throw_bad_file(path_, name + " has no bufferView; a mesh needs one");
  const Elements source = elements(name, accessor.bufferView, accessor.byteOffset, accessor.count, element_bytes);
  std::vector<T> values(accessor.count);
  for (u64 i = 0; i < values.size(); ++i) {
    values[i] = element_at<T>(source.first + i * source.stride, element_bytes);
  }
  if (accessor.sparse.isSparse) replace_sparse(accessor, name, element_bytes, values);
  return values;
}

std::vector<vec3> GltfAccessors::points(int number, const std::string& user) const {
  const tinygltf::Accessor& source = accessor(number, user);
  const std::string name = "accessors[" + std::to_string(number) + "]";
  if (source.type != TINYGLTF_TYPE_VEC3 || source.componentType != TINYGLTF_COMPONENT_TYPE_FLOAT) {
    throw_bad_file(path_, name + " has positions of componentType " + std::to_string(source.componentType) +
                              "; Copse reads VEC3 of floats (5126)");
  }
  std::vector<vec3> points = read<vec3>(source, name, sizeof(vec3));
  for (u64 i = 0; i < points.size(); ++i) {
    if (!is_finite(points[i])) throw_bad_file(path_, name + ": position " + std::to_string(i) + " is not finite");
  }
  return points;
}

namespace {

/// Returns the bytes per component of a rotation; 0 for a type that rotations cannot have.
u64 rotation_bytes(const tinygltf::Accessor& accessor) {
  switch (accessor.componentType) {
    case TINYGLTF_COMPONENT_TYPE_FLOAT: return 4;
    case TINYGLTF_COMPONENT_TYPE_SHORT: return accessor.normalized ? 2 : 0;
    case TINYGLTF_COMPONENT_TYPE_BYTE: return accessor.normalized ? 1 : 0;
    default: return 0;
  }
}

/// Signed integers stand for -1 to 1 (glTF 2.0, section 3.11).
double number_of_rotation(const unsigned char* bytes, u64 byte_count) {
  if (byte_count == 4) return double(element_at<float>(bytes, byte_count));
  if (byte_count == 2) return std::max(double(element_at<std::int16_t>(bytes, byte_count)) / 32767, -1.0);
  return std::max(double(element_at<std::int8_t>(bytes, byte_count)) / 127, -1.0);
}

}  // namespace

std::vector<glm::dvec4> GltfAccessors::rotations(int number, const std::string& user) const {
  const tinygltf::Accessor& source = accessor(number, user);
  const std::string name = "accessors[" + std::to_string(number) + "]";
  const u64 bytes = rotation_bytes(source);
  if (source.type != TINYGLTF_TYPE_VEC4 || bytes == 0) {
    throw_bad_file(path_, name + " has rotations of componentType " + std::to_string(source.componentType) +
                              "; they take VEC4 of floats (5126), or of 5120 or 5122 that are normalized");
  }
  using Words = std::array<unsigned char, 4 * sizeof(float)>;
  std::vector<glm::dvec4> rotations;
  for (const Words& words : read<Words>(source, name, 4 * bytes)) {
    glm::dvec4& rotation = rotations.emplace_back();
    for (int i = 0; i < 4; ++i) rotation[i] = number_of_rotation(words.data() + u64(i) * bytes, bytes);
  }
  return rotations;
}

std::vector<u32> GltfAccessors::indices(int number, const std::string& user, u64 limit) const {
  const tinygltf::Accessor& source = accessor(number, user);
  const std::string name = "accessors[" + std::to_string(number) + "]";
  if (source.type != TINYGLTF_TYPE_SCALAR || unsigned_bytes(source.componentType) == 0) {
    throw_bad_file(path_, name + " has indices of componentType " + std::to_string(source.componentType) +
                              "; they take SCALAR of 5121, 5123 or 5125, unsigned integers of 8, 16 or 32 bits");
  }
  std::vector<u32> indices = read<u32>(source, name, unsigned_bytes(source.componentType));
  for (u64 i = 0; i < indices.size(); ++i) {
    if (indices[i] < limit) continue;
    throw_bad_file(path_, name + ": index " + std::to_string(i) + " is " + std::to_string(indices[i]) + ", but " +
                              user + " has " + counted(limit, "positions"));
  }
  return indices;
}

}  // namespace copse::detail

#pragma once

// Reads a structure file of any version, and checks it before anything follows its indices.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "builders/geometry/primitive_set.h"
#include "builders/io/file_check.h"
#include "builders/io/structure/structure_check.h"
#include "builders/io/structure/structure_layout.h"
#include "builders/io/whole_file.h"

namespace copse::detail {

/// A file in memory, checked step by step. Each step relies on what the earlier steps have proved.
class StructureReader {
 public:
  ///   bytes: the file, at an address that is good for its records; they must stay while the reader is used
  /// Throws: Error bad_file with file, value and limit; Error out_of_memory, Error cancelled.
  StructureReader(const std::filesystem::path& path, std::span<const char> bytes, FileCheck check,
                  const CancelToken& cancel);

  const StructureHeader& header() const { return header_; }

  /// True if the file holds an Accel, else it holds a binary tree.
  bool holds_accel() const { return wide_.contents == StructureContents::accel; }

  /// False for an Accel of an older version: then `packed` is empty, and the wide arrays have ids.
  bool has_packed() const { return holds_accel() && header_.version >= structure_version; }
  u32 quality() const { return wide_.quality; }
  std::span<const StructurePart> parts() const { return array<StructurePart>(layout_.parts, wide_.part_count); }

  StructureArrays arrays() const {
    return {.counts = header_.counts,
            .nodes = array<BvhNode>(layout_.nodes, layout_.node_count),
            .parents = array<u32>(layout_.parents, layout_.pair_count),
            .primitive_ids = array<u32>(layout_.primitive_ids, layout_.id_count),
            .mesh = {positions(), triangles()}};
  }
  std::span<const PackedTriangle> packed() const {
    return array<PackedTriangle>(layout_.packed, layout_.packed_count);
  }
  std::span<const u32> masks() const { return array<u32>(layout_.masks, layout_.mask_count); }
  std::span<const vec3> positions() const { return array<vec3>(layout_.positions, header_.vertex_count); }
  std::span<const uvec3> triangles() const { return array<uvec3>(layout_.triangles, header_.triangle_count); }

  /// 0 if there is no wide tree.
  u32 wide_layout() const { return wide_.layout; }
  template <class Node>
  WideStructureArrays<Node> wide_arrays() const {
    return {.node_count = wide_.node_count,
            .nodes = array<Node>(layout_.wide_nodes, layout_.wide_node_count),
            .parents = array<u32>(layout_.wide_parents, layout_.wide_node_count),
            .primitive_ids = array<u32>(layout_.wide_primitive_ids, layout_.wide_id_count),
            .triangle_count = header_.triangle_count,
            .invalid_count = header_.counts.invalid_count};
  }

  [[noreturn]] void fail(const std::string& message) const { throw_bad_file(path_, message); }

 private:
  template <class T>
  std::span<const T> array(u64 offset, u64 count) const {
    return {reinterpret_cast<const T*>(bytes_.data() + offset), count};
  }

  void check_header();
  void check_wide_header();
  void check_accel_header() const;
  void check_size();
  void check_checksum(const CancelToken& cancel) const;
  void check_padding() const;
  void check_zeros(u64 begin, u64 end) const;
  std::string find_fault() const;
  std::string find_accel_fault() const;
  std::string find_part_fault() const;
  std::string find_wide_fault() const;

  std::filesystem::path path_;
  std::span<const char> bytes_;
  StructureHeader header_{};
  StructureWideHeader wide_{};
  StructureLayout layout_{};
};

/// Returns the ids of the packed triangles of a tree.
std::vector<u32> ids_of(std::span<const PackedTriangle> triangles);

/// Returns the ids in the tree, then the ids that were left out, ascending, as builders write them.
std::vector<u32> with_left_out_ids(std::span<const u32> ids, u64 triangle_count);

}  // namespace copse::detail

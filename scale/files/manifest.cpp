#include "scale/files/manifest.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "builders/bvh/border_pair.h"
#include "builders/bvh/hploc.h"
#include "builders/io/whole_file.h"

namespace copse::detail {

namespace {

using Json = nlohmann::ordered_json;
using std::to_string;

constexpr const char* format_name = "copse sharded tree";
constexpr u32 manifest_version = 1;  // of an LBVH
constexpr u32 hploc_manifest_version = 2;
constexpr u64 max_manifest_ranks = 65536;

/// Reads the members of a manifest. Each error names the file and the member.
class ManifestReader {
 public:
  ManifestReader(std::filesystem::path path, const CancelToken& cancel) : path_(std::move(path)) {
    const FileBytes bytes = read_whole_file(path_, cancel);
    json_ = Json::parse(bytes.text(), nullptr, false);
    if (!json_.is_object()) fail("is no JSON object");
    if (!json_.contains("format") || json_["format"] != format_name)
      fail(std::string("is no manifest: \"format\" is not \"") + format_name + "\"");
    if (number("version") != manifest_version && !is_hploc()) {
      fail("has version " + to_string(number("version")) + "; this Copse reads versions " +
           to_string(manifest_version) + " and " + to_string(hploc_manifest_version));
    }
  }

  bool is_hploc() const { return number("version") == hploc_manifest_version; }

  [[noreturn]] void fail(const std::string& message) const { throw_bad_file(path_, message); }

  u64 number(const char* name) const {
    if (!json_.contains(name) || !json_[name].is_number_unsigned())
      fail(std::string("has no whole number \"") + name + "\"");
    return json_[name].get<u64>();
  }

  std::vector<u64> numbers(const char* name) const {
    const bool is_there = json_.contains(name) && json_[name].is_array();
    if (!is_there || !std::all_of(json_[name].begin(), json_[name].end(),
                                  [](const Json& value) { return value.is_number_unsigned(); })) {
      fail(std::string("has no list of whole numbers \"") + name + "\"");
    }
    return json_[name].get<std::vector<u64>>();
  }

 private:
  std::filesystem::path path_;
  Json json_;
};

/// Throws unless the places ascend from 0 to at most `limit`.
void check_places(const ManifestReader& reader, const char* name, const std::vector<u64>& places, u64 rank_count,
                  u64 limit) {
  if (places.size() != rank_count + 1) {
    reader.fail("has " + to_string(places.size()) + " numbers in \"" + name + "\" for " + to_string(rank_count) +
                " ranks; there must be one more than ranks");
  }
  if (places.front() != 0 || !std::is_sorted(places.begin(), places.end()) || places.back() > limit) {
    reader.fail(std::string("has numbers in \"") + name + "\" that do not ascend from 0 to at most " +
                to_string(limit));
  }
}

}  // namespace

std::filesystem::path shard_path(const std::filesystem::path& folder, u32 rank) {
  char name[32];
  std::snprintf(name, sizeof name, "shard-%04u.shard", rank);
  return folder / name;
}

std::filesystem::path manifest_path(const std::filesystem::path& folder) {
  return folder / "manifest.json";
}

void write_manifest(const std::filesystem::path& folder, const ShardManifest& manifest,
                    const CancelToken& cancel) {
  const bool is_hploc = manifest.hploc_radius > 0;
  Json json{{"format", format_name},
            {"version", is_hploc ? hploc_manifest_version : manifest_version},
            {"morton_bits", manifest.morton_bits}};
  if (is_hploc) json["hploc_radius"] = manifest.hploc_radius;
  json.update({{"source_count", manifest.source_count},
               {"first_ids", manifest.first_ids},
               {"first_slots", manifest.first_slots},
               {"border_keys", manifest.border_keys},
               {"checksums", manifest.checksums}});
  const std::string text = json.dump(2) + "\n";
  FileReplacement file(manifest_path(folder), cancel);
  file.write(text.data(), text.size());
  file.commit();
}

ShardManifest read_manifest(const std::filesystem::path& folder, const CancelToken& cancel) {
  const ManifestReader reader(manifest_path(folder), cancel);
  const u64 radius = reader.is_hploc() ? reader.number("hploc_radius") : 0;
  if (radius > HplocOptions::max_radius || (reader.is_hploc() && radius == 0))
    reader.fail("has the hploc_radius " + to_string(radius) + "; it can be 1 to " +
                to_string(HplocOptions::max_radius));
  ShardManifest manifest{u32(std::min<u64>(reader.number("morton_bits"), 64)),
                         u32(radius),
                         reader.number("source_count"),
                         reader.numbers("first_ids"),
                         reader.numbers("first_slots"),
                         reader.numbers("border_keys"),
                         reader.numbers("checksums")};
  const u64 ranks = manifest.checksums.size();
  if (ranks == 0 || ranks > max_manifest_ranks)
    reader.fail("is of " + to_string(ranks) + " ranks; there can be 1 to " + to_string(max_manifest_ranks));
  if (manifest.source_count > max_sharded_triangles) {
    reader.fail("promises " + to_string(manifest.source_count) + " triangles; there can be up to " +
                to_string(max_sharded_triangles));
  }
  check_places(reader, "first_ids", manifest.first_ids, ranks, manifest.source_count);
  check_places(reader, "first_slots", manifest.first_slots, ranks, manifest.source_count);
  if (manifest.first_ids.back() != manifest.source_count)
    reader.fail("has \"first_ids\" that end at " + to_string(manifest.first_ids.back()) + ", not at the " +
                to_string(manifest.source_count) + " triangles");
  if (!manifest.border_keys.empty() && manifest.border_keys.size() != ranks - 1)
    reader.fail("has " + to_string(manifest.border_keys.size()) + " \"border_keys\" for " + to_string(ranks) +
                " ranks; there must be one less than ranks, or none");
  return manifest;
}

}  // namespace copse::detail

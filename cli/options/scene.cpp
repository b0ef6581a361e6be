#include "cli/options/scene.h"

namespace copse::cli {

Json to_json(const vec3& p) {
  return {p.x, p.y, p.z};
}

Json to_json(const Aabb& box) {
  if (is_empty(box)) return nullptr;
  return {{"lo", to_json(box.lo)}, {"hi", to_json(box.hi)}};
}

Json to_json(const BuildSettings& settings) {
  Json json{{"builder", settings.builder}, {"max_leaf_size", settings.max_leaf_size}};
  if (settings.morton_bits) json["morton_bits"] = *settings.morton_bits;
  if (settings.radius != 0) json["radius"] = settings.radius;
  if (settings.reinsertion != 0) json["reinsertion"] = settings.reinsertion;
  if (settings.top == Top::sah) json["top"] = "sah";
  if (settings.splits != 1) json["splits"] = settings.splits;
  if (settings.min_parent_area != 0) json["min_parent_area"] = settings.min_parent_area;
  if (!settings.alternative.empty()) json["alternative"] = settings.alternative;
  return json;
}

Json to_json(const BvhStats& stats) {
  return {{"primitives", stats.counts.primitive_count},
          {"invalid_primitives", stats.counts.invalid_count},
          {"nodes", stats.counts.node_count},
          {"leaves", stats.counts.leaf_count},
          {"depth", stats.depth},
          {"sah_cost", stats.sah_cost},
          {"sibling_overlap", stats.sibling_overlap},
          {"leaf_size_histogram", stats.leaf_size_histogram},
          {"bounds", to_json(stats.bounds)},
          {"bytes", stats.size_bytes}};
}

std::string morton_bits_in_words(const BuildSettings& settings) {
  if (!settings.morton_bits) return "-";
  return *settings.morton_bits == 0 ? "auto" : fmt::format("{}", *settings.morton_bits);
}

std::string leaf_size_in_words(u32 max_leaf_size) {
  return max_leaf_size == 1 ? "1 triangle per leaf" : fmt::format("up to {} triangles per leaf", max_leaf_size);
}

std::string to_words(const Aabb& box) {
  if (is_empty(box)) return "empty";
  return fmt::format("{:.6g} {:.6g} {:.6g}  to  {:.6g} {:.6g} {:.6g}", box.lo.x, box.lo.y, box.lo.z, box.hi.x,
                     box.hi.y, box.hi.z);
}

void add_facts(Facts& facts, const BuildSettings& settings) {
  std::string details;
  if (settings.radius != 0) details += fmt::format(", radius {}", settings.radius);
  if (settings.morton_bits) details += fmt::format(", {} Morton bits", morton_bits_in_words(settings));
  if (settings.top == Top::sah) details += ", SAH top";
  if (settings.splits != 1)
    details += fmt::format(", splits to at most {:.3g} references per triangle", settings.splits);
  if (settings.reinsertion != 0) details += fmt::format(", reinsertion x {}", settings.reinsertion);
  details += ", " + leaf_size_in_words(settings.max_leaf_size);
  if (!settings.alternative.empty()) details += fmt::format(", or {} if that is cheaper", settings.alternative);
  facts.add("builder", "{}{}", settings.builder, details);
}

void add_facts(Facts& facts, const BvhStats& stats) {
  facts.add("in the tree", "{}", counted(stats.counts.primitive_count, "triangles"));
  facts.add("left out", "{}", counted(stats.counts.invalid_count, "invalid triangles"));
  facts.add("nodes", "{}", grouped(stats.counts.node_count));
  facts.add("leaves", "{}", grouped(stats.counts.leaf_count));
  facts.add("depth", "{}", stats.depth);
  facts.add("SAH cost", "{:.2f}", stats.sah_cost);
  facts.add("sibling overlap", "{:.3f}", stats.sibling_overlap);
  facts.add("bounds", "{}", to_words(stats.bounds));
  facts.add("memory", "{}", readable_bytes(stats.size_bytes));
}

}  // namespace copse::cli

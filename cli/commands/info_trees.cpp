#include "cli/commands/info_trees.h"

#include <filesystem>

#include "builders/kd/sah_kd_validate.h"
#include "builders/points/kd_validate.h"
#include "builders/points/point_bvh_validate.h"
#include "cli/options/scene.h"

namespace copse::cli {

Json to_json(const ValidationReport& report) {
  Json json{{"valid", report.is_valid()}, {"message", report.message()}};
  for (const ValidationReport::Fault& fault : report.faults) json[fault.name] = fault.count;
  return json;
}

namespace {

/// Describes a file with a kd-tree or a tree of points, and validates it if that is asked for.
///   source: of the tree, in the memory of the context
template <class Tree, class Source>
FileReport describe_tree(Session& session, Context& context, const InfoOptions& options, const char* structure,
                         const Tree& tree, const Source& source, Json report, Facts facts) {
  const u64 file_bytes = std::filesystem::file_size(options.input);
  Json all{{"copse", describe(context)}, {"input", options.input},   {"kind", "structure"},
           {"structure", structure},     {"file_bytes", file_bytes}, {"bytes", tree.size_bytes()}};
  all.update(report);
  Facts lines;
  lines.add("structure", "{}, {}", one_line(options.input), readable_bytes(file_bytes));
  lines.add("kind", "{}", structure);
  bool is_valid = true;
  if (options.validate) {
    session.begin("validating");
    const ValidationReport validation = validate(context, tree, source);
    all["validation"] = to_json(validation);
    facts.add("validation", "{}", validation.message());
    is_valid = validation.is_valid();
  }
  return {all, lines.text() + facts.text(), is_valid};
}

template <class Tree>
FileReport describe_points(Session& session, Context& context, const InfoOptions& options, const char* structure,
                           const std::vector<vec3>& points, const Tree& tree) {
  const auto counts = tree.counts.download()[0];
  Facts facts;
  facts.add("points", "{}, {} of them left out", grouped(points.size()), grouped(counts.invalid_count));
  facts.add("memory", "{}", readable_bytes(tree.size_bytes()));
  const Buffer<vec3> source(context, points);
  return describe_tree(session, context, options, structure, tree, PositionSpan(source.span()),
                       {{"points", counts.point_count}, {"invalid_points", counts.invalid_count}}, facts);
}

FileReport describe_kd_of_triangles(Session& session, Context& context, const InfoOptions& options) {
  const SahKdTreeFile file = load_sah_kd_tree(options.input, context, session.cancel_token());
  const u64 nodes = file.tree.nodes.size(), references = file.tree.primitive_ids.size();
  Facts facts;
  facts.add("over", "{}, {}", counted(file.mesh.triangles.size(), "triangles"),
            counted(file.mesh.positions.size(), "vertices"));
  facts.add("nodes", "{}, {} deep", grouped(nodes), counted(file.tree.depth, "levels"));
  facts.add("references", "{}", grouped(references));
  facts.add("memory", "{}", readable_bytes(file.tree.size_bytes()));
  const DeviceMesh device_mesh(context, file.mesh);
  return describe_tree(session, context, options, "kdtree", file.tree, device_mesh.view(),
                       {{"triangles", file.mesh.triangles.size()},
                        {"vertices", file.mesh.positions.size()},
                        {"invalid_triangles", file.tree.invalid_count},
                        {"nodes", nodes},
                        {"depth", file.tree.depth},
                        {"references", references}},
                       facts);
}

}  // namespace

FileReport describe_tree_file(Session& session, const InfoOptions& options, TreeKind kind) {
  if (options.epo) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("'{}': --epo takes a structure with a binary tree of boxes; this one holds none",
                            options.input));
  }
  const auto context = session.make_context();
  session.progress().expect_stages(1 + options.validate);
  session.begin("reading");
  if (kind == TreeKind::kd_tree) {
    const KdTreeFile file = load_kd_tree(options.input, *context, session.cancel_token());
    return describe_points(session, *context, options, "points", file.points, file.tree);
  }
  if (kind == TreeKind::point_bvh) {
    const PointBvhFile file = load_point_bvh(options.input, *context, session.cancel_token());
    return describe_points(session, *context, options, "point-bvh", file.points, file.bvh);
  }
  return describe_kd_of_triangles(session, *context, options);
}

}  // namespace copse::cli

#include "cli/commands/build_in_slices.h"

#include "builders/io/structure_file.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/options/builders.h"
#include "cli/options/layouts.h"
#include "cli/options/structures.h"
#include "primitives/core/stopwatch.h"
#include "scale/sliced_build.h"

namespace copse::cli {

namespace {

/// A tree that was built in slices, and what it took.
struct TimedSlices {
  Bvh bvh;
  SlicedBuildSizes sizes;
  double milliseconds;
};

/// Throws: Error invalid_argument if --memory is below what the smallest slices take.
SlicedBuildSizes sizes_within_limit(Context& device, u64 triangle_count, const SlicedBuildOptions& options) {
  try {
    return sliced_build_sizes(device, triangle_count, options);
  } catch (const Error& error) {
    throw_with_option(error, "build_in_slices: the memory limit", "--memory");
  }
}

TimedSlices build_slices_timed(Context& host, Context& device, const TriangleRecords& triangles,
                               const SlicedBuildRequest& request) {
  const SlicedBuildOptions options{request.memory_bytes, *request.settings.morton_bits, request.settings.radius};
  TimedSlices result{{}, sizes_within_limit(device, triangles.triangle_count, options), 0};
  Stopwatch stopwatch(host);
  result.bvh = build_in_slices(host, device, triangles, options);
  result.milliseconds = stopwatch.milliseconds();
  return result;
}

Json make_slices_report(Context& device, const SlicedBuildRequest& request, const InputMeshes& meshes,
                        const TimedSlices& build, const BvhStats& statistics) {
  Json report{{"copse", describe(device)}};
  add_inputs(report, request.inputs, meshes);
  report.update({{"mapped", meshes.mapped.has_value()},
                 {"recipe", to_json(request.settings)},
                 {"layout", name_of(Layout::bvh2)},
                 {"statistics", to_json(statistics)},
                 {"slices",
                  {{"count", build.sizes.slice_count},
                   {"triangles", build.sizes.slice_triangles},
                   {"device_bytes", build.sizes.device_bytes},
                   {"memory_limit", request.memory_bytes}}},
                 {"first_build_ms", build.milliseconds},
                 {"output", request.output.empty() ? Json() : Json(request.output)}});
  return report;
}

std::string make_slices_text(Context& device, const SlicedBuildRequest& request, const InputMeshes& meshes,
                             const TimedSlices& build, const BvhStats& statistics) {
  Facts facts;
  add_input_facts(facts, request.inputs, meshes);
  facts.add("device", "{}", describe_in_words(device));
  add_facts(facts, request.settings);
  add_facts(facts, statistics);
  facts.add("slices", "{} of {}", build.sizes.slice_count, counted(build.sizes.slice_triangles, "triangles"));
  facts.add("device memory", "{}, limit {}", readable_bytes(build.sizes.device_bytes),
            readable_bytes(request.memory_bytes));
  facts.add("build", "{:.3f} ms, with allocation and copies", build.milliseconds);
  return facts.text();
}

}  // namespace

int build_sliced_tree(Session& session, const SlicedBuildRequest& request) {
  const std::string& builder = request.settings.builder;
  if (builder != "lbvh" && builder != "hploc") {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--memory builds in slices, which lbvh and hploc do; --builder is {}", builder));
  }
  check_mesh_inputs(request.inputs);
  if (!request.output.empty()) check_structure_output(request.output, Structure::bvh, request.inputs);
  const auto device = session.make_context(), host = session.make_host_context();
  session.progress().expect_stages(3 + !request.output.empty());

  session.begin("reading");
  const InputMeshes meshes = map_meshes(session, request.inputs);
  session.begin("building");
  const TimedSlices build = build_slices_timed(*host, *device, meshes.records(), request);
  session.begin("measuring");
  const BvhStats statistics = stats(*host, build.bvh);

  if (!request.output.empty()) {
    session.begin("writing");
    save_structure(request.output, *host, meshes.records(), build.bvh, builder, *request.settings.morton_bits, 1,
                   {}, session.cancel_token());
    session.note("wrote {}", request.output);
  }
  session.print(make_slices_report(*device, request, meshes, build, statistics),
                session.json() ? "" : make_slices_text(*device, request, meshes, build, statistics));
  return exit_ok;
}

}  // namespace copse::cli

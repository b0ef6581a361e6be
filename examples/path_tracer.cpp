// A small path tracer on all cores. With nvcc, path_tracer.cu is built instead.

#include "path_tracer_program.h"

namespace {

struct ShareOut {
  void operator()(copse::Context&, const path_tracer::TracePixel& trace, copse::u64 pixel_count) const {
    path_tracer::trace_on_host(trace, pixel_count);
  }
};

}  // namespace

int main(int argument_count, char** words) {
  return path_tracer::run(argument_count, words, ShareOut{});
}

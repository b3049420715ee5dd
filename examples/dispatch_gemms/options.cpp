#include "examples/dispatch_gemms/options.h"

#include <CLI/CLI.hpp>

namespace tunehub::example {

std::optional<int> ParseOptions(int argc, char** argv, Options& options) {
  CLI::App app(
      "Runs the GEMMs of a transformer layer on this host's GPU, with the kernels that run where "
      "nothing was tuned and with those of a tuned table, and prints both times.",
      "dispatch-example");
  app.add_option("SOURCE", options.source, "http://HUB:PORT, fetched with curl, or a tuned table")
      ->required();
  app.add_option("--family", options.family, "of the table")->capture_default_str();
  app.add_option("--columns", options.columns,
                 "the family's other shape columns: q_dtype_w=torch.float8_e4m3fn");
  auto* const model = app.add_option("--model", options.model,
                                     "whose GEMMs: a name in configs/models, or a config.json");
  app.add_option("--tp", options.tp, "GPUs that it is split over")->capture_default_str();
  app.add_option("--gemm", options.gemms, "NxK instead of a model: 1280x5120")->excludes(model);
  app.add_option("--m", options.ms, "rows: 1,16,1024")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--configs", options.configs, "folder with families/ and models/");
  app.add_flag("--lookup-only", options.lookup_only,
               "print what the table answers, launch nothing");
  app.add_option("--gfx", options.gfx, "with --lookup-only: another target than this GPU");
  app.add_option("--cu-num", options.cu_num, "its CU count; default: the usual one");
  app.add_option("--repetitions", options.repetitions,
                 "timings of each, of which the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
    if (options.model.empty() && options.gemms.empty()) {
      throw CLI::RequiredError("--model or --gemm");
    }
    if (!options.gfx.empty() && !options.lookup_only) {
      throw CLI::ValidationError("--gfx", "goes with --lookup-only: a launch is on this GPU");
    }
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : 2;
  }
  return std::nullopt;
}

}  // namespace tunehub::example

#include "examples/dispatch_gemms/options.h"

#include <iostream>

#include "core/cli/command_line.h"

namespace tunehub::example {
namespace {

constexpr int kUsage = 2;

}  // namespace

std::optional<int> ParseOptions(int argc, char** argv, Options& options) {
  cli::CommandLine line(
      "Runs the GEMMs of a transformer layer on this host's GPU, with the kernels that run where "
      "nothing was tuned and with those of a tuned table, and prints both times.",
      "dispatch-example");
  line.Add("SOURCE", options.source, "http://HUB:PORT, fetched with curl, or a tuned table")
      .Required();
  line.Add("--family", options.family, "of the table").ShowDefault();
  line.Add("--columns", options.columns,
           "the family's other shape columns: q_dtype_w=torch.float8_e4m3fn");
  const auto model =
      line.Add("--model", options.model, "whose GEMMs: a name in configs/models, or a config.json");
  line.Add("--tp", options.tp, "GPUs that it is split over").ShowDefault();
  line.Add("--gemm", options.gemms, "NxK instead of a model: 1280x5120").Excludes(model);
  line.Add("--m", options.ms, "rows: 1,16,1024").Delimiter(',').Range(1, 1 << 20).ShowDefault();
  line.Add("--configs", options.configs, "folder with families/ and models/");
  line.AddFlag("--lookup-only", options.lookup_only,
               "print what the table answers, launch nothing");
  line.Add("--gfx", options.gfx, "with --lookup-only: another target than this GPU");
  line.Add("--cu-num", options.cu_num, "its CU count; default: the usual one");
  line.Add("--repetitions", options.repetitions, "timings of each, of which the median counts")
      .Range(1, 1000)
      .ShowDefault();
  const cli::Parsed parsed = line.Parse(argc, argv, std::cout, std::cerr);
  if (parsed != cli::Parsed::kGiven) return parsed == cli::Parsed::kAnswered ? 0 : kUsage;
  std::string wrong;
  if (options.model.empty() && options.gemms.empty()) wrong = "--model or --gemm is required";
  if (!options.gfx.empty() && !options.lookup_only) {
    wrong = "--gfx goes with --lookup-only: a launch is on this GPU";
  }
  if (!wrong.empty()) {
    std::cerr << line.Complaint(wrong);
    return kUsage;
  }
  return std::nullopt;
}

}  // namespace tunehub::example

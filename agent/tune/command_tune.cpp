#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "agent/aiter/untuned_table.h"
#include "agent/search/hub_tables.h"
#include "agent/search/tuned_file.h"
#include "agent/search/tuning_bench.h"
#include "agent/tables/input_family.h"
#include "agent/tune/commands.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/shapes/known_models.h"
#include "core/shapes/model_shapes.h"

namespace tunehub::agent {
namespace {

constexpr char kWinners[] = "the tuned table that gets the winners; its other rows stay";
constexpr char kWinnersOrFiles[] =
    "the tuned table that gets the winners; its other rows stay; vllm, sglang, tunableop: folder "
    "for the engine's files";

// The default of gradlib's --nsets.
constexpr std::array kGradlibGrid = {1, 512, 1024, 2048, 3072, 4096, 8192, 16384};
constexpr char kGradlibFamily[] = "bf16";

// The name of an untuned file identifies its family. For another file, finds the family as for a
// tuned table.
core::Result<const core::Family*> FamilyOfInput(const TuneOptions& options, const Bench& bench,
                                                std::string_view text) {
  const auto& families = bench.configuration.families;
  const std::string name = std::filesystem::path(options.input).filename().string();
  for (const auto& family : families.all()) {
    if (options.family.empty() && name == family->untuned_file) return family.get();
  }
  return FamilyOf(families, options.family, {options.input, text});
}

// The shapes of --model, as gradlib's tuner makes them. The default family is bf16, gradlib's.
core::Result<TuneInput> ReadModel(const TuneOptions& options, const Bench& bench) {
  const Configuration& configuration = bench.configuration;
  const auto family = configuration.families.Named(
      options.family.empty() ? std::string(kGradlibFamily) : options.family);
  if (!family.ok()) return family.error();
  const auto model = core::LoadModel(configuration.models, options.model);
  if (!model.ok()) return model.error();
  std::vector<std::int64_t> grid(options.grid.begin(), options.grid.end());
  if (grid.empty()) grid.assign(kGradlibGrid.begin(), kGradlibGrid.end());
  if (const auto least = std::ranges::min(grid); least < 1) {
    return core::Error{"bad_arguments",
                       fmt::format("--nsets {}: expected numbers of tokens from 1", least)};
  }
  core::ShapeOptions shape;
  shape.schemes = core::SchemeChoice::kOwnOrAny;
  shape.gfx = bench.device.target.gfx;
  const core::GpuArch* const arch = configuration.targets.Find(shape.gfx);
  shape.fnuz = arch != nullptr && arch->fnuz;
  const auto rows = core::ModelShapes(*model, std::max(options.tp, 1), **family, grid, shape);
  if (!rows.ok()) return rows.error();
  auto shapes = ReadShapes(**family, options.model, UntunedCsv(**family, *rows));
  if (!shapes.ok()) return shapes.error();
  return TuneInput{*family, *std::move(shapes), {}, Purpose::kTune, options.model};
}

// Reads the shapes of -i, or of --model. With kAfter, also keeps the rows for this device.
core::Result<TuneInput> ReadInput(const TuneOptions& options, Purpose purpose, const Bench& bench) {
  if (!options.model.empty()) return ReadModel(options, bench);
  const auto bytes = core::FileBytes::Read(options.input);
  if (!bytes.ok()) return bytes.error();
  const auto family = FamilyOfInput(options, bench, bytes->view());
  if (!family.ok()) return family.error();
  TuneInput input{*family, {}, {}, purpose, options.input};
  if (purpose != Purpose::kAfter) {
    auto shapes = ReadShapes(**family, options.input, bytes->view());
    if (!shapes.ok()) return shapes.error();
    input.shapes = *std::move(shapes);
    return input;
  }
  const auto rows = ReadTunedRows(**family, bench.configuration.targets, bytes->view());
  if (!rows.ok()) return rows.error();
  for (const TunedRow& row : *rows) {
    const bool here = row.target == bench.device.target || options.tuner == kAiter;
    if (!here) continue;  // AITER's script itself selects rows of its GPU
    input.tuned.push_back(row);
    const auto known = std::find(input.shapes.begin(), input.shapes.end(), row.shape);
    if (known == input.shapes.end()) input.shapes.push_back(row.shape);
  }
  return input;
}

// Asks the hub for tuned shapes. With kAfter: this device's rows; else the shapes of all targets.
core::Result<TuneInput> AskHub(const TuneOptions& options, Purpose purpose, Bench& bench) {
  const core::Families& families = bench.configuration.families;
  const auto named = families.Named(options.family);
  if (!named.ok()) return named.error();
  const core::Family* const family = *named;
  if (bench.hub == nullptr)
    return core::Error{"no_hub", "pass --hub URL: the shapes come from a hub"};
  HubTables tables(*bench.hub, *family, bench.configuration.targets, options.online.retry);
  TuneInput input{family, {}, {}, purpose, options.online.hub};
  std::set<std::string> seen;
  const auto add = [&](const std::optional<core::Target>& target,
                       const char* provider) -> core::Status {
    const auto rows = tables.Tuned(target, provider);
    if (!rows.ok()) return rows.error();
    for (const TunedRow& row : *rows) {
      if (!seen.insert(TextOf(row.shape)).second) continue;
      input.shapes.push_back(row.shape);
      if (purpose == Purpose::kAfter) input.tuned.push_back(row);
    }
    return core::Ok();
  };
  core::Status status = core::Ok();
  if (purpose == Purpose::kAfter) {
    status = add(bench.device.target, "tunehub");
  } else {
    status = add(std::nullopt, "aiter");
    if (status.ok()) status = add(std::nullopt, "tunehub");
  }
  if (!status.ok()) return status.error();
  return input;
}

// Finds an output that cannot be written, before hours of tuning.
core::Status TryOutputs(const TuneOptions& options) {
  for (const std::string& path : {options.output, options.profile}) {
    if (path.empty()) continue;
    if (auto status = core::TryWriting(path); !status.ok()) return status;
  }
  return core::Ok();
}

int Run(const std::string& name, const TuneOptions& options, Purpose purpose, bool from_hub,
        Console& console) {
  if (options.tuner == kAiter) {
    const auto status = CheckAiterOptions(options, purpose);
    if (!status.ok()) return Fail(console, name, status.error());
  }
  if (const auto status = TryOutputs(options); !status.ok()) {
    return Fail(console, name, status.error());
  }
  auto bench = OpenBench(options);
  if (!bench.ok()) return Fail(console, name, bench.error());
  const auto input =
      from_hub ? AskHub(options, purpose, *bench) : ReadInput(options, purpose, *bench);
  if (!input.ok()) return Fail(console, name, input.error());
  if (options.tuner == kAiter) {
    return purpose == Purpose::kTune ? TuneByAiter(options, *input, *bench, console)
                                     : BenchByAiter(options, *input, *bench, console);
  }
  return TuneAndReport(name, options, *input, *bench, console);
}

}  // namespace

int RunTune(int argc, char** argv, Console& console) {
  TuneOptions options;
  options.arguments = ArgumentsText(argc, argv);
  argc = TakeAiterFlags(argc, argv, options);
  cli::CommandLine line("Finds the fastest candidate of each shape on this device.",
                        "tunehub-agent tune");
  line.Add("-i,--input,--untune_file,--input_file", options.input,
           "the shapes: AITER's untuned CSV, or TunableOp's untuned file");
  AddTuneOptions(line, options, kWinnersOrFiles, {kBuiltin, kAiter, kVllm, kSglang, kTunableOp});
  AddEngineOptions(line, options);
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  auto status = CheckTuneOptions(line, options);
  if (status.ok()) status = CheckEngineOptions(options);
  if (!status.ok()) return Fail(console, "tune", status.error());
  if (options.ByEngine()) return TuneByEngine(options, console);
  return Run("tune", options, Purpose::kTune, false, console);
}

int RunBench(int argc, char** argv, Console& console) {
  TuneOptions options;
  options.arguments = ArgumentsText(argc, argv);
  argc = TakeAiterFlags(argc, argv, options);
  SuiteOptions suite;
  bool before = false, after = false;
  cli::CommandLine line(
      "Measures each shape's default (--before) or tuned candidate (--after), for the rows of a "
      "file or the hub's tuned rows. With --suite, measures AITER's Triton benches in two "
      "environments.",
      "tunehub-agent bench");
  line.Add("-i,--input,--untune_file,--input_file", options.input,
           "an untuned CSV; with --after a tuned one");
  const auto first =
      line.AddFlag("--before", before, "measure the default candidate of each shape");
  line.AddFlag("--after", after, "measure the tuned candidate of each row").Excludes(first);
  AddTuneOptions(line, options,
                 "table for the measured rows; with --before for the defaults' rows");
  AddSuiteOptions(line, suite);
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  if (const auto status = CheckTuneOptions(line, options); !status.ok()) {
    return Fail(console, "bench", status.error());
  }
  if (!suite.suite.empty()) return BenchSuite(suite, options, console);
  if (before == after) {
    return Fail(console, "bench", {"bad_arguments", "pass --before, --after or --suite"});
  }
  if (options.input.empty() && options.family.empty()) {
    return Fail(console, "bench", {"bad_arguments", "pass -i FILE, or --family and --hub"});
  }
  return Run("bench", options, after ? Purpose::kAfter : Purpose::kBefore, options.input.empty(),
             console);
}

int RunPretune(int argc, char** argv, Console& console) {
  TuneOptions options;
  options.arguments = ArgumentsText(argc, argv);
  argc = TakeAiterFlags(argc, argv, options);
  std::string modules;
  bool list = false;
  cli::CommandLine line(
      "Tunes on this device the shapes that are tuned elsewhere. With MODULES: AITER's scripts "
      "tune the shapes in an AITER tree's tables, then the modules are rebuilt (needs no hub). "
      "With --family and --hub: tunes every shape of the family that has a tuned row for any "
      "target.",
      "tunehub-agent pretune");
  const auto wanted =
      line.Add("MODULES", modules,
               "all, or names separated by commas: gemm_a8w8, module_gemm_a8w8_tune; "
               "default, without --family: $PRETUNE_MODULES");
  const auto listed =
      line.AddFlag("--list", list, "list the tree's modules, and if each can be tuned");
  listed.Excludes(wanted);
  AddTuneOptions(line, options, kWinners);
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  if (modules.empty() && !list && options.family.empty()) {
    modules = core::Environment("PRETUNE_MODULES");
  }
  const bool by_module = list || !modules.empty();
  const auto refuse = [&](const std::string& why) {
    return Fail(console, "pretune", {"bad_arguments", why});
  };
  if (by_module && line.IsGiven("--tuner") && options.tuner != kAiter) {
    return refuse("AITER's scripts tune MODULES, so pass --tuner aiter");
  }
  if (by_module) options.tuner = kAiter;
  if (const auto status = CheckTuneOptions(line, options); !status.ok()) {
    return Fail(console, "pretune", status.error());
  }
  if (list) return ListModules(options, console);
  for (const char* option : {"--family", "--output"}) {
    if (by_module && options.IsGiven(option)) {
      return refuse(fmt::format("{}: leave it out, because MODULES choose the tables", option));
    }
  }
  if (by_module) return PretuneModules(options, modules, console);
  if (options.family.empty()) {
    return refuse(
        "pass MODULES of an AITER tree (or set PRETUNE_MODULES), or pass --family and --hub");
  }
  return Run("pretune", options, Purpose::kTune, true, console);
}

}  // namespace tunehub::agent

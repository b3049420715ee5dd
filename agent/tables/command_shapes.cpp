#include <fmt/core.h>

#include <ostream>
#include <span>
#include <sstream>

#include "agent/aiter/untuned_table.h"
#include "agent/base/command.h"
#include "agent/tables/commands.h"
#include "core/base/file.h"
#include "core/family/families.h"
#include "core/shapes/known_models.h"
#include "core/shapes/model_shapes.h"
#include "core/shapes/products.h"

namespace tunehub::agent {
namespace {

// Returns "" for 0, which means that the matrix product has no such figure.
std::string Figure(std::int64_t value) {
  return value == 0 ? "" : std::to_string(value);
}

std::string TakersOf(const core::Families& families, const core::ModelProduct& product,
                     bool quantized) {
  std::string names;
  for (const auto& family : families.all()) {
    if (core::RulesOf(*family, product, quantized, core::SchemeChoice::kOwn).empty()) continue;
    names += (names.empty() ? "" : " ") + family->name;
  }
  return names;
}

// Prints a line per matrix product. `quantized`: as in core::RulesOf.
void PrintProducts(std::ostream& out, const core::ProductPlan& plan, const core::Families& families,
                   bool quantized) {
  constexpr const char* kLine = "{:<13} {:>6}  {:<9} {:>4} {:>4} {:>4} {:>7} {:>7}  {:<9}  {}\n";
  out << fmt::format(kLine, "product", "layers", "split", "B", "E", "topk", "N", "K", "stored",
                     "families");
  for (const core::ModelProduct& it : plan.products) {
    // For experts, engines use the name N for the width.
    const std::int64_t n = it.kind == core::ProductKind::kExperts ? it.width : it.n;
    out << fmt::format(kLine, it.layer, Figure(it.layers), Name(it.split), Figure(it.batch),
                       Figure(it.experts), Figure(it.topk), n, it.k, it.scheme,
                       TakersOf(families, it, quantized));
  }
}

// "refused: ... (block)", "note: ... (kv_heads_copied)". Returns true if an engine would refuse the
// split.
bool PrintFindings(std::ostream& out, std::span<const core::SplitFinding> findings) {
  bool refused = false;
  for (const core::SplitFinding& it : findings) {
    out << fmt::format("{}: {} ({})\n", it.refused ? "refused" : "note", it.detail, it.code);
    refused = refused || it.refused;
  }
  return refused;
}

core::Result<core::ShapeOptions> ShapeOptionsOf(const core::Targets& targets,
                                                const ShapesOptions& options) {
  core::ShapeOptions shape;
  shape.dtype = options.dtype;
  shape.fuse_shared_experts = options.fuse_shared_experts;
  shape.ep = options.ep;
  shape.dp_attention = options.dp_attention;
  shape.engine = options.engine;
  shape.aiter = options.aiter;
  shape.device = options.device;
  shape.schemes = core::SchemeChoice::kOwn;
  if (!options.aiter.empty() && core::VersionNumbers(options.aiter).empty()) {
    return core::Error{"bad_aiter", fmt::format("'{}': expected a version", options.aiter)};
  }
  if (!options.gfx.empty()) {
    const auto target = core::KnownTarget(targets, options.gfx);
    if (!target.ok()) return target.error();
    shape.gfx = target->gfx;
    const core::GpuArch* const arch = targets.Find(shape.gfx);
    if (arch == nullptr) {
      return core::Error{"bad_gfx",
                         fmt::format("--gfx {}: tunehub does not know which FP8 format (OCP or "
                                     "FNUZ) this GPU has; it knows it for {}",
                                     options.gfx, core::Joined(targets.archs(), [](const auto& it) {
                                       return it.first;
                                     }))};
    }
    shape.fnuz = arch->fnuz;
  }
  for (const std::string& column : options.columns) {
    const std::size_t equals = column.find('=');
    if (equals == std::string::npos || equals == 0) {
      return core::Error{"bad_column", fmt::format("'{}': expected COLUMN=VALUE", column)};
    }
    shape.columns[column.substr(0, equals)] = column.substr(equals + 1);
  }
  return shape;
}

// The output, and the remarks on it.
struct Answer {
  std::string text;
  std::string remarks;
  bool refused = false;
};

core::Result<Answer> Products(const Configuration& configuration, const core::Model& model,
                              const ShapesOptions& options) {
  const auto plan =
      core::ProductsOf(model, {options.tp, options.ep, options.dp_attention, options.engine,
                               options.dtype, options.fuse_shared_experts});
  if (!plan.ok()) return plan.error();
  std::ostringstream text;
  PrintProducts(text, *plan, configuration.families,
                model.quantization.given || !options.dtype.empty());
  Answer answer;
  answer.refused = PrintFindings(text, plan->findings);
  answer.text = text.str();
  return answer;
}

core::Result<Answer> Table(const Configuration& configuration, const core::Model& model,
                           const ShapesOptions& options) {
  const auto named = configuration.families.Named(options.family);
  if (!named.ok()) return named.error();
  const core::Family* const family = *named;
  auto grid = core::GridOf(*family, options.grid);
  if (!grid.ok()) return grid.error();
  auto shape_options = ShapeOptionsOf(configuration.targets, options);
  if (!shape_options.ok()) return shape_options.error();
  auto asked = core::ShapesOfProducts(model, options.tp, *family, *grid, *shape_options);
  if (!asked.ok()) return asked.error();
  std::vector<core::Shape> rows;
  for (core::AskedShape& it : asked->shapes) rows.push_back(std::move(it.row));
  std::ostringstream remarks;
  Answer answer;
  answer.text = UntunedCsv(*family, rows);
  answer.refused = PrintFindings(remarks, asked->plan.findings);
  answer.remarks = remarks.str();
  return answer;
}

}  // namespace

core::Status SayNotes(const core::Model& model, bool strict, std::ostream& out) {
  const std::vector<core::SplitFinding> notes = core::NotesOf(model);
  if (strict && !notes.empty()) return core::Error{notes.front().code, notes.front().detail};
  PrintFindings(out, notes);
  return core::Ok();
}

int Shapes(const Configuration& configuration, const ShapesOptions& options, Console& console) {
  if (!options.family.empty()) {
    const auto family = configuration.families.Named(options.family);
    if (!family.ok()) return Fail(console, "shapes", family.error());
  }
  const auto model = core::LoadModel(configuration.models, options.model);
  if (!model.ok()) return Fail(console, "shapes", model.error());
  if (const core::Status known = SayNotes(*model, options.strict, console.err); !known.ok()) {
    return Fail(console, "shapes", known.error());
  }
  const auto answer = options.family.empty() ? Products(configuration, *model, options)
                                             : Table(configuration, *model, options);
  if (!answer.ok()) return Fail(console, "shapes", answer.error());
  console.err << answer->remarks;
  const int code = answer->refused ? kFinding : kGood;
  if (options.output.empty()) {
    console.out << answer->text;
    return code;
  }
  const core::Status written = core::WriteAtomically(options.output, answer->text);
  return written.ok() ? code : Fail(console, "shapes", written.error());
}

int RunShapes(int argc, char** argv, Console& console) {
  ShapesOptions options;
  std::string configs;
  cli::CommandLine line(
      "Lists the matrix products of a model on one GPU. With --family, writes an untuned table of "
      "the shapes that these products look up in that family's tuned table.",
      "tunehub-agent shapes");
  line.Add("--model", options.model, "a known name, a Hugging Face name, a folder or a config.json")
      .Required();
  line.Add("--tp", options.tp, "number of GPUs over which the model is split").ShowDefault();
  line.Add("--ep", options.ep, "number of GPUs over which the experts are split").ShowDefault();
  line.Add("--dp-attention", options.dp_attention,
           "number of groups of GPUs that compute attention for separate requests")
      .ShowDefault();
  line.Add("--engine", options.engine,
           "the engine that runs the model. With --dp-attention, vllm splits dense layers, too, "
           "only within a group. With --ep, the lookup of experts depends on the engine")
      .Suggest({"vllm", "sglang", "atom"});
  line.Add("--aiter", options.aiter,
           "AITER's version; with --ep the top-k of the lookup depends on it; default: the newest");
  line.Add("--family", options.family,
           "the family of the untuned table; default: list all products");
  line.Add(
          "--grid", options.grid,
          "the values of M: gl0 (AITER's fine grid, to 80,000), pow2, or a list such as 1,16,1024; "
          "gradlib's --nsets is such a list, by default 1,512,1024,2048,3072,4096,8192,16384")
      .Suggest({"gl0", "pow2"})
      .ShowDefault();
  line.Add("--dtype", options.dtype,
           "the model's storage type, instead of its config's: bf16, fp8, fp8_block, int8, int4, "
           "fp4, mxfp4")
      .Suggest({"bf16", "fp8", "fp8_block", "int8", "int4", "fp4", "mxfp4"});
  line.Add("--gfx", options.gfx, "the GPU, on which the kind of fp8 depends: MI300X, or gfx942");
  line.Add("--device", options.device, "the device's name, if the family has a column for it");
  line.AddFlag("--fuse-shared-experts", options.fuse_shared_experts,
               "route shared experts like the other experts");
  line.AddFlag("--strict", options.strict, "refuse a config with an unknown member");
  line.Add("--set", options.columns, "a value for every row, COLUMN=VALUE: bias=True");
  line.Add("-o,--output", options.output, "the table; default: the standard output");
  line.Add("--configs", configs, "folder with families/, models/ and targets.json");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, "shapes", configuration.error());
  return Shapes(*configuration, options, console);
}

}  // namespace tunehub::agent

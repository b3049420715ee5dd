#include "agent/commands/tables/command_shapes.h"

#include <fmt/core.h>

#include <ostream>

#include "agent/aiter/untuned_table.h"
#include "agent/base/command_line.h"
#include "core/shapes/model.h"
#include "core/shapes/model_shapes.h"
#include "core/system/atomic_file.h"

namespace tunehub::agent {
namespace {

core::Result<core::ShapeOptions> ShapeOptionsOf(const core::Targets& targets,
                                                const ShapesOptions& options) {
  core::ShapeOptions shape;
  shape.dtype = options.dtype;
  shape.fuse_shared_experts = options.fuse_shared_experts;
  if (!options.gfx.empty()) {
    const core::GpuArch* const arch = targets.Find(options.gfx);
    if (arch == nullptr) {
      return core::Error{"bad_gfx",
                         fmt::format("nothing is known of the target '{}'", options.gfx)};
    }
    shape.fnuz = arch->fnuz;
  }
  for (const std::string& column : options.columns) {
    const std::size_t equals = column.find('=');
    if (equals == std::string::npos || equals == 0) {
      return core::Error{"bad_column", fmt::format("'{}' is not COLUMN=VALUE", column)};
    }
    shape.columns[column.substr(0, equals)] = column.substr(equals + 1);
  }
  return shape;
}

core::Result<std::string> Table(const Configuration& configuration, const ShapesOptions& options) {
  const auto named = configuration.families.Named(options.family);
  if (!named.ok()) return named.error();
  const core::Family* const family = *named;
  auto model = core::LoadModel(configuration.models, options.model);
  if (!model.ok()) return model.error();
  auto grid = core::GridOf(*family, options.grid);
  if (!grid.ok()) return grid.error();
  auto shape_options = ShapeOptionsOf(configuration.targets, options);
  if (!shape_options.ok()) return shape_options.error();
  auto shapes = core::ModelShapes(*model, options.tp, *family, *grid, *shape_options);
  if (!shapes.ok()) return shapes.error();
  return UntunedCsv(*family, *shapes);
}

}  // namespace

int Shapes(const Configuration& configuration, const ShapesOptions& options, Console& console) {
  auto table = Table(configuration, options);
  if (!table.ok()) return Fail(console, "shapes", table.error());
  if (options.output.empty()) {
    console.out << *table;
    return kGood;
  }
  const core::Status written = core::WriteAtomically(options.output, *table);
  return written.ok() ? kGood : Fail(console, "shapes", written.error());
}

int RunShapes(int argc, char** argv, Console& console) {
  ShapesOptions options;
  std::string configs;
  cli::CommandLine line(
      "Lists the shapes that serving a model asks a tuned table for, as AITER's untuned "
      "table.",
      "tunehub-agent shapes");
  line.Add("--model", options.model, "a name in configs/models, or a config.json").Required();
  line.Add("--tp", options.tp, "GPUs that the model is split over").ShowDefault();
  line.Add("--family", options.family, "the family").Required();
  line.Add("--grid", options.grid,
           "gl0 (to 80,000), pow2, or values of M: 1,16,1024; "
           "gradlib's --nsets is such a list of M, by default "
           "1,512,1024,2048,3072,4096,8192,16384")
      .Suggest({"gl0", "pow2"})
      .ShowDefault();
  line.Add("--dtype", options.dtype, "of the operands: bf16, fp8, fp8_block, int8, fp4")
      .Suggest({"bf16", "fp8", "fp8_block", "int8", "fp4"});
  line.Add("--gfx", options.gfx, "the target, which tells which fp8 it is");
  line.AddFlag("--fuse-shared-experts", options.fuse_shared_experts,
               "shared experts are routed like the others");
  line.Add("--set", options.columns, "COLUMN=VALUE of every row: bias=True");
  line.Add("-o,--output", options.output, "the table; default: the standard output");
  line.Add("--configs", configs, "folder with families/, models/ and targets.json");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, "shapes", configuration.error());
  return Shapes(*configuration, options, console);
}

}  // namespace tunehub::agent

#include "examples/dispatch_gemms/gemms.h"

#include <fmt/core.h>

#include <system_error>

#include "build_info.h"
#include "core/row/cell.h"
#include "core/shapes/model.h"
#include "core/shapes/shape.h"

namespace tunehub::example {
namespace {

using core::Error;
namespace fs = std::filesystem;

core::Result<core::Projection> Parsed(const std::string& text) {
  const std::size_t by = text.find('x');
  const auto n = core::ParseInt64(text.substr(0, by));
  const auto k = by == std::string::npos ? std::nullopt : core::ParseInt64(text.substr(by + 1));
  if (n && k && *n > 0 && *k > 0) return core::Projection{"gemm", *n, *k};
  return Error{"bad_gemm", fmt::format("'{}' is not NxK such as 1280x5120", text)};
}

}  // namespace

core::Status Checked(th_code code) {
  if (code == TH_OK) return core::Ok();
  return Error{"dispatch", th_last_error()};
}

core::Result<fs::path> ConfigsOf(const Options& options) {
  std::vector<fs::path> places = {"configs", fs::path(TUNEHUB_SOURCE_DIR) / "configs"};
  if (!options.configs.empty()) places = {options.configs};
  for (const fs::path& place : places) {
    std::error_code error;
    if (fs::is_directory(place / "families", error)) return place;
  }
  return Error{"no_configs", fmt::format("no folder families/ in {}; pass --configs DIR",
                                         places.back().string())};
}

core::Result<std::vector<core::Projection>> GemmsOf(const Options& options,
                                                    const fs::path& configs) {
  std::vector<core::Projection> gemms;
  for (const std::string& text : options.gemms) {
    const auto gemm = Parsed(text);
    if (!gemm.ok()) return gemm.error();
    gemms.push_back(*gemm);
  }
  if (!gemms.empty()) return gemms;
  const auto model = core::LoadModel(configs / "models", options.model);
  if (!model.ok()) return model.error();
  return core::Projections(*model, options.tp);
}

core::Result<std::vector<Layer>> OpenLayers(const th_table& table, const Options& options,
                                            const std::vector<core::Projection>& gemms) {
  std::vector<Layer> layers;
  for (const core::Projection& gemm : gemms) {
    const th_shape shape = {0, gemm.n, gemm.k, options.columns.c_str()};
    const char* const gfx = options.gfx.empty() ? nullptr : options.gfx.c_str();
    th_layer* layer = nullptr;
    const auto status = Checked(th_layer_open(&table, gfx, options.cu_num, &shape, &layer));
    if (!status.ok()) return status.error();
    layers.emplace_back(layer);
  }
  return layers;
}

core::Result<kernels::Problem> ProblemOf(const core::Family& family, bool fnuz,
                                         const Options& options, const core::Projection& gemm,
                                         int m) {
  const std::string numbers[] = {std::to_string(m), std::to_string(gemm.n), std::to_string(gemm.k)};
  std::vector<core::NamedCell> cells = {{"M", numbers[0]}, {"N", numbers[1]}, {"K", numbers[2]}};
  for (std::string_view rest = options.columns; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    const std::size_t equals = item.find('=');  // the library has refused an item without
    cells.push_back({item.substr(0, equals), item.substr(equals + 1)});
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
  }
  core::FamilyShape shape;
  if (const auto issue = core::MakeShape(family, options.gfx, cells, 0, shape)) {
    return Error{issue->code, issue->column + ": " + issue->detail};
  }
  auto problem = kernels::ReadProblem(family, core::Cells(shape.cells.begin(), shape.cells.end()));
  if (!problem.ok()) return problem;
  for (kernels::Format* format : {&(*problem).a, &(*problem).w}) {
    if (fnuz && *format == kernels::Format::kE4m3) *format = kernels::Format::kE4m3Fnuz;
  }
  return problem;
}

}  // namespace tunehub::example

#include "server/tables/model_shapes.h"

#include "core/shapes/known_models.h"

namespace tunehub::server {

core::Result<core::Model> ModelOf(const Definitions& definitions, const ModelRequest& request) {
  if (request.config.empty()) return core::FindModel(definitions.models, request.model);
  return core::ParseModel(request.model, request.config);
}

std::string FileNameOf(const Definitions& definitions, const core::Target& target,
                       const std::string& asked) {
  const core::Devices& devices = definitions.targets.devices();
  const core::Device* device = nullptr;
  if (!asked.empty()) {
    if (!devices.IsProduct(asked)) return asked;
    device = devices.Find(asked);
  } else if (const auto all = devices.Of(target.gfx, target.cu_num); !all.empty()) {
    device = all.front();
  }
  return device == nullptr || device->aliases.empty() ? asked : device->aliases.front().name;
}

core::Result<std::vector<core::FamilyShape>> ShapesOf(const Definitions& definitions,
                                                      const core::Family& family,
                                                      const std::string& gfx,
                                                      const ModelRequest& request) {
  const auto model = ModelOf(definitions, request);
  if (!model.ok()) return model.error();
  return ShapesOf(definitions, *model, family, gfx, request);
}

core::Result<std::vector<core::FamilyShape>> ShapesOf(const Definitions& definitions,
                                                      const core::Model& model,
                                                      const core::Family& family,
                                                      const std::string& gfx,
                                                      const ModelRequest& request) {
  const auto grid = core::GridOf(family, request.grid);
  if (!grid.ok()) return grid.error();
  core::ShapeOptions options = request.options;
  options.gfx = gfx;
  options.fnuz = definitions.targets.IsFnuz(gfx);
  const auto rows = core::ModelShapes(model, request.tp, family, *grid, options);
  if (!rows.ok()) return rows.error();
  std::vector<core::FamilyShape> shapes;
  for (const std::vector<std::string>& row : *rows) {
    auto shape = core::ShapeOfUntuned(family, gfx, row);
    if (shape) shapes.push_back(*std::move(shape));
  }
  return shapes;
}

}  // namespace tunehub::server

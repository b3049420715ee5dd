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

}  // namespace tunehub::server

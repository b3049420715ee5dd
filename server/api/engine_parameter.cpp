#include "server/api/engine_parameter.h"

#include <fmt/core.h>

#include "core/base/excerpt.h"
#include "server/api/parameters.h"

namespace tunehub::api {

core::Result<EngineChoice> EngineOf(const Services& services, const http::Request& request) {
  constexpr std::string_view kAnyEngine = "any";
  const auto name = TextParameter(request, "engine", kMaxNameBytes);
  if (!name.ok()) return name.error();
  const auto rocm = TextParameter(request, "rocm", kMaxNameBytes);
  if (!rocm.ok()) return rocm.error();
  if (*rocm && !core::IsRocmVersion(**rocm)) {
    return core::Error{"bad_parameter",
                       fmt::format("rocm: '{}' is no version such as 7.2", core::Excerpt(**rocm))};
  }
  EngineChoice choice{services.definitions.UsualEngine(), rocm->value_or("")};
  if (!*name || (*name)->empty()) return choice;
  choice.engine = nullptr;
  if (**name == kAnyEngine) return choice;
  std::string known;
  for (const core::EngineReads& engine : services.definitions.engine_reads) {
    if (engine.name == **name) choice.engine = &engine;
    known += engine.name + ", ";
  }
  if (choice.engine != nullptr) return choice;
  return core::Error{"bad_parameter", fmt::format("engine: '{}' is not known, only {}{}",
                                                  core::Excerpt(**name), known, kAnyEngine)};
}

}  // namespace tunehub::api

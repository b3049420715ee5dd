#include "server/answers/target_parameters.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/row/target.h"
#include "core/table/untuned_table.h"
#include "server/answers/body.h"

namespace tunehub::server {
namespace {

constexpr std::size_t kMaxGfxBytes = 128;  // with its features: gfx942:sramecc+:xnack-

}  // namespace

core::Target DemandTargetOf(const Services& services, RequestQuery& query) {
  core::Target target;
  if (const auto gfx = query.Text("gfx", kMaxGfxBytes)) {
    auto named = core::NamedTarget(services.definitions.targets.devices(), *gfx);
    if (named.ok())
      target = *std::move(named);
    else
      query.Fail({"bad_parameter", "gfx: " + named.error().detail});
  }
  if (const auto cu_num = query.Number("cu_num", 1, core::kMaxCuNum))
    target.cu_num = static_cast<int>(*cu_num);
  return target;
}

core::Result<core::Target> DemandTargetOf(const core::Devices& devices, std::string_view gfx,
                                          std::string_view cu_num) {
  core::Target target;
  if (!gfx.empty()) {
    auto named = core::NamedTarget(devices, gfx);
    if (!named.ok()) return named.error();
    target = *std::move(named);
  }
  const auto given = core::ParseDemandTarget("", cu_num);
  if (!given.ok()) return given.error();
  if (given->cu_num > 0) target.cu_num = given->cu_num;
  return target;
}

core::Target TargetOf(const Services& services, core::JsonObject& body, bool any_cu_num) {
  core::Target target;
  const auto named = core::NamedTarget(services.definitions.targets.devices(), body.Text("gfx"));
  if (named.ok())
    target = *named;
  else
    body.Fail("gfx", named.error().detail);
  const bool given = body.Has("cu_num") && !body.Value("cu_num")->is_null();
  if (given) {
    target.cu_num = static_cast<int>(BoundedInteger(body, "cu_num", 0, 1, core::kMaxCuNum));
  } else if (target.cu_num > 0) {
    (void)body.Value("cu_num");  // null is allowed: the product has a CU count
  } else if (body.Value("cu_num") == nullptr && !any_cu_num) {
    body.Fail("cu_num", "is missing");
  } else if (!any_cu_num) {
    body.Fail("cu_num", "must be an integer, not null");
  }
  return target;
}

core::Target OneTarget(const Services& services, RequestQuery& query, const core::Family* family) {
  core::Target target = DemandTargetOf(services, query);
  if (target.gfx.empty()) query.Fail({"bad_parameter", "gfx: is missing"});
  if (family != nullptr && family->cu_num == core::kNoColumn) {
    target.cu_num = 0;
    return target;
  }
  const core::GpuArch* const arch = services.definitions.targets.Find(target.gfx);
  if (target.cu_num == 0 && arch != nullptr) target.cu_num = arch->default_cu_num;
  if (target.cu_num == 0) {
    query.Fail(
        {"bad_parameter", fmt::format("cu_num: is missing; {} has no usual CU count", target.gfx)});
  }
  return target;
}

EngineChoice EngineOf(const Services& services, RequestQuery& query) {
  constexpr std::string_view kAnyEngine = "any";
  const auto name = query.Text("engine");
  EngineChoice choice{services.definitions.UsualEngine(), query.Text("rocm").value_or("")};
  if (!choice.rocm.empty() && !core::IsRocmVersion(choice.rocm)) {
    query.Fail({"bad_parameter", fmt::format("rocm: '{}': expected a version, such as 7.2",
                                             core::Excerpt(choice.rocm))});
  }
  if (!name) return choice;
  choice.engine = nullptr;
  std::string known;
  for (const core::EngineReads& engine : services.definitions.engine_reads) {
    if (engine.name == *name) choice.engine = &engine;
    known += engine.name + ", ";
  }
  if (choice.engine == nullptr && *name != kAnyEngine) {
    query.Fail({"bad_parameter", fmt::format("engine: unknown engine '{}'; known engines: {}{}",
                                             core::Excerpt(*name), known, kAnyEngine)});
  }
  return choice;
}

}  // namespace tunehub::server

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

// Names the parameter in an error of the target.
core::Result<core::Target> InParameter(core::Result<core::Target> target) {
  if (target.ok()) return target;
  const char* const parameter = target.error().code == "bad_gfx" ? "gfx: " : "cu_num: ";
  return core::Error{"bad_parameter", parameter + target.error().detail};
}

}  // namespace

core::Target DemandTargetOf(const Services& services, RequestQuery& query) {
  const auto gfx = query.Text("gfx", kMaxGfxBytes);
  const int cu_num = static_cast<int>(query.Number("cu_num", 1, core::kMaxCuNum, 0));
  if (!gfx) return {"", cu_num};
  return query.Take(InParameter(core::NamedTarget(services.definitions.targets, *gfx, cu_num)));
}

core::Result<core::Target> DemandTargetOf(const core::Targets& targets, std::string_view gfx,
                                          std::string_view cu_num) {
  auto given = core::ParseDemandTarget("", cu_num);
  if (!given.ok() || gfx.empty()) return given;
  return core::NamedTarget(targets, gfx, given->cu_num);
}

core::Target TargetOf(const Services& services, core::JsonObject& body, bool any_cu_num) {
  const bool given = body.Has("cu_num") && !body.Value("cu_num")->is_null();
  const int cu_num =
      given ? static_cast<int>(BoundedInteger(body, "cu_num", 0, 1, core::kMaxCuNum)) : 0;
  const auto named = core::NamedTarget(services.definitions.targets, body.Text("gfx"), cu_num);
  const core::Target target = named.ok() ? *named : core::Target{};
  if (!named.ok())
    body.Fail(named.error().code == "bad_gfx" ? "gfx" : "cu_num", named.error().detail);
  if (given) return target;
  if (target.cu_num > 0) {
    (void)body.Value("cu_num");  // null is allowed: the product has a CU count
  } else if (body.Value("cu_num") == nullptr && !any_cu_num) {
    body.Fail("cu_num", "is missing");
  } else if (!any_cu_num) {
    body.Fail("cu_num", "must be an integer, not null");
  }
  return target;
}

core::Target OneTarget(const Services& services, RequestQuery& query, const core::Family* family) {
  const core::Target target = DemandTargetOf(services, query);
  if (target.gfx.empty()) query.Fail({"bad_parameter", "gfx: is missing"});
  return query.Take(
      InParameter(core::TargetToLookUp(services.definitions.targets, target,
                                       family == nullptr || family->cu_num != core::kNoColumn)));
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

#include "server/api/verdict_query.h"

#include <fmt/core.h>

#include "server/api/engine_parameter.h"
#include "server/api/parameters.h"
#include "server/api/target_parameters.h"

namespace tunehub::api {
namespace {

constexpr std::int64_t kUsualItems = 50, kMostItems = 200;
constexpr std::int64_t kLastOffset = 1'000'000;  // more rows than any table has

// The device that asks: where the CU count is not said, the usual one of its architecture.
core::Result<core::Target> AskingTarget(const Services& services, const http::Request& request) {
  auto target = DemandTargetOf(services, request);
  if (!target.ok()) return target;
  if (target->gfx.empty()) return core::Error{"bad_parameter", "gfx: is missing"};
  if (target->cu_num > 0) return target;
  const core::GpuArch* const arch = services.definitions.targets.Find(target->gfx);
  if (arch != nullptr) target->cu_num = arch->default_cu_num;
  if (target->cu_num > 0) return target;
  return core::Error{"bad_parameter",
                     fmt::format("cu_num: is missing, and {} has no usual CU count", target->gfx)};
}

core::Status ReadJudgedModel(const http::Request& request, service::ModelRequest& model) {
  const auto name = TextParameter(request, "model", kMaxNameBytes);
  if (!name.ok()) return name.error();
  if (!*name) return core::Error{"bad_parameter", "model: is missing"};
  model.model = **name;
  const auto tp = NumberParameter(request, "tp", 1, service::kMaxTp);
  if (!tp.ok()) return tp.error();
  model.tp = tp->value_or(1);
  const auto dtype = TextParameter(request, "dtype", kMaxNameBytes);
  if (!dtype.ok()) return dtype.error();
  model.options.dtype = dtype->value_or("");
  return core::Ok();
}

core::Status ReadEngine(const Services& services, const http::Request& request,
                        VerdictQuery& query) {
  auto choice = EngineOf(services, request);
  if (!choice.ok()) return choice.error();
  query.question.engine = choice->engine;
  query.question.rocm = std::move(choice->rocm);
  return core::Ok();
}

core::Status ReadList(const http::Request& request, VerdictQuery& query) {
  const auto name = ChoiceParameter(
      request, "list",
      {"", "missing", "unmeasured", "substituted", "left_out", "needs_rebuild", "borrowed"});
  if (!name.ok()) return name.error();
  for (std::size_t i = 0; i < service::kConcerns; ++i) {
    const auto concern = static_cast<service::Concern>(i);
    if (*name == service::Name(concern)) query.list = concern;
  }
  const auto offset = NumberParameter(request, "offset", 0, kLastOffset);
  if (!offset.ok()) return offset.error();
  query.offset = static_cast<std::size_t>(offset->value_or(0));
  const auto limit = NumberParameter(request, "limit", 1, kMostItems);
  if (!limit.ok()) return limit.error();
  query.limit = static_cast<std::size_t>(limit->value_or(kUsualItems));
  return core::Ok();
}

// The bundle takes them as they came.
core::Status ReadTables(const http::Request& request, VerdictQuery& query) {
  const core::Target& target = query.question.target;
  query.question.tables = {{"gfx", target.gfx}};
  if (request.Query("cu_num")) {
    query.question.tables.emplace_back("cu_num", std::to_string(target.cu_num));
  }
  const auto build = TextParameter(request, "build", kMaxSideBytes);
  if (!build.ok()) return build.error();
  if (*build) query.question.tables.emplace_back("build", **build);
  return core::Ok();
}

}  // namespace

core::Result<VerdictQuery> ReadVerdictQuery(const Services& services,
                                            const http::Request& request) {
  const auto known =
      CheckParameters(request, {"gfx", "cu_num", "model", "tp", "dtype", "build", "revision",
                                "engine", "rocm", "family", "list", "offset", "limit"});
  if (!known.ok()) return known.error();
  VerdictQuery query;
  auto target = AskingTarget(services, request);
  if (!target.ok()) return target.error();
  query.question.target = *std::move(target);
  if (const auto read = ReadJudgedModel(request, query.question.model); !read.ok())
    return read.error();
  if (const auto read = ReadTables(request, query); !read.ok()) return read.error();
  if (const auto read = ReadEngine(services, request, query); !read.ok()) return read.error();
  if (const auto read = ReadList(request, query); !read.ok()) return read.error();
  const auto family = TextParameter(request, "family", kMaxNameBytes);
  if (!family.ok()) return family.error();
  if (*family) {
    const auto found = FindFamily(services, **family);
    if (!found.ok()) return found.error();
    if ((*found)->env.empty()) {
      return core::Error{"bad_parameter",
                         fmt::format("family: {} is no table of a bundle: no variable of AITER's "
                                     "names it",
                                     **family)};
    }
    query.question.family = *found;
  }
  const auto revision = PinParameter(request, "revision");
  if (!revision.ok()) return revision.error();
  query.revision = *revision;
  return query;
}

std::string TableText(const VerdictQuery& query, const std::string& build) {
  std::string text;
  for (const auto& [name, value] : query.question.tables) {
    text += fmt::format("{}{}={}", text.empty() ? "?" : "&", name, name == "build" ? build : value);
  }
  return text;
}

}  // namespace tunehub::api

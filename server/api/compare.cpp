// What became slower between two runs or two environments.
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/analysis/compare_report.h"
#include "core/cell.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"
#include "server/api/target_parameters.h"

namespace tunehub::api {
namespace {

constexpr std::size_t kMaxSideBytes = 1024, kMaxNameBytes = 128;
// A page of the dashboard: 200 KB packed; format=csv has them all.
constexpr std::int64_t kListedKeys = 1'000, kMostListedKeys = 100'000;

core::Result<service::SideQuery> SideOf(const http::Request& request, std::string_view name) {
  const auto text = TextParameter(request, name, kMaxSideBytes);
  if (!text.ok()) return text.error();
  if (!*text) {
    return core::Error{"bad_parameter",
                       std::string(name) + ": is missing: a run, or an environment (rocm:7.0.1)"};
  }
  return service::ParseSide(name, **text);
}

// A limit of the rule: a number of at least `least`.
core::Status ReadLimit(const http::Request& request, const char* name, double least,
                       double& limit) {
  const auto text = TextParameter(request, name, kMaxNameBytes);
  if (!text.ok()) return text.error();
  if (!*text) return core::Ok();
  const auto number = core::ParseNumber(**text);
  if (!number || !(*number >= least) || std::isinf(*number)) {
    return core::Error{"bad_parameter", std::string(name) + ": '" + **text +
                                            "' is no number from " + nlohmann::json(least).dump()};
  }
  limit = *number;
  return core::Ok();
}

core::Result<analysis::CompareLimits> LimitsOf(const http::Request& request) {
  analysis::CompareLimits limits;
  auto status = ReadLimit(request, "ratio", 1, limits.ratio);
  if (status.ok()) status = ReadLimit(request, "slack_us", 0, limits.slack_us);
  if (status.ok()) status = ReadLimit(request, "ignore_below_us", 0, limits.ignore_below_us);
  if (status.ok()) status = ReadLimit(request, "spread", 0, limits.spread);
  if (!status.ok()) return status.error();
  return limits;
}

http::Response GetCompare(Services& services, const http::Request& request) {
  const auto begin = std::chrono::steady_clock::now();
  if (const auto known =
          CheckParameters(request, {"base", "head", "family", "gfx", "cu_num", "ratio", "slack_us",
                                    "ignore_below_us", "spread", "limit", "format"});
      !known.ok())
    return ProblemFor(known.error());
  const auto base = SideOf(request, "base"), head = SideOf(request, "head");
  if (!base.ok()) return ProblemFor(base.error());
  if (!head.ok()) return ProblemFor(head.error());
  const auto families = TimedFamilies(services, request);
  if (!families.ok()) return ProblemFor(families.error());
  const auto target = DemandTargetOf(request);
  if (!target.ok()) return ProblemFor(target.error());
  const auto limits = LimitsOf(request);
  if (!limits.ok()) return ProblemFor(limits.error());
  const auto most = NumberParameter(request, "limit", 0, kMostListedKeys);
  if (!most.ok()) return ProblemFor(most.error());
  const auto format = ChoiceParameter(request, "format", {"json", "csv"});
  if (!format.ok()) return ProblemFor(format.error());
  const auto sides = services.analyses.comparisons.Read(*base, *head, *families, *target);
  if (!sides.ok()) return ProblemFor(sides.error());
  const auto comparison = analysis::Compare(sides->base, sides->head, *limits);
  if (!comparison.ok()) return ProblemFor(comparison.error());
  const auto listed = static_cast<std::size_t>(most->value_or(kListedKeys));
  http::Response response =
      *format == "csv"
          ? http::TextResponse(200, "text/csv; charset=utf-8",
                               analysis::ToCsv(*comparison, sides->base, sides->head))
          : http::JsonResponse(
                200,
                analysis::ToJson(*comparison, sides->base, sides->head, *limits, listed).dump());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  services.metrics.ObserveCompare(took.count());
  return response;
}

}  // namespace

std::vector<Route> CompareRoutes(Services& services) {
  return {{"GET", "/compare", [&](const auto& request, const auto&, const auto&) {
             return GetCompare(services, request);
           }}};
}

}  // namespace tunehub::api

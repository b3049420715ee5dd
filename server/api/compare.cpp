// What became slower between two runs or two environments.
#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/analysis/compare_report.h"
#include "core/row/cell.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"
#include "server/api/target_parameters.h"

namespace tunehub::api {
namespace {

// An answer for people to look at, 200 KB at most; format=csv has all keys.
constexpr std::int64_t kListedKeys = 100, kMostListedKeys = 1'000;
constexpr std::int64_t kMostOffset = 10'000'000;  // more keys than any registry holds

core::Result<service::SideQuery> SideOf(const http::Request& request, std::string_view name) {
  const auto text = TextParameter(request, name, kMaxSideBytes);
  if (!text.ok()) return text.error();
  if (!*text) {
    return core::Error{"bad_parameter",
                       fmt::format("{}: is missing: a run, or an environment (rocm:7.0.1)", name)};
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
    return core::Error{"bad_parameter", fmt::format("{}: '{}' is no number from {}", name, **text,
                                                    nlohmann::json(least).dump())};
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

core::Result<analysis::KeyChoice> ChoiceOf(const http::Request& request) {
  analysis::KeyChoice choice;
  const auto change = TextParameter(request, "change", kMaxNameBytes);
  if (!change.ok()) return change.error();
  if (*change) {
    const auto known = analysis::ParseChange(**change);
    if (!known.ok()) return known.error();
    choice.change = *known;
  }
  const auto sort = TextParameter(request, "sort", kMaxNameBytes);
  if (!sort.ok()) return sort.error();
  if (*sort) {
    if (const auto known = analysis::ParseOrder(**sort, choice); !known.ok()) return known.error();
  }
  const auto offset = NumberParameter(request, "offset", 0, kMostOffset);
  if (!offset.ok()) return offset.error();
  choice.offset = static_cast<std::size_t>(offset->value_or(0));
  const auto most = NumberParameter(request, "limit", 0, kMostListedKeys);
  if (!most.ok()) return most.error();
  choice.most = static_cast<std::size_t>(most->value_or(kListedKeys));
  return choice;
}

struct Question {
  service::CompareQuery query;
  analysis::KeyChoice choice;
  bool csv = false;
};

core::Result<Question> ReadQuestion(const Services& services, const http::Request& request) {
  const auto known = CheckParameters(
      request, {"base", "head", "family", "gfx", "cu_num", "ratio", "slack_us", "ignore_below_us",
                "spread", "change", "sort", "offset", "limit", "format"});
  if (!known.ok()) return known.error();
  auto base = SideOf(request, "base"), head = SideOf(request, "head");
  if (!base.ok()) return base.error();
  if (!head.ok()) return head.error();
  auto families = TimedFamilies(services, request);
  if (!families.ok()) return families.error();
  auto target = DemandTargetOf(services, request);
  if (!target.ok()) return target.error();
  const auto limits = LimitsOf(request);
  if (!limits.ok()) return limits.error();
  const auto choice = ChoiceOf(request);
  if (!choice.ok()) return choice.error();
  const auto format = ChoiceParameter(request, "format", {"json", "csv"});
  if (!format.ok()) return format.error();
  return Question{{*std::move(base), *std::move(head), *std::move(families), *std::move(target),
                   *limits, TimedFamilies(services)},
                  *choice,
                  *format == "csv"};
}

http::Response GetCompare(Services& services, const http::Request& request) {
  const auto asked = ReadQuestion(services, request);
  if (!asked.ok()) return ProblemFor(asked.error());
  const auto found = services.analyses.comparisons.Get(asked->query);
  if (!found.ok()) return ProblemFor(found.error());
  const analysis::Comparison& comparison = **found;
  if (asked->csv) {
    return http::TextResponse(200, "text/csv; charset=utf-8",
                              analysis::ToCsv(comparison, asked->choice));
  }
  return http::JsonResponse(
      200, analysis::ToJson(comparison, asked->query.limits, asked->choice).dump());
}

}  // namespace

std::vector<Endpoint> CompareRoutes(Services& services) {
  return {Heavy({"GET", "/compare", With(services, GetCompare)})};
}

}  // namespace tunehub::api

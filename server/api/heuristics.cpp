// What to run where nothing was tuned.
#include <nlohmann/json.hpp>

#include "core/analysis/score_json.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/revision.h"
#include "server/api/route.h"
#include "server/api/target_parameters.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kListedConfusions = 20;
constexpr std::size_t kListedSizes = 1'000;

Json ScoresJson(const service::Rated& rated) {
  Json json = {{"left_out", analysis::ToJson(rated.left_out)},
               {"seen", analysis::ToJson(rated.seen)}};
  if (rated.written) json["written_down"] = analysis::ToJson(*rated.written);
  if (rated.fallback) json["default"] = analysis::ToJson(*rated.fallback);
  return json;
}

std::string ReportText(const core::Family& family, const core::Target& target,
                       const analysis::Heuristic* written, const service::HeuristicReport& report) {
  const analysis::Samples& samples = report.samples;
  const service::Learned& learned = report.learned;
  Json json = {
      {"family", family.name},           {"gfx", target.gfx},
      {"cu_num", target.cu_num},         {"revision", learned.revision.number},
      {"pin", learned.revision.Text()},  {"rows", samples.rows.size()},
      {"sizes", samples.groups.size()},  {"without_time", samples.without_time},
      {"leaves", learned.tree.Leaves()}, {"learned", analysis::ToJson(learned.tree, family)}};
  json["written_down"] = written == nullptr ? Json() : analysis::ToJson(*written, family);
  json["scores"] = ScoresJson(report.rated);
  json["shapes"] = analysis::GroupsJson(samples, report.rated.left_out, kListedSizes);
  json["confusions"] = analysis::ConfusionsJson(samples, report.rated.left_out, kListedConfusions);
  return json.dump();
}

http::Response GetHeuristic(Services& services, const http::Request& request,
                            std::string_view name) {
  const auto found = FindFamily(services, name);
  if (!found.ok()) return ProblemFor(found.error());
  const core::Family& family = **found;
  if (const auto known = CheckParameters(request, {"gfx", "cu_num"}); !known.ok())
    return ProblemFor(known.error());
  const auto target = OneTarget(services, family, request);
  if (!target.ok()) return ProblemFor(target.error());
  services.snapshots.WaitUpToDate();
  service::Heuristics& heuristics = services.analyses.heuristics;
  const auto answer = heuristics.Answer(family, *target, [&](const auto& report) {
    return ReportText(family, *target, heuristics.Written(family, target->gfx, target->cu_num),
                      report);
  });
  if (!answer.ok()) return ProblemFor(answer.error());
  http::Response response = http::JsonResponse(200, (*answer)->body);
  AddRevision(response, (*answer)->revision);
  return response;
}

}  // namespace

std::vector<Endpoint> HeuristicRoutes(Services& services) {
  return {Heavy({"GET", "/heuristics/{family}", With(services, GetHeuristic, "family")})};
}

}  // namespace tunehub::api

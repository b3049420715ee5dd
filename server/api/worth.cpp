// What to tune of a model on a target, and what it is worth.
#include "server/service/analysis/worth.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/analysis/model_question.h"
#include "server/api/coverage_query.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/revision.h"
#include "server/api/route.h"
#include "server/api/tuned.h"
#include "server/api/worth_json.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

// A line is a kilobyte, of estimates some more.
constexpr std::int64_t kUsualGroups = 50, kMostGroups = 100;

struct WorthChoice {
  service::WorthQuery query;
  std::string state;  // "": any
  std::string sort = "worth";
  bool falling = true;
  std::size_t offset = 0, limit = kUsualGroups;
};

// Errors: bad_parameter, also where the product is none of the target's.
core::Status ReadProduct(const Services& services, const http::Request& request,
                         service::JudgedTarget& on) {
  const auto name = TextParameter(request, "product", kMaxNameBytes);
  if (!name.ok()) return name.error();
  if (!*name) return core::Ok();
  const core::Devices& devices = services.definitions.targets.devices();
  for (const core::Device* device : devices.Of(on.target.gfx, on.target.cu_num)) {
    if (device == devices.Find(**name)) on.product = device;
  }
  if (on.product != nullptr) return core::Ok();
  return core::Error{"bad_parameter",
                     fmt::format("product: '{}' is none of {}", **name,
                                 devices.TargetName(on.target.gfx, on.target.cu_num))};
}

core::Status ReadOrder(const http::Request& request, WorthChoice& choice) {
  const auto state =
      ChoiceParameter(request, "state", {"", "missing", "baseline", "unmeasured", "slow"});
  if (!state.ok()) return state.error();
  choice.state = *state;
  const auto sort = ChoiceParameter(request, "sort",
                                    {"-worth", "worth", "-share", "share", "-lost", "lost", "-open",
                                     "open", "-demand", "demand", "-cost", "cost"});
  if (!sort.ok()) return sort.error();
  choice.falling = sort->starts_with('-');
  choice.sort = sort->substr(choice.falling ? 1 : 0);
  const auto offset = NumberParameter(request, "offset", 0, kMaxId);
  if (!offset.ok()) return offset.error();
  choice.offset = static_cast<std::size_t>(offset->value_or(0));
  const auto limit = NumberParameter(request, "limit", 1, kMostGroups);
  if (!limit.ok()) return limit.error();
  choice.limit = static_cast<std::size_t>(limit->value_or(kUsualGroups));
  return core::Ok();
}

core::Result<WorthChoice> ReadWorthChoice(const Services& services, const http::Request& request) {
  const auto known = CheckParameters(request, {"model", "tp", "gfx", "cu_num", "product", "family",
                                               "state", "sort", "offset", "limit"});
  if (!known.ok()) return known.error();
  WorthChoice choice;
  const auto model = TextParameter(request, "model", kMaxNameBytes);
  if (!model.ok()) return model.error();
  if (!*model) return core::Error{"bad_parameter", "model: is missing"};
  choice.query.model.model = **model;
  const auto tp = NumberParameter(request, "tp", 1, service::kMaxTp);
  if (!tp.ok()) return tp.error();
  choice.query.model.tp = tp->value_or(1);
  const auto family = TextParameter(request, "family", kMaxNameBytes);
  if (!family.ok()) return family.error();
  if (*family) {
    const auto found = FindFamily(services, **family);
    if (!found.ok()) return found.error();
    choice.query.family = *found;
  }
  auto target = TargetFor(services, choice.query.family, request);
  if (!target.ok()) return target.error();
  choice.query.on.target = *std::move(target);
  if (const auto read = ReadProduct(services, request, choice.query.on); !read.ok())
    return read.error();
  if (const auto read = ReadOrder(request, choice); !read.ok()) return read.error();
  return choice;
}

bool IsIn(const WorthLine& line, const std::string& state) {
  if (state.empty()) return true;
  for (std::size_t i = 0; i < analysis::kNeeds; ++i) {
    if (analysis::Name(static_cast<analysis::Need>(i)) == state) return line.group->shapes[i] > 0;
  }
  return false;
}

Json HeadJson(const Services& services, const WorthChoice& choice) {
  const service::JudgedTarget& on = choice.query.on;
  Json json = {{"model", choice.query.model.model},
               {"tp", choice.query.model.tp},
               {"gfx", on.target.gfx},
               {"cu_num", on.target.cu_num},
               {"product", on.product == nullptr ? Json() : Json(on.product->product)},
               {"peaks", Json::array()},
               {"max_m", analysis::kDefaultMaxM},
               {"sure_error", analysis::kSureError},
               {"fewest_keys", analysis::kFewestKeys}};
  for (const core::Device* it :
       services.definitions.targets.devices().Of(on.target.gfx, on.target.cu_num)) {
    Json peaks = {{"product", it->product}};
    if (it->peaks) {
      peaks.update({{"memory_gb_s", it->peaks->memory_gb_s},
                    {"tflops", it->peaks->tflops},
                    {"source", it->peaks->source}});
    }
    json["peaks"].push_back(std::move(peaks));
  }
  return json;
}

http::Response GetWorth(Services& services, const http::Request& request) {
  const auto choice = ReadWorthChoice(services, request);
  if (!choice.ok()) return ProblemFor(choice.error());
  services.snapshots.WaitUpToDate();
  const auto worth = services.worth.Of(choice->query);
  if (!worth.ok()) return ProblemFor(worth.error());
  const auto costs = services.worth.CostsOf(**worth, choice->query.on.target);
  const std::vector<WorthLine> all = LinesOf(**worth, costs);
  Json json = RevisionJson((*worth)->revision);
  json.update(HeadJson(services, *choice));
  json["totals"] = TotalsJson(all);
  json["families"] = Json::array();
  for (std::size_t i = 0; i < costs.size(); ++i)
    json["families"].push_back(FamilyWorthJson((*worth)->families[i], costs[i], all));
  std::vector<WorthLine> lines;
  std::ranges::copy_if(all, std::back_inserter(lines),
                       [&](const WorthLine& line) { return IsIn(line, choice->state); });
  SortLines(lines, choice->sort, choice->falling);
  const std::size_t begin = std::min(choice->offset, lines.size());
  const std::size_t end = begin + std::min(choice->limit, lines.size() - begin);
  json["matching"] = lines.size();
  json["offset"] = begin;
  json["listed"] = end - begin;
  json["groups"] = Json::array();
  for (std::size_t i = begin; i < end; ++i) json["groups"].push_back(LineJson(lines[i]));
  http::Response response = http::JsonResponse(200, json.dump());
  AddRevision(response, (*worth)->revision);
  WarnIfStale(services, response);
  return response;
}

}  // namespace

std::vector<Endpoint> WorthRoutes(Services& services) {
  return {
      Heavy({"GET", "/worth", With(services, GetWorth)}),
  };
}

}  // namespace tunehub::api

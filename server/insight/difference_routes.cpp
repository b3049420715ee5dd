#include "server/insight/difference_routes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/row/cell.h"
#include "core/shapes/known_models.h"
#include "core/table/table_writer.h"
#include "server/answers/answer.h"
#include "server/answers/issues.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/answers/target_parameters.h"
#include "server/insight/routes.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kListedRevisions = 10;
constexpr double kUsDigits = 1e4;

Json UsJson(std::optional<double> us) {
  if (!us || !std::isfinite(*us)) return {};
  return std::round(*us * kUsDigits) / kUsDigits;
}

Json SideJson(const DifferenceSide& side) {
  if (!side.is_there) return {};
  Json json = {{"us", UsJson(side.us)}, {"kernel", side.kernel}, {"run", side.run}};
  if (side.is_baseline) json["baseline"] = true;
  return json;
}

// The key's columns that are not empty: what /shapes is asked by.
Json KeyJson(const core::Family& family, const TunedRow& row) {
  std::string scratch;
  const core::Cells cells = core::SplitLine(row.line, scratch);
  Json json = Json::object();
  for (std::size_t i : family.key_columns) {
    if (!cells[i].empty()) json[family.columns[i].name] = cells[i];
  }
  return json;
}

Json RunIdJson(std::optional<std::int64_t> run) {
  return run ? Json(*run) : Json();
}

}  // namespace

Json TotalsJson(const DifferenceTotals& totals) {
  Json json;
  for (std::size_t i = 0; i < analysis::kDifferences; ++i) {
    const std::string name(analysis::Name(static_cast<analysis::Difference>(i)));
    json["counts"][name] = totals.keys[i];
    json["lost_us"][name] = UsJson(totals.lost_us[i]);
  }
  json["within_noise"] = totals.within_noise;
  std::vector<std::pair<std::int64_t, const RevisionShare*>> shares;
  for (const auto& [number, share] : totals.revisions) shares.emplace_back(number, &share);
  std::ranges::stable_sort(shares, [](const auto& a, const auto& b) {
    return a.second->keys != b.second->keys ? a.second->keys > b.second->keys : a.first > b.first;
  });
  json["revision_count"] = shares.size();
  json["revisions"] = Json::array();
  for (std::size_t i = 0; i < std::min(shares.size(), kListedRevisions); ++i) {
    const auto& [number, share] = shares[i];
    json["revisions"].push_back({{"revision", number},
                                 {"kind", share->kind},
                                 {"cause", share->cause},
                                 {"run", RunIdJson(share->run)},
                                 {"keys", share->keys}});
  }
  return json;
}

Json DifferenceJson(const WeighedDifference& difference, const std::vector<WinnerTime>& times) {
  const KeyDifference& key = *difference.key;
  const core::Family& family = *difference.family;
  Json history = Json::array();
  for (const WinnerTime& time : times)
    history.push_back({{"revision", time.revision}, {"us", UsJson(time.us)}});
  return {{"kind", analysis::Name(key.difference)},
          {"family", family.name},
          {"gfx", key.row->gfx},
          {"cu_num", key.row->cu_num > 0 ? Json(key.row->cu_num) : Json()},
          {"key", KeyJson(family, *key.row)},
          {"before", SideJson(key.Before())},
          {"now", SideJson(key.Now(family))},
          {"lost_us", UsJson(difference.lost_us())},
          {"demand", difference.demand},
          {"revision", key.change->revision},
          {"run", RunIdJson(key.change->run)},
          {"history", std::move(history)}};
}

// What is served now against what was served some days ago, at a revision, or by a lock file.

namespace {

using Json = nlohmann::ordered_json;

// With the longest kernel names a hundred are less than 200 KB.
constexpr std::int64_t kListedDifferences = 50, kMostListedDifferences = 100;
constexpr std::int64_t kMostSkipped = 10'000'000;  // more keys than any registry holds
constexpr int kUsualAge = 7, kMostAge = 366;       // days
constexpr std::string_view kDifferenceFilters[] = {"gfx",  "cu_num", "family", "model", "tp",
                                                   "kind", "sort",   "limit",  "offset"};

struct DifferenceQuestion {
  DifferenceQuery query;
  DifferenceChoice choice;
  Json since;
};

core::Status ReadModelFilter(const InsightServices& services, const http::Request& request,
                             DifferenceQuery& query) {
  const auto model = TextParameter(request, "model", kMaxNameBytes);
  if (!model.ok()) return model.error();
  const auto tp = NumberParameter(request, "tp", 1, kMaxTp);
  if (!tp.ok()) return tp.error();
  if (*tp && !*model) return core::Error{"bad_parameter", "tp: means nothing without a model"};
  query.model = model->value_or("");
  query.tp = tp->value_or(0);
  if (query.model.empty()) return core::Ok();
  const auto known = core::FindModel(services.definitions.models, query.model);
  if (!known.ok()) return known.error();
  query.model = known->name;
  return core::Ok();
}

core::Status ReadChoice(const http::Request& request, DifferenceChoice& choice) {
  const auto kind = TextParameter(request, "kind", kMaxNameBytes);
  if (!kind.ok()) return kind.error();
  if (*kind) {
    const auto known = analysis::ParseDifference(**kind);
    if (!known.ok()) return known.error();
    choice.kind = *known;
  }
  const auto sort = TextParameter(request, "sort", kMaxNameBytes);
  if (!sort.ok()) return sort.error();
  if (*sort) {
    if (auto known = ParseDifferenceSort(**sort, choice); !known.ok()) return known;
  }
  const auto offset = NumberParameter(request, "offset", 0, kMostSkipped);
  if (!offset.ok()) return offset.error();
  choice.offset = static_cast<std::size_t>(offset->value_or(0));
  const auto limit = NumberParameter(request, "limit", 0, kMostListedDifferences);
  if (!limit.ok()) return limit.error();
  choice.most = static_cast<std::size_t>(limit->value_or(kListedDifferences));
  return core::Ok();
}

// "7d"
core::Result<int> AgeOf(std::string_view text) {
  const bool in_days = text.ends_with('d');
  const auto days = core::ParseInt(text.substr(0, text.size() - (in_days ? 1 : 0)));
  if (in_days && days && *days >= 1 && *days <= kMostAge) return *days;
  return NotAllowed("since", text, fmt::format("1d to {}d", kMostAge));
}

core::Result<SinceRevision> SinceOf(const InsightServices& services, const http::Request& request,
                                    Json& json) {
  const auto since = TextParameter(request, "since", kMaxNameBytes);
  if (!since.ok()) return since.error();
  const auto pin = PinParameter(request, "revision");
  if (!pin.ok()) return pin.error();
  if (*since && *pin)
    return core::Error{"bad_parameter", "since: goes without a revision; either names the state"};
  if (*pin) {
    json["asked"] = "revision";
    return services.analyses.differences.At(**pin);
  }
  const auto days = *since ? AgeOf(**since) : core::Result<int>(kUsualAge);
  if (!days.ok()) return days.error();
  json["asked"] = fmt::format("{}d", *days);
  return services.analyses.differences.DaysAgo(*days);
}

void AddSince(const SinceRevision& since, Json& json) {
  AddRevision(json, since.revision);
  json["created"] = since.created.empty() ? Json() : Json(since.created);
}

// Null: every family. Errors: unknown_family, bad_parameter.
core::Result<const core::Family*> FamilyAsked(const InsightServices& services,
                                              const http::Request& request) {
  const auto name = TextParameter(request, "family", kMaxNameBytes);
  if (!name.ok()) return name.error();
  if (!*name) return static_cast<const core::Family*>(nullptr);
  return FindFamily(services, **name);
}

core::Status ReadState(const InsightServices& services, const http::Request& request,
                       const core::Family* family, DifferenceQuestion& question) {
  const auto since = SinceOf(services, request, question.since);
  if (!since.ok()) return since.error();
  AddSince(*since, question.since);
  question.since["is_first"] = since->is_first;
  for (const auto& it : services.definitions.families.all()) {
    if (family == nullptr || family == it.get())
      question.query.tables.push_back({it.get(), since->revision, {}});
  }
  return core::Ok();
}

// Of the lock file's tables, each with the revision that it pins.
core::Status ReadLocked(const InsightServices& services, const http::Request& request,
                        const core::Family* family, DifferenceQuestion& question) {
  const auto body = DecodedBody(request, kMaxLockBytes);
  if (!body.ok()) return body.error();
  auto lock = ReadLock(services.definitions, *body);
  if (!lock.ok()) return lock.error();
  question.since = {
      {"asked", "lock"}, {"tables", Json::array()}, {"left_out", std::move(lock->left_out)}};
  std::map<std::string, SinceRevision> known;  // a bundle's tables are all of one
  for (LockedRevision& table : lock->tables) {
    const std::string pin = table.revision.Text();
    if (!known.contains(pin)) {
      auto since = services.analyses.differences.At(table.revision);
      if (!since.ok())
        return core::Error{since.error().code,
                           fmt::format("{}: {}", table.family->name, since.error().detail)};
      known[pin] = *std::move(since);
    }
    Json json = {{"family", table.family->name}};
    AddSince(known[pin], json);
    question.since["tables"].push_back(std::move(json));
    table.revision = known[pin].revision;
    if (family == nullptr || family == table.family)
      question.query.tables.push_back(std::move(table));
  }
  return core::Ok();
}

core::Result<DifferenceQuestion> ReadDifferenceQuestion(const InsightServices& services,
                                                        const http::Request& request,
                                                        bool by_lock) {
  std::vector<std::string_view> names(std::begin(kDifferenceFilters), std::end(kDifferenceFilters));
  if (!by_lock) {
    names.emplace_back("since");
    names.emplace_back("revision");
  }
  if (auto known = CheckParameters(request, names); !known.ok()) return known.error();
  DifferenceQuestion question;
  const auto family = FamilyAsked(services, request);
  if (!family.ok()) return family.error();
  auto target = DemandTargetOf(services, request);
  if (!target.ok()) return target.error();
  question.query.target = *std::move(target);
  if (auto read = ReadModelFilter(services, request, question.query); !read.ok())
    return read.error();
  if (auto read = ReadChoice(request, question.choice); !read.ok()) return read.error();
  services.snapshots.WaitUpToDate();
  const auto state = by_lock ? ReadLocked(services, request, *family, question)
                             : ReadState(services, request, *family, question);
  if (!state.ok()) return state.error();
  return question;
}

Json LimitsJson() {
  const analysis::CompareLimits limits;
  return {{"ignore_below_us", limits.ignore_below_us},
          {"ratio", limits.ratio},
          {"slack_us", limits.slack_us}};
}

http::Response AnswerDifferences(const InsightServices& services, const http::Request& request,
                                 bool by_lock) {
  auto asked = ReadDifferenceQuestion(services, request, by_lock);
  if (!asked.ok()) return ProblemFor(asked.error());
  const core::Pin revision = services.snapshots.Current()->revision;
  Differences& differences = services.analyses.differences;
  const auto found = differences.Get(asked->query);
  const auto listed = Listed(found.differences, asked->choice);
  const std::size_t begin = std::min(asked->choice.offset, listed.size());
  const std::size_t end = begin + std::min(asked->choice.most, listed.size() - begin);
  const auto times = differences.LatestTimes(listed, begin, end);
  Json json = RevisionJson(revision);
  json["since"] = std::move(asked->since);
  json["limits"] = LimitsJson();
  json.update(TotalsJson(TotalsOf(found.differences, asked->choice.kind)));
  json["matching"] = listed.size();
  json["offset"] = begin;
  json["listed"] = end - begin;
  json["differences"] = Json::array();
  for (std::size_t i = begin; i < end; ++i)
    json["differences"].push_back(DifferenceJson(listed[i], times[i - begin]));
  http::Response response = http::JsonResponse(200, json.dump());
  AddRevision(response, revision);
  return response;
}

}  // namespace

std::vector<Endpoint> DifferenceRoutes(const InsightServices& services) {
  return {
      Heavy({"GET", "/differences",
             [services](const auto& request, const auto&, const auto&) {
               return AnswerDifferences(services, request, false);
             }}),
      // A question, although its body needs POST.
      Heavy({"POST", "/differences",
             [services](const auto& request, const auto&, const auto&) {
               return AnswerDifferences(services, request, true);
             },
             "", true}),
  };
}

}  // namespace tunehub::server

// Routes of differences between two states.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>

#include "core/analysis/choice.h"
#include "core/analysis/statistics.h"
#include "core/row/cell.h"
#include "core/shapes/known_models.h"
#include "core/table/table_writer.h"
#include "server/answers/answer.h"
#include "server/answers/issues.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/answers/target_parameters.h"
#include "server/insight/differences.h"
#include "server/insight/routes.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kListedRevisions = 10;

Json UsJson(std::optional<double> us) {
  if (!us || !std::isfinite(*us)) return {};
  return analysis::Rounded(*us);
}

Json SideJson(const DifferenceSide& side) {
  if (!side.is_there) return {};
  Json json = {{"us", UsJson(side.us)}, {"kernel", side.kernel}, {"run", side.run}};
  if (side.is_baseline) json["baseline"] = true;
  return json;
}

// The shape key's columns that are not empty, for a request to /shapes.
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

// Returns counts and lost time by kind, and the revisions that caused the differences. The revision
// with the most keys comes first.
Json TotalsJson(const DifferenceTotals& totals) {
  Json json;
  for (std::size_t i = 0; i < analysis::kDifferences; ++i) {
    const std::string name(analysis::Name(static_cast<analysis::Difference>(i)));
    json["counts"][name] = totals.keys[i];
    json["lost_us"][name] = UsJson(totals.lost_us[i]);
  }
  std::vector<RevisionShare> shares;
  for (const auto& [number, share] : totals.revisions) shares.push_back(share);
  std::ranges::sort(shares, std::greater(), [](const RevisionShare& it) {
    return std::pair(it.keys, it.change->revision);
  });
  json["revision_count"] = shares.size();
  json["revisions"] = Json::array();
  for (std::size_t i = 0; i < std::min(shares.size(), kListedRevisions); ++i) {
    const auto& [change, keys] = shares[i];
    json["revisions"].push_back({{"revision", change->revision},
                                 {"kind", change->kind},
                                 {"cause", change->cause},
                                 {"run", RunIdJson(change->run)},
                                 {"keys", keys}});
  }
  return json;
}

// Returns one key: its rows at both ends, and its latest times.
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
          {"after", SideJson(key.After(family))},
          {"lost_us", UsJson(difference.lost_us())},
          {"demand", difference.demand},
          {"revision", key.change->revision},
          {"run", RunIdJson(key.change->run)},
          {"history", std::move(history)}};
}

// A hundred keys with the longest kernel names take less than 200 KB.
constexpr std::int64_t kListedDifferences = 50, kMostListedDifferences = 100;
constexpr std::int64_t kMostSkipped = 10'000'000;  // more keys than any registry has
constexpr const char* kUsualFrom = "7d";
constexpr std::string_view kRunParameter = "run";
// A request with a lock file does not allow the last four parameters, because they name the state
// before.
constexpr std::size_t kNamesBefore = 4;
constexpr std::string_view kDifferenceParameters[] = {
    "gfx",   "cu_num", "family", "model", "tp",    "kind",     "sort",
    "after", "limit",  "to",     "from",  "since", "revision", kRunParameter};

struct DifferenceQuestion {
  DifferenceQuery query;
  DifferenceChoice choice;
  Json from, to;
};

void ReadModelFilter(const InsightServices& services, RequestQuery& query,
                     DifferenceQuery& filter) {
  const auto model = query.Text("model");
  filter.tp = query.Number("tp", 1, kMaxTp, 0);
  if (filter.tp != 0 && !model) query.Fail({"bad_parameter", "tp: pass a model, too"});
  if (model && query.ok())
    filter.model = query.Take(core::FindModel(services.definitions.models, *model)).name;
}

DifferenceChoice ReadChoice(RequestQuery& query) {
  constexpr auto kListed = std::span(analysis::kDifferenceNames).first(analysis::kDifferences);
  DifferenceChoice choice;
  if (const auto kind = query.Text("kind"))
    choice.kind = query.Take(analysis::KindOf<analysis::Difference>("kind", *kind, kListed));
  if (const auto sort = query.Text("sort"))
    query.Take(analysis::ParseOrder(*sort, kDifferenceSorts, choice));
  choice.offset = query.Size("after", 0, kMostSkipped, 0);
  choice.most = query.Size("limit", 0, kMostListedDifferences, kListedDifferences);
  return choice;
}

void AddEnd(const InsightServices& services, const RevisionBefore& end, Json& json) {
  AddRevision(json, end.revision.number == kPresent ? services.snapshots.Current()->revision
                                                    : end.revision);
  json["created"] = TextOrNull(end.created);
}

Json EndJson(const InsightServices& services, const RevisionBefore& end, std::string_view asked) {
  Json json = {{"asked", asked}};
  AddEnd(services, end, json);
  json["is_first"] = end.is_first;
  return json;
}

void ReadTo(const InsightServices& services, RequestQuery& query, const std::string& text,
            DifferenceQuestion& question) {
  if (!query.ok()) return;
  const auto to = query.Take(services.analyses.differences.EndOf("to", text));
  question.query.to = to.revision;
  question.to = EndJson(services, to, text);
}

void ReadEnds(const InsightServices& services, RequestQuery& query, const core::Family* family,
              DifferenceQuestion& question) {
  std::string_view name = "from";
  std::string from = kUsualFrom, to = query.Text("to").value_or("now");
  std::size_t given = 0;
  for (const std::string_view it : std::span(kDifferenceParameters).last(kNamesBefore)) {
    const auto text = query.Text(it);
    if (!text) continue;
    name = it;
    from = *text;
    ++given;
  }
  if (name == kRunParameter) {
    to = "run:" + from;
    from = "before-run:" + from;
    if (query.Raw("to")) ++given;
  }
  if (given > 1) {
    query.Fail({"bad_parameter",
                "pass only one of from, since, revision and run; run names both "
                "states, so it excludes to"});
  }
  if (!query.ok()) return;
  const auto end = query.Take(services.analyses.differences.EndOf(name, from));
  ReadTo(services, query, to, question);
  question.from = EndJson(services, end, from);
  for (const auto& it : services.definitions.families.all()) {
    if (family == nullptr || family == it.get())
      question.query.tables.push_back({it.get(), end.revision, {}});
  }
}

// The tables of the lock file, each with its pinned revision.
void ReadLocked(const InsightServices& services, RequestQuery& query, const http::Request& request,
                const core::Family* family, DifferenceQuestion& question) {
  const std::string body = DecodedBody(query, request, kMaxLockBytes);
  if (!query.ok()) return;
  auto lock = ReadLock(services.definitions, body);
  if (!lock.ok()) return query.Fail(lock.error());
  question.from = {
      {"asked", "lock"}, {"tables", Json::array()}, {"left_out", std::move(lock->left_out)}};
  std::map<std::string, RevisionBefore> known;  // the tables of a bundle share one revision
  for (LockedRevision& table : lock->tables) {
    const std::string pin = table.revision.Text();
    if (!known.contains(pin)) {
      auto end = services.analyses.differences.At(table.revision);
      if (!end.ok()) {
        return query.Fail(
            {end.error().code, fmt::format("{}: {}", table.family->name, end.error().detail)});
      }
      known[pin] = *std::move(end);
    }
    Json json = {{"family", table.family->name}};
    AddEnd(services, known[pin], json);
    question.from["tables"].push_back(std::move(json));
    table.revision = known[pin].revision;
    if (family == nullptr || family == table.family)
      question.query.tables.push_back(std::move(table));
  }
}

DifferenceQuestion ReadDifferenceQuestion(const InsightServices& services, RequestQuery& query,
                                          const http::Request& request, bool by_lock) {
  DifferenceQuestion question;
  const core::Family* const family = query.Family(services);
  question.query.target = DemandTargetOf(services, query);
  ReadModelFilter(services, query, question.query);
  question.choice = ReadChoice(query);
  if (!query.ok()) return question;
  services.snapshots.WaitUpToDate();
  if (by_lock) {
    ReadTo(services, query, query.Text("to").value_or("now"), question);
    ReadLocked(services, query, request, family, question);
  } else {
    ReadEnds(services, query, family, question);
  }
  return question;
}

Json LimitsJson() {
  const analysis::CompareLimits limits;
  return {{"ignore_below_us", limits.ignore_below_us},
          {"ratio", limits.ratio},
          {"slack_us", limits.slack_us}};
}

template <bool kByLock>
http::Response AnswerDifferences(const InsightServices& services, const http::Request& request) {
  RequestQuery query(request,
                     std::span(kDifferenceParameters)
                         .first(std::size(kDifferenceParameters) - (kByLock ? kNamesBefore : 0)));
  DifferenceQuestion asked = ReadDifferenceQuestion(services, query, request, kByLock);
  if (!query.ok()) return ProblemFor(query.error());
  const core::Pin revision = services.snapshots.Current()->revision;
  Differences& differences = services.analyses.differences;
  const auto found = differences.Get(asked.query);
  const auto listed = Listed(found.differences, asked.choice);
  const std::size_t begin = std::min(asked.choice.offset, listed.size());
  const auto page =
      std::span(listed).subspan(begin, std::min(asked.choice.most, listed.size() - begin));
  const auto times = differences.LatestTimes(page);
  Json json = RevisionJson(revision);
  json["from"] = std::move(asked.from);
  json["to"] = std::move(asked.to);
  json["limits"] = LimitsJson();
  json.update(TotalsJson(TotalsOf(found.differences, asked.choice.kind)));
  json["matching"] = listed.size();
  json["offset"] = begin;
  json["listed"] = page.size();
  json["differences"] = Json::array();
  for (std::size_t i = 0; i < page.size(); ++i)
    json["differences"].push_back(DifferenceJson(page[i], times[i]));
  http::Response response = http::JsonResponse(200, json.dump());
  if (!page.empty()) AddNextPlace(response, request, begin + page.size(), listed.size());
  return OfRevision(revision, std::move(response));
}

}  // namespace

std::vector<Endpoint> DifferenceRoutes(const InsightServices& services) {
  return {
      Heavy({"GET", "/differences", With(services, AnswerDifferences<false>)}),
      // This route only reads. It uses POST because it needs a body.
      Heavy({"POST", "/differences", With(services, AnswerDifferences<true>), "", true}),
  };
}

}  // namespace tunehub::server

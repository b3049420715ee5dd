// Whether the tables of a target are safe for a model in a build, and what to do if not.
#include "server/service/tables/verdict.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <string>

#include "server/api/caching.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/revision.h"
#include "server/api/route.h"
#include "server/api/target_parameters.h"
#include "server/api/verdict_query.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;
using service::Concern;

std::string Shapes(std::int64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "shape" : "shapes");
}

const char* HasOrHave(std::int64_t count) {
  return count == 1 ? "has" : "have";
}

// What of the shapes that are asked for is not as it should be.
std::string Troubles(const service::VerdictCounts& counts) {
  const std::int64_t missing = counts[Concern::kMissing], untimed = counts[Concern::kUnmeasured];
  std::string text;
  if (missing > 0)
    text = fmt::format("{} {} no row, so AITER runs its default", missing, HasOrHave(missing));
  if (untimed > 0) {
    text += fmt::format("{}{} {} a row that nobody has measured", text.empty() ? "" : "; ", untimed,
                        HasOrHave(untimed));
  }
  return text;
}

// What a build does with the rows.
std::string OfBuild(const service::Verdict& verdict) {
  if (verdict.build.empty()) {
    return " No build is named: AITER may raise at a row whose kernel it was not built with.";
  }
  std::string text = " The table has no row at which this build raises.";
  if (verdict.counts.waiting > 0) {
    text += fmt::format(" {} {} a row that has effect only after a rebuild.",
                        Shapes(verdict.counts.waiting), HasOrHave(verdict.counts.waiting));
  }
  return text;
}

// "Not safe: 3 of 120 shapes that qwen3-32b asks for at TP 8 have no row, ..."
std::string SentenceOf(const service::Verdict& verdict, const service::VerdictQuestion& question) {
  const service::ModelRequest& model = question.model;
  const service::VerdictCounts& counts = verdict.counts;
  const std::string of = fmt::format("{} at TP {}", model.model, model.tp);
  switch (verdict.safety()) {
    case service::Safety::kNothingAsked:
      return fmt::format("Nothing to judge: {} asks for no shape of {}.", of,
                         question.engine == nullptr
                             ? "these tables"
                             : fmt::format("a table that {} reads", question.engine->title));
    case service::Safety::kNotSafe:
      return fmt::format("Not safe: of {} that {} asks for {}.{}", Shapes(counts.asked), of,
                         Troubles(counts), OfBuild(verdict));
    case service::Safety::kNobodyChecked:
      return fmt::format("Not known: each of {} that {} asks for has a measured row.{}",
                         Shapes(counts.asked), of, OfBuild(verdict));
    case service::Safety::kSafe:
      break;
  }
  return fmt::format("Safe: each of {} that {} asks for has a measured row.{}",
                     Shapes(counts.asked), of, OfBuild(verdict));
}

constexpr int kWeekDays = 7;

Json CountsJson(const service::VerdictCounts& counts) {
  Json json = {{"rows", counts.rows},
               {"asked", counts.asked},
               {"baseline", counts.baseline},
               {"waiting", counts.waiting}};
  for (std::size_t i = 0; i < service::kConcerns; ++i) {
    json[std::string(service::Name(static_cast<Concern>(i)))] = counts.of[i];
  }
  return json;
}

Json PastJson(const service::RevisionRecord& record) {
  Json json = RevisionJson(record.revision);
  json["created"] = record.created;
  json["cause"] = record.cause;
  return json;
}

// The revision itself, the one before it, and the one of a week ago. Revision 0 has no rows.
void AddHistory(const Services& services, const core::Pin& revision, Json& json) {
  const auto last = services.revisions.List(revision.number + 1, 2);
  json["created"] = last.empty() ? Json() : Json(last[0].created);
  json["changed"] = Json::array();
  if (!last.empty()) {
    for (const auto& it : last[0].families) {
      if (it.changed > 0) json["changed"].push_back({{"family", it.name}, {"keys", it.changed}});
    }
  }
  const bool second = last.size() > 1 && last[1].revision.number > 0;
  json["previous"] = second ? PastJson(last[1]) : Json();
  const auto week = services.revisions.OfDaysAgo(kWeekDays);
  json["week_ago"] = week && week->revision.number > 0 ? PastJson(*week) : Json();
}

// Where the tables are fetched: as they were judged, and pinned. The two differ where rows stand in
// the place of others: an old revision has its winners alone.
void AddAddresses(const VerdictQuery& query, const service::Verdict& verdict,
                  const core::Pin& revision, Json& json) {
  const std::string path =
      query.question.family == nullptr ? "/bundle" : "/tuned/" + query.question.family->name;
  const std::string address = path + TableText(query, verdict.build);
  const std::string pinned = address + "&revision=" + revision.Text();
  json["address"] = query.question.revision.asked ? pinned : address;
  json["pinned"] = pinned;
  json["pinned_lacks"] = verdict.counts[Concern::kSubstituted];
}

Json FamilyJson(const service::FamilyVerdict& it) {
  Json json = {{"family", it.family->name},
               {"file", it.family->file},
               {"env", it.family->env},
               {"sha256", it.sha256.empty() ? Json() : Json(it.sha256)}};
  json.update(CountsJson(it.counts));
  json["judged"] = it.judged.is;
  json["why"] = it.judged.why;
  json["stored_as"] = it.judged.stored_as;
  return json;
}

// One page of a list.
Json ListOf(const VerdictQuery& query, const service::Verdict& verdict) {
  const Json& all = verdict.lists->at(static_cast<std::size_t>(*query.list));
  Json items = Json::array();
  const std::size_t end = std::min(all.size(), query.offset + query.limit);
  for (std::size_t i = query.offset; i < end; ++i) items.push_back(all[i]);
  return {{"name", service::Name(*query.list)},
          {"total", all.size()},
          {"offset", query.offset},
          {"items", std::move(items)}};
}

http::Response GetVerdict(Services& services, const http::Request& request) {
  auto query = ReadVerdictQuery(services, request);
  if (!query.ok()) return ProblemFor(query.error());
  services.snapshots.WaitUpToDate();
  service::VerdictQuestion& question = query->question;
  const auto revision = query->revision ? services.revisions.Find(*query->revision)
                                        : core::Result(services.revisions.Newest());
  if (!revision.ok()) return ProblemFor(revision.error());
  question.revision = {*revision, query->revision.has_value()};
  const auto verdict =
      service::MakeVerdict(services.definitions, services.tables, services.coverage, question);
  if (!verdict.ok()) return ProblemFor(verdict.error());
  Json json = {{"gfx", question.target.gfx},
               {"cu_num", question.target.cu_num},
               {"model", question.model.model},
               {"tp", question.model.tp},
               {"engine", question.engine == nullptr ? "any" : question.engine->name},
               {"rocm", question.rocm.empty() ? Json() : Json(question.rocm)},
               {"build", verdict->build.empty() ? Json() : Json(verdict->build)}};
  AddRevision(json, *revision);
  AddHistory(services, *revision, json);
  json["verdict"] = service::Name(verdict->safety());
  json["sentence"] = SentenceOf(*verdict, question);
  json["counts"] = CountsJson(verdict->counts);
  json["coverage"] = verdict->share ? analysis::ShareJson(*verdict->share) : Json();
  json["notes"] = analysis::NotesJson(verdict->notes);
  json["unread"] = analysis::UnreadJson(verdict->unread);
  json["families"] = Json::array();
  for (const auto& it : verdict->families) json["families"].push_back(FamilyJson(it));
  json["sums_sha256"] = verdict->sums_sha256;
  AddAddresses(*query, *verdict, *revision, json);
  json["list"] = query->list ? ListOf(*query, *verdict) : Json();
  http::Response response = http::JsonResponse(200, json.dump());
  AddRevision(response, *revision);
  return response;
}

}  // namespace

std::vector<Endpoint> VerdictRoutes(Services& services) {
  return {Heavy({"GET", "/verdict", With(services, GetVerdict)})};
}

}  // namespace tunehub::api

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/pin.h"
#include "server/answers/answer.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/answers/target_parameters.h"
#include "server/http/message.h"
#include "server/insight/routes.h"
#include "server/insight/verdict.h"

namespace tunehub::server {
namespace {

struct VerdictQuery {
  VerdictQuestion question;  // without its revision
  std::optional<core::Pin> revision;
  std::optional<Concern> list;  // the list whose page is requested
  std::size_t offset = 0, limit = 0;
};

constexpr std::int64_t kUsualItems = 50, kMostItems = 200;
constexpr std::int64_t kLastOffset = 1'000'000;  // more than the rows of any table

void ReadList(RequestQuery& query, VerdictQuery& asked) {
  const std::string_view name = query.Choice("list", {"", "missing", "unmeasured", "substituted",
                                                      "left_out", "needs_rebuild", "borrowed"});
  const auto found = std::ranges::find(kConcernNames, name);
  if (found != kConcernNames.end())
    asked.list = static_cast<Concern>(found - kConcernNames.begin());
  asked.offset = query.Size("after", 0, kLastOffset, 0);
  asked.limit = query.Size("limit", 1, kMostItems, kUsualItems);
}

VerdictQuery ReadVerdictQuery(const InsightServices& services, const http::Request& request,
                              RequestQuery& query) {
  VerdictQuery asked;
  VerdictQuestion& question = asked.question;
  question.target = OneTarget(services, query);
  const auto model = query.Text("model");
  if (!model) query.Fail({"bad_parameter", "model: is missing"});
  question.model.model = model.value_or("");
  question.model.tp = query.Number("tp", 1, kMaxTp, 1);
  question.model.options.dtype = query.Text("dtype").value_or("");
  // Passes the parameters to GET /bundle without a change.
  question.tables = {{"gfx", question.target.gfx}};
  if (request.Query("cu_num"))
    question.tables.emplace_back("cu_num", std::to_string(question.target.cu_num));
  if (const auto build = query.Text("build", kMaxSideBytes))
    question.tables.emplace_back("build", *build);
  EngineChoice choice = EngineOf(services, query);
  question.engine = choice.engine;
  question.rocm = std::move(choice.rocm);
  ReadList(query, asked);
  question.family = query.Family(services);
  if (question.family != nullptr && question.family->env.empty()) {
    query.Fail(
        {"bad_parameter",
         fmt::format("family: bundles contain no table of {}, because AITER has no variable for it",
                     question.family->name)});
  }
  asked.revision = query.Pin("revision");
  return asked;
}

// Returns the tables' parameters, without the revision: "?gfx=gfx942&cu_num=304&build=...".
// `build`: NAME@SHA256; "": none.
std::string TableText(const VerdictQuery& query, const std::string& build) {
  std::string text;
  for (const auto& [name, value] : query.question.tables) {
    text += fmt::format("{}{}={}", text.empty() ? "?" : "&", name, name == "build" ? build : value);
  }
  return text;
}

using Json = nlohmann::ordered_json;

std::string Shapes(std::int64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "shape" : "shapes");
}

const char* HasOrHave(std::int64_t count) {
  return count == 1 ? "has" : "have";
}

// Returns the part of the sentence about shapes without a row or a measured time.
std::string Troubles(const VerdictCounts& counts) {
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

// Returns the part of the sentence about the build's effect on the rows.
std::string OfBuild(const Verdict& verdict) {
  if (verdict.build.empty()) {
    return " The request names no build, so AITER may raise an error at a row whose kernel its "
           "build does not have.";
  }
  std::string text = " The table has no row at which this build raises an error.";
  if (verdict.counts.waiting > 0) {
    text += fmt::format(" {} {} a row that takes effect only after a rebuild.",
                        Shapes(verdict.counts.waiting), HasOrHave(verdict.counts.waiting));
  }
  return text;
}

// "Not safe: of 120 shapes that qwen3-32b at TP 8 asks for, 3 have no row, ..."
std::string SentenceOf(const Verdict& verdict, const VerdictQuestion& question) {
  const ModelRequest& model = question.model;
  const VerdictCounts& counts = verdict.counts;
  const std::string of = fmt::format("{} at TP {}", model.model, model.tp);
  switch (verdict.safety()) {
    case Safety::kNothingAsked:
      return fmt::format("Nothing to judge: {} needs no shape of {}.", of,
                         question.engine == nullptr
                             ? "these tables"
                             : fmt::format("a table that {} reads", question.engine->title));
    case Safety::kNotSafe:
      return fmt::format("Not safe: of {} that {} needs, {}.{}", Shapes(counts.asked), of,
                         Troubles(counts), OfBuild(verdict));
    case Safety::kNobodyChecked:
      return fmt::format("Not known: each of {} that {} needs has a measured row.{}",
                         Shapes(counts.asked), of, OfBuild(verdict));
    case Safety::kSafe:
      break;
  }
  return fmt::format("Safe: each of {} that {} needs has a measured row.{}", Shapes(counts.asked),
                     of, OfBuild(verdict));
}

constexpr int kWeekDays = 7;

Json CountsJson(const VerdictCounts& counts) {
  Json json = {{"rows", counts.rows},
               {"asked", counts.asked},
               {"baseline", counts.baseline},
               {"waiting", counts.waiting}};
  for (std::size_t i = 0; i < kConcerns; ++i) json[std::string(kConcernNames[i])] = counts.of[i];
  return json;
}

Json PastJson(const RevisionRecord& record) {
  Json json = RevisionJson(record.revision);
  json["created"] = record.created;
  json["cause"] = record.cause;
  return json;
}

// Adds the revision, the previous revision, and the revision of a week ago. Leaves out revision 0,
// because it has no rows.
void AddHistory(const InsightServices& services, const core::Pin& revision, Json& json) {
  const auto last = RevisionStore(services.pool).List(revision.number + 1, 2);
  json["created"] = last.empty() ? Json() : Json(last[0].created);
  json["changed"] = Json::array();
  if (!last.empty()) {
    for (const auto& it : last[0].families) {
      if (it.changed > 0) json["changed"].push_back({{"family", it.name}, {"keys", it.changed}});
    }
  }
  const bool second = last.size() > 1 && last[1].revision.number > 0;
  json["previous"] = second ? PastJson(last[1]) : Json();
  const auto week = RevisionStore(services.pool).FindOfDaysAgo(kWeekDays);
  json["week_ago"] = week && week->revision.number > 0 ? PastJson(*week) : Json();
}

// Adds the URLs of the tables: as judged, and pinned to the revision. The two tables differ if rows
// were substituted, because for an old revision the hub has only the winners.
void AddAddresses(const VerdictQuery& query, const Verdict& verdict, const core::Pin& revision,
                  Json& json) {
  const std::string path =
      query.question.family == nullptr ? "/bundle" : "/tuned/" + query.question.family->name;
  const std::string address = path + TableText(query, verdict.build);
  const std::string pinned = address + "&revision=" + revision.Text();
  json["address"] = query.question.revision.asked ? pinned : address;
  json["pinned"] = pinned;
  json["pinned_lacks"] = verdict.counts[Concern::kSubstituted];
}

Json FamilyJson(const FamilyVerdict& it) {
  Json json = {{"family", it.family->name},
               {"file", it.family->file},
               {"env", it.family->env},
               {"sha256", TextOrNull(it.sha256)}};
  json.update(CountsJson(it.counts));
  json["judged"] = it.judged.is;
  json["why"] = it.judged.why;
  json["stored_as"] = it.judged.stored_as;
  return json;
}

Json ListOf(const VerdictQuery& query, const Verdict& verdict) {
  const auto place = static_cast<std::size_t>(*query.list);
  const Json& all = verdict.lists[place];
  Json items = Json::array();
  const std::size_t end = std::min(all.size(), query.offset + query.limit);
  for (std::size_t i = query.offset; i < end; ++i) items.push_back(all[i]);
  return {{"name", kConcernNames[place]},
          {"total", all.size()},
          {"offset", query.offset},
          {"items", std::move(items)}};
}

http::Response GetVerdict(const InsightServices& services, const http::Request& request) {
  RequestQuery query(request, {"gfx", "cu_num", "model", "tp", "dtype", "build", "revision",
                               "engine", "rocm", "family", "list", "after", "limit"});
  VerdictQuery asked = ReadVerdictQuery(services, request, query);
  if (!query.ok()) return ProblemFor(query.error());
  services.snapshots.WaitUpToDate();
  VerdictQuestion& question = asked.question;
  const auto revision = services.revisions.Find(asked.revision);
  if (!revision.ok()) return ProblemFor(revision.error());
  question.revision = {*revision, asked.revision.has_value()};
  const auto verdict =
      MakeVerdict(services.definitions, services.tables, services.coverage, question);
  if (!verdict.ok()) return ProblemFor(verdict.error());
  Json json = {{"gfx", question.target.gfx},
               {"cu_num", question.target.cu_num},
               {"model", question.model.model},
               {"tp", question.model.tp},
               {"engine", question.engine == nullptr ? "any" : question.engine->name},
               {"rocm", TextOrNull(question.rocm)},
               {"build", TextOrNull(verdict->build)}};
  AddRevision(json, *revision);
  AddHistory(services, *revision, json);
  json["verdict"] = Name(verdict->safety());
  json["sentence"] = SentenceOf(*verdict, question);
  json["counts"] = CountsJson(verdict->counts);
  json["coverage"] = verdict->share ? analysis::ShareJson(*verdict->share) : Json();
  json["notes"] = analysis::NotesJson(verdict->notes);
  json["unread"] = analysis::UnreadJson(verdict->unread);
  json["families"] = Json::array();
  for (const auto& it : verdict->families) json["families"].push_back(FamilyJson(it));
  AddAddresses(asked, *verdict, *revision, json);
  json["list"] = asked.list ? ListOf(asked, *verdict) : Json();
  http::Response response = http::JsonResponse(200, json.dump());
  if (asked.list) {
    const Json& list = json["list"];
    AddNextPlace(response, request, asked.offset + list["items"].size(), list["total"]);
  }
  return OfRevision(*revision, std::move(response));
}

}  // namespace

std::vector<Endpoint> VerdictRoutes(const InsightServices& services) {
  return {
      Heavy({"GET", "/verdict", With(services, GetVerdict)}),
  };
}

}  // namespace tunehub::server

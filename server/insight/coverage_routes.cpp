#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/model_coverage.h"
#include "core/base/text.h"
#include "core/shapes/model_shapes.h"
#include "server/answers/answer.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/answers/shapes.h"
#include "server/answers/target_parameters.h"
#include "server/http/message.h"
#include "server/insight/coverage.h"
#include "server/insight/routes.h"

namespace tunehub::server {
namespace {

// The format of an answer. A CSV contains only one family.
struct CoverageForm {
  bool csv = false;
  std::vector<analysis::State> states;  // only CSV lines with these states; empty: all
};

struct ModelQuery {
  const core::Family* family = nullptr;  // null: all
  core::Target target;
  ModelRequest model;
  std::int64_t max_m = analysis::kDefaultMaxM;
  CoverageForm form;
};

constexpr std::size_t kMaxGridBytes = 4096;
constexpr std::int64_t kMaxM = 131'072;  // the last tier of fused MoE

// Reads the model's split and storage, and the device's name.
void ReadSplit(RequestQuery& query, ModelRequest& model) {
  core::ShapeOptions& options = model.options;
  model.tp = query.Number("tp", 1, kMaxTp, 1);
  options.ep = query.Number("ep", 1, kMaxTp, 1);
  options.dp_attention = query.Number("dp_attention", 1, kMaxTp, 1);
  options.dtype = query.Text("dtype").value_or("");
  options.device = query.Text("device").value_or("");
}

// Errors: bad_parameter, bad_state.
CoverageForm CoverageFormOf(RequestQuery& query) {
  CoverageForm form;
  form.csv = query.Choice("format", {"json", "csv"}) == "csv";
  const std::string state = query.Text("state").value_or("");
  if (!state.empty() && !form.csv) query.Fail({"bad_parameter", "state: needs format=csv"});
  for (const std::string_view item : core::SplitAfter(state, ","))
    form.states.push_back(query.Take(analysis::ParseState(item)));
  return form;
}

// `config`: the text of a given config.json; absent: the request names a known model. Errors:
// bad_parameter, bad_state, unknown_family, bad_model.
ModelQuery ReadModelQuery(const InsightServices& services, RequestQuery& query,
                          std::optional<std::string> config = std::nullopt) {
  ModelQuery asked;
  if (config && config->empty()) query.Fail({"bad_model", "the body is empty; send a config.json"});
  const auto model = query.Text("model");
  if (!model && !config) query.Fail({"bad_parameter", "model: is missing"});
  asked.model.model = config ? "config.json" : model.value_or("");
  asked.model.config = std::move(config).value_or("");
  ReadSplit(query, asked.model);
  asked.model.grid = query.Text("grid", kMaxGridBytes).value_or(asked.model.grid);
  asked.max_m = query.Number("max_m", 1, kMaxM, asked.max_m);
  EngineChoice choice = EngineOf(services, query);
  asked.model.engine = choice.engine;
  asked.model.rocm = std::move(choice.rocm);
  if (choice.engine != nullptr) asked.model.options.engine = choice.engine->name;
  asked.family = query.Family(services);
  // A family with a device column needs no target.
  const bool any = asked.family == nullptr || asked.family->gfx == core::kNoColumn;
  asked.target = OneTarget(services, query, any ? nullptr : asked.family);
  asked.form = CoverageFormOf(query);
  if (asked.form.csv && asked.family == nullptr)
    query.Fail({"bad_parameter", "family: is missing; a CSV has rows of one family"});
  return asked;
}

using Json = nlohmann::ordered_json;

http::Response CsvOf(const FamilyCoverage& it, const CoverageForm& form) {
  return http::TextResponse(
      200, "text/csv; charset=utf-8",
      analysis::CoverageCsv(it.table->table, it.shapes, it.coverage, form.states));
}

// The members that GET and POST share.
Json FamiliesJson(std::span<const FamilyCoverage> all) {
  Json families = Json::array();
  for (const FamilyCoverage& it : all) {
    Json json = analysis::CoverageJson(it.family(), it.coverage, it.layers);
    AddRevision(json, it.table->snapshot->revision);
    families.push_back(std::move(json));
  }
  return families;
}

Json TargetJson(const core::Target& target) {
  return {{"gfx", target.gfx}, {"cu_num", target.cu_num > 0 ? Json(target.cu_num) : Json()}};
}

http::Response AnswerOf(const InsightServices& services, const ModelQuery& query) {
  services.snapshots.WaitUpToDate();
  const auto all = services.coverage.OfModel(query.model, query.max_m, query.family, query.target);
  if (!all.ok()) return ProblemFor(all.error());
  if (query.form.csv) return WarnedIfStale(services, CsvOf(all->families.front(), query.form));
  Json json = TargetJson(query.target);
  json["model"] = query.model.model;
  json["tp"] = query.model.tp;
  json["grid"] = query.model.grid;
  json["max_m"] = query.max_m;
  json["ep"] = query.model.options.ep;
  json["dp_attention"] = query.model.options.dp_attention;
  json["device"] = FileNameOf(services.definitions, query.target, query.model.options.device);
  const bool is_served = query.family == nullptr && query.model.engine != nullptr;
  json["engine"] = is_served ? Json(query.model.engine->name) : Json();
  json["rocm"] = TextOrNull(query.model.rocm);
  json["build"] = nullptr;  // no build was named, so any row counts
  json["coverage"] = all->share ? analysis::ShareJson(*all->share) : Json();
  json["unread"] = analysis::UnreadJson(all->unread);
  json["findings"] = analysis::FindingsJson(all->findings);
  json["families"] = FamiliesJson(all->families);
  return WarnedIfStale(services, http::JsonResponse(200, json.dump()));
}

// A request with a config.json does not allow the last parameter, which names the model.
constexpr std::string_view kModelParameters[] = {
    "tp",     "ep",   "dp_attention", "dtype",  "engine", "device", "gfx",  "cu_num",
    "family", "grid", "max_m",        "format", "state",  "rocm",   "model"};

http::Response GetCoverage(const InsightServices& services, const http::Request& request) {
  RequestQuery query(request, kModelParameters);
  const ModelQuery asked = ReadModelQuery(services, query);
  return query.ok() ? AnswerOf(services, asked) : ProblemFor(query.error());
}

// The coverage of a config.json in the body.
http::Response PostModelCoverage(const InsightServices& services, const http::Request& request) {
  RequestQuery query(request, std::span(kModelParameters).first(std::size(kModelParameters) - 1));
  std::string config = DecodedBody(query, request, core::kMaxConfigBytes);
  const ModelQuery asked = ReadModelQuery(services, query, std::move(config));
  return query.ok() ? AnswerOf(services, asked) : ProblemFor(query.error());
}

http::Response PostCoverage(const InsightServices& services, const http::Request& request) {
  RequestQuery query(request, {"family", "gfx", "cu_num", "format", "state"});
  const core::Family* const family = query.Family(services);
  if (family == nullptr) query.Fail({"bad_parameter", "family: is missing"});
  const core::Target target = OneTarget(services, query, family);
  const CoverageForm form = CoverageFormOf(query);
  const BodyFormat format = FormatOf(query, request);
  const std::string body = DecodedBody(query, request, services.body_bytes);
  if (!query.ok()) return ProblemFor(query.error());
  const auto table = ReadShapesBody(services.definitions.targets, *family, body, format, target);
  if (!table.ok()) return ProblemFor(table.error());
  if (!table->rejected.empty()) {
    return ProblemFor({"rejected_rows", fmt::format("{} rows are not shapes of {}",
                                                    table->rejected.size(), family->name)},
                      table->rejected);
  }
  services.snapshots.WaitUpToDate();
  const auto coverage = services.coverage.OfShapes(*family, table->rows, target);
  if (!coverage.ok()) return ProblemFor(coverage.error());
  if (form.csv) return WarnedIfStale(services, CsvOf(*coverage, form));
  Json json = TargetJson(target);
  json["families"] = FamiliesJson(std::span(&*coverage, 1));
  return WarnedIfStale(services, http::JsonResponse(200, json.dump()));
}

Json ModelJson(const ModelPart& it) {
  const analysis::Counts& counts = it.share.totals();
  return {{"model", it.model},
          {"engine", it.engine},
          {"covered", it.share.covered()},
          {"exact", it.share.exact()},
          {"shapes", counts.shapes()},
          {"missing", counts.shapes() - counts.covered()}};
}

Json TableJson(const TableCoverage& it) {
  Json json = {{"family", it.family->name}, {"gfx", it.target.gfx}, {"cu_num", it.target.cu_num}};
  AddRevision(json, it.revision);
  json["covered"] = it.covered();
  json["models"] = core::Mapped(*it.models, ModelJson);
  return json;
}

http::Response GetModelCoverage(const InsightServices& services, const http::Request& request) {
  RequestQuery query(request, {"tp", "family", "gfx", "cu_num"});
  const core::Family* const family = query.Family(services);
  const core::Target target = DemandTargetOf(services, query);
  const std::int64_t tp = query.Number("tp", 1, kMaxTp, 1);
  if (!query.ok()) return ProblemFor(query.error());
  services.snapshots.WaitUpToDate();
  const auto tables = core::Mapped(services.coverage.OfKnown(tp, family, target), TableJson);
  const Json json = {
      {"tp", tp}, {"grid", "gl0"}, {"max_m", analysis::kDefaultMaxM}, {"tables", tables}};
  return WarnedIfStale(services, http::JsonResponse(200, json.dump()));
}

}  // namespace

std::vector<Endpoint> CoverageRoutes(const InsightServices& services) {
  return {
      Heavy({"GET", "/coverage", With(services, GetCoverage)}),
      Heavy({"GET", "/coverage/models", With(services, GetModelCoverage)}),
      // These routes only read. They use POST because they need a body.
      Heavy({"POST", "/coverage/config", With(services, PostModelCoverage), "", true}),
      Heavy({"POST", "/coverage", With(services, PostCoverage), "", true}),
  };
}

}  // namespace tunehub::server

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/model_question.h"
#include "core/shapes/ep_topk.h"
#include "server/answers/answer.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/answers/shapes.h"
#include "server/answers/target_parameters.h"
#include "server/http/message.h"
#include "server/insight/coverage.h"
#include "server/insight/routes.h"
#include "server/tables/routes.h"

namespace tunehub::server {

// What a coverage is asked of, and how its answer is to be written.

// How the answer is to be written: CSV is of one family.
struct CoverageForm {
  bool csv = false;
  std::vector<analysis::State> states;  // of the lines; empty: all
};

// Errors: bad_parameter, bad_state.
core::Result<CoverageForm> CoverageFormOf(const http::Request& request);

struct ModelQuery {
  const core::Family* family = nullptr;  // null: all
  core::Target target;
  ModelRequest model;
  std::int64_t max_m = analysis::kDefaultMaxM;
  CoverageForm form;
};

// `config`: the text of a config.json that was brought; absent: the model is one of ours. Errors:
// unknown_parameter, bad_parameter, bad_state, unknown_family, bad_model.
core::Result<ModelQuery> ReadModelQuery(const InsightServices& services,
                                        const http::Request& request,
                                        std::optional<std::string> config = std::nullopt);

namespace {

constexpr std::size_t kMaxGridBytes = 4096;
constexpr std::int64_t kMaxM = 131'072;  // the last tier of tokens

// How the model is split and stored, and the name of the device.
core::Status ReadSplit(const http::Request& request, ModelRequest& model) {
  core::ShapeOptions& options = model.options;
  const std::pair<const char*, std::int64_t*> numbers[] = {
      {"tp", &model.tp}, {"ep", &options.ep}, {"dp_attention", &options.dp_attention}};
  for (const auto& [name, value] : numbers) {
    const auto number = NumberParameter(request, name, 1, kMaxTp);
    if (!number.ok()) return number.error();
    *value = number->value_or(1);
  }
  const std::pair<const char*, std::string*> texts[] = {{"dtype", &options.dtype},
                                                        {"device", &options.device}};
  for (const auto& [name, value] : texts) {
    const auto text = TextParameter(request, name, kMaxNameBytes);
    if (!text.ok()) return text.error();
    *value = text->value_or("");
  }
  return core::Ok();
}

core::Status ReadEngineOf(const InsightServices& services, const http::Request& request,
                          ModelRequest& model) {
  auto choice = EngineOf(services, request);
  if (!choice.ok()) return choice.error();
  model.engine = choice->engine;
  model.rocm = std::move(choice->rocm);
  if (model.engine != nullptr) model.options.engine = model.engine->name;
  return core::Ok();
}

core::Status ReadModelNames(const http::Request& request, ModelQuery& query) {
  const auto model = TextParameter(request, "model", kMaxNameBytes);
  if (!model.ok()) return model.error();
  if (!*model && query.model.config.empty()) {
    return core::Error{"bad_parameter", "model: is missing"};
  }
  query.model.model = query.model.config.empty() ? **model : "config.json";
  if (const auto split = ReadSplit(request, query.model); !split.ok()) return split.error();
  const auto grid = TextParameter(request, "grid", kMaxGridBytes);
  if (!grid.ok()) return grid.error();
  query.model.grid = grid->value_or(query.model.grid);
  const auto max_m = NumberParameter(request, "max_m", 1, kMaxM);
  if (!max_m.ok()) return max_m.error();
  query.max_m = max_m->value_or(query.max_m);
  return core::Ok();
}

// A target for all families (null), or for one that asks by the name of a device and so knows no
// other: cu_num where absent is the usual one of the gfx. Error bad_parameter.
core::Result<core::Target> TargetFor(const InsightServices& services, const core::Family* family,
                                     const http::Request& request) {
  const auto& all = services.definitions.families.all();
  const auto counted =
      std::ranges::find_if(all, [](const auto& it) { return it->cu_num != core::kNoColumn; });
  const bool any = family == nullptr || family->gfx == core::kNoColumn;
  if (any && counted != all.end()) family = counted->get();
  return OneTarget(services, family != nullptr ? *family : *all.front(), request);
}

}  // namespace

core::Result<CoverageForm> CoverageFormOf(const http::Request& request) {
  CoverageForm form;
  const auto format = ChoiceParameter(request, "format", {"json", "csv"});
  if (!format.ok()) return format.error();
  form.csv = *format == "csv";
  const auto state = TextParameter(request, "state", kMaxNameBytes);
  if (!state.ok()) return state.error();
  if (!*state) return form;
  if (!form.csv) return core::Error{"bad_parameter", "state: goes with format=csv only"};
  for (std::string_view rest = **state; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const auto one = analysis::ParseState(item);
    if (!one.ok()) return one.error();
    form.states.push_back(*one);
  }
  return form;
}

core::Result<ModelQuery> ReadModelQuery(const InsightServices& services,
                                        const http::Request& request,
                                        std::optional<std::string> config) {
  std::vector<std::string_view> names = {"tp",     "ep",     "dp_attention", "dtype",  "engine",
                                         "device", "gfx",    "cu_num",       "family", "grid",
                                         "max_m",  "format", "state",        "rocm"};
  if (!config) names.emplace_back("model");
  if (const auto known = CheckParameters(request, names); !known.ok()) return known.error();
  if (config && config->empty()) {
    return core::Error{"bad_model", "the body is empty: send a config.json"};
  }
  ModelQuery query;
  query.model.config = std::move(config).value_or("");
  if (const auto read = ReadModelNames(request, query); !read.ok()) return read.error();
  if (const auto read = ReadEngineOf(services, request, query.model); !read.ok())
    return read.error();
  const auto family = TextParameter(request, "family", kMaxNameBytes);
  if (!family.ok()) return family.error();
  if (*family) {
    const auto found = FindFamily(services, **family);
    if (!found.ok()) return found.error();
    query.family = *found;
  }
  auto target = TargetFor(services, query.family, request);
  if (!target.ok()) return target.error();
  query.target = *std::move(target);
  auto form = CoverageFormOf(request);
  if (!form.ok()) return form.error();
  query.form = *std::move(form);
  if (query.form.csv && query.family == nullptr) {
    return core::Error{"bad_parameter", "family: is missing; a CSV is of one family"};
  }
  return query;
}

// How much of what a model, or a list of shapes, asks for has a tuned row.

namespace {

using Json = nlohmann::ordered_json;

http::Response CsvOf(const FamilyCoverage& it, const CoverageForm& form) {
  return http::TextResponse(
      200, "text/csv; charset=utf-8",
      analysis::CoverageCsv(it.table->table, it.shapes, it.coverage, form.states));
}

// The part of an answer that GET and POST share.
Json FamiliesJson(const std::vector<FamilyCoverage>& all) {
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

// What an engine would say of the split, and by which top-k its lookups in these tables go.
core::Result<Json> FindingsJson(const InsightServices& services, const ModelRequest& request,
                                bool is_served, const std::vector<FamilyCoverage>& families) {
  const auto model = ModelOf(services.definitions, request);
  if (!model.ok()) return model.error();
  const auto plan =
      core::ProductsOf(*model, {request.tp, request.options.ep, request.options.dp_attention,
                                request.options.engine, request.options.dtype, false});
  if (!plan.ok()) return plan.error();
  Json findings = Json::array();
  auto all = core::NotesOf(*model);
  all.insert(all.end(), plan->findings.begin(), plan->findings.end());
  const core::ShapeOptions options =
      is_served ? core::ServedBy(request.options, request.engine, request.rocm) : request.options;
  for (const FamilyCoverage& it : families) {
    for (const core::ModelProduct& product : plan->products) {
      core::SplitFinding note;
      core::EpTopks(it.family(), product, options, note);
      const auto known = std::ranges::find(all, note.detail, &core::SplitFinding::detail);
      if (!note.detail.empty() && known == all.end()) all.push_back(std::move(note));
    }
  }
  for (const core::SplitFinding& it : all) {
    findings.push_back({{"code", it.code}, {"detail", it.detail}, {"refused", it.refused}});
  }
  return findings;
}

http::Response AnswerOf(const InsightServices& services, const ModelQuery& query) {
  services.snapshots.WaitUpToDate();
  const auto all = services.coverage.OfModel(query.model, query.max_m, query.family, query.target);
  if (!all.ok()) return ProblemFor(all.error());
  http::Response response;
  if (query.form.csv) {
    response = CsvOf(all->families.front(), query.form);
  } else {
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
    json["rocm"] = query.model.rocm.empty() ? Json() : Json(query.model.rocm);
    json["build"] = nullptr;  // any row counts: no build was asked what it can run
    json["coverage"] = all->share ? analysis::ShareJson(*all->share) : Json();
    json["unread"] = analysis::UnreadJson(all->unread);
    auto findings = FindingsJson(services, query.model, is_served, all->families);
    if (!findings.ok()) return ProblemFor(findings.error());
    json["findings"] = *std::move(findings);
    json["families"] = FamiliesJson(all->families);
    response = http::JsonResponse(200, json.dump());
  }
  WarnIfStale(services, response);
  return response;
}

http::Response GetCoverage(const InsightServices& services, const http::Request& request) {
  const auto query = ReadModelQuery(services, request);
  return query.ok() ? AnswerOf(services, *query) : ProblemFor(query.error());
}

// The same of a config.json in the body.
http::Response PostModelCoverage(const InsightServices& services, const http::Request& request) {
  auto body = DecodedBody(request, core::kMaxConfigBytes);
  if (!body.ok()) return ProblemFor(body.error());
  const auto query = ReadModelQuery(services, request, *std::move(body));
  return query.ok() ? AnswerOf(services, *query) : ProblemFor(query.error());
}

http::Response PostCoverage(const InsightServices& services, const http::Request& request) {
  const auto known = CheckParameters(request, {"family", "gfx", "cu_num", "format", "state"});
  if (!known.ok()) return ProblemFor(known.error());
  const auto name = TextParameter(request, "family", kMaxNameBytes);
  if (!name.ok()) return ProblemFor(name.error());
  if (!*name) return ProblemFor({"bad_parameter", "family: is missing"});
  const auto family = FindFamily(services, **name);
  if (!family.ok()) return ProblemFor(family.error());
  const auto target = OneTarget(services, **family, request);
  if (!target.ok()) return ProblemFor(target.error());
  const auto form = CoverageFormOf(request);
  if (!form.ok()) return ProblemFor(form.error());
  const auto body_format = FormatOf(request);
  if (!body_format.ok()) return ProblemFor(body_format.error());
  const auto body = DecodedBody(request, services.body_bytes);
  if (!body.ok()) return ProblemFor(body.error());
  const auto table = ReadShapesBody(**family, *body, *body_format, *target);
  if (!table.ok()) return ProblemFor(table.error());
  if (!table->rejected.empty()) {
    return ProblemFor({"rejected_rows", fmt::format("{} rows are no shapes of {}",
                                                    table->rejected.size(), (*family)->name)},
                      table->rejected);
  }
  services.snapshots.WaitUpToDate();
  auto coverage = services.coverage.OfShapes(**family, table->rows, *target);
  if (!coverage.ok()) return ProblemFor(coverage.error());
  http::Response response;
  if (form->csv) {
    response = CsvOf(*coverage, *form);
  } else {
    Json json = TargetJson(*target);
    std::vector<FamilyCoverage> all;
    all.push_back(*std::move(coverage));
    json["families"] = FamiliesJson(all);
    response = http::JsonResponse(200, json.dump());
  }
  WarnIfStale(services, response);
  return response;
}

}  // namespace

std::vector<Endpoint> CoverageRoutes(const InsightServices& services) {
  return {
      Heavy({"GET", "/coverage", With(services, GetCoverage)}),
      // Questions, although their bodies need POST.
      Heavy({"POST", "/coverage/config", With(services, PostModelCoverage), "", true}),
      Heavy({"POST", "/coverage", With(services, PostCoverage), "", true}),
  };
}

}  // namespace tunehub::server

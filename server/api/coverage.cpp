// How much of what a model, or a list of shapes, asks for has a tuned row.
#include "server/service/analysis/coverage.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/analysis/model_question.h"
#include "core/row/cell.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"
#include "server/api/target_parameters.h"
#include "server/api/tuned.h"
#include "server/service/queue/shapes_body.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxGridBytes = 4096;
constexpr std::int64_t kMaxM = 131'072;  // the last tier of tokens

// How the answer is to be written: CSV is of one family.
struct Form {
  bool csv = false;
  std::vector<analysis::State> states;  // of the lines; empty: all
};

core::Result<Form> FormOf(const http::Request& request) {
  Form form;
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

http::Response CsvOf(const service::FamilyCoverage& it, const Form& form) {
  return http::TextResponse(
      200, "text/csv; charset=utf-8",
      analysis::CoverageCsv(it.table->table, it.shapes, it.coverage, form.states));
}

// The part of an answer that GET and POST share.
Json FamiliesJson(const std::vector<service::FamilyCoverage>& all) {
  Json families = Json::array();
  for (const service::FamilyCoverage& it : all) {
    Json json = analysis::CoverageJson(it.family(), it.coverage, it.names);
    json["revision"] = it.table->snapshot->revision;
    families.push_back(std::move(json));
  }
  return families;
}

Json TargetJson(const core::Target& target) {
  return {{"gfx", target.gfx}, {"cu_num", target.cu_num > 0 ? Json(target.cu_num) : Json()}};
}

class Stopwatch {
 public:
  explicit Stopwatch(service::Metrics& metrics) : metrics_(metrics) {}
  ~Stopwatch() {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
    metrics_.ObserveCoverage(took.count());
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  service::Metrics& metrics_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

struct ModelQuery {
  const core::Family* family = nullptr;  // null: all
  core::Target target;
  service::ModelRequest model;
  std::int64_t max_m = analysis::kDefaultMaxM;
  Form form;
};

// A target for all families, or for one that asks by the name of a device and so knows no other:
// cu_num where absent is the usual one of the gfx.
core::Result<core::Target> TargetFor(const Services& services, const core::Family* family,
                                     const http::Request& request) {
  const auto& all = services.definitions.families.all();
  const auto counted =
      std::ranges::find_if(all, [](const auto& it) { return it->cu_num != core::kNoColumn; });
  const bool any = family == nullptr || family->gfx == core::kNoColumn;
  if (any && counted != all.end()) family = counted->get();
  return OneTarget(services, family != nullptr ? *family : *all.front(), request);
}

// How the model is split and stored, and the name of the device.
core::Status ReadSplit(const http::Request& request, service::ModelRequest& model) {
  core::ShapeOptions& options = model.options;
  const std::pair<const char*, std::int64_t*> numbers[] = {
      {"tp", &model.tp}, {"ep", &options.ep}, {"dp_attention", &options.dp_attention}};
  for (const auto& [name, value] : numbers) {
    const auto number = NumberParameter(request, name, 1, service::kMaxTp);
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
  const auto engine = ChoiceParameter(request, "engine", {"", "vllm", "sglang"});
  if (!engine.ok()) return engine.error();
  options.engine = *engine;
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

// `config`: the text of a config.json that was brought; absent: the model is one of ours.
core::Result<ModelQuery> ReadModelQuery(const Services& services, const http::Request& request,
                                        std::optional<std::string> config = std::nullopt) {
  std::vector<std::string_view> names = {"tp",     "ep",     "dp_attention", "dtype",  "engine",
                                         "device", "gfx",    "cu_num",       "family", "grid",
                                         "max_m",  "format", "state"};
  if (!config) names.emplace_back("model");
  if (const auto known = CheckParameters(request, names); !known.ok()) return known.error();
  if (config && config->empty()) {
    return core::Error{"bad_model", "the body is empty: send a config.json"};
  }
  ModelQuery query;
  query.model.config = std::move(config).value_or("");
  if (const auto read = ReadModelNames(request, query); !read.ok()) return read.error();
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
  auto form = FormOf(request);
  if (!form.ok()) return form.error();
  query.form = *std::move(form);
  if (query.form.csv && query.family == nullptr) {
    return core::Error{"bad_parameter", "family: is missing; a CSV is of one family"};
  }
  return query;
}

// What an engine would say of the split.
core::Result<Json> FindingsJson(const Services& services, const service::ModelRequest& request) {
  const auto model = service::ModelOf(services.definitions, request);
  if (!model.ok()) return model.error();
  const auto plan =
      core::ProductsOf(*model, {request.tp, request.options.ep, request.options.dp_attention,
                                request.options.engine, request.options.dtype, false});
  if (!plan.ok()) return plan.error();
  Json findings = Json::array();
  for (const core::SplitFinding& it : plan->findings) {
    findings.push_back({{"code", it.code}, {"detail", it.detail}, {"refused", it.refused}});
  }
  return findings;
}

http::Response AnswerOf(Services& services, const ModelQuery& asked) {
  const ModelQuery* const query = &asked;
  services.snapshots.WaitUpToDate();
  const Stopwatch stopwatch(services.metrics);
  const auto all =
      services.coverage.OfModel(query->model, query->max_m, query->family, query->target);
  if (!all.ok()) return ProblemFor(all.error());
  http::Response response;
  if (query->form.csv) {
    response = CsvOf(all->front(), query->form);
  } else {
    Json json = TargetJson(query->target);
    json["model"] = query->model.model;
    json["tp"] = query->model.tp;
    json["grid"] = query->model.grid;
    json["max_m"] = query->max_m;
    json["ep"] = query->model.options.ep;
    json["dp_attention"] = query->model.options.dp_attention;
    json["device"] =
        service::FileNameOf(services.definitions, query->target, query->model.options.device);
    auto findings = FindingsJson(services, query->model);
    if (!findings.ok()) return ProblemFor(findings.error());
    json["findings"] = *std::move(findings);
    json["families"] = FamiliesJson(*all);
    response = http::JsonResponse(200, json.dump());
  }
  WarnIfStale(services, response);
  return response;
}

http::Response GetCoverage(Services& services, const http::Request& request) {
  const auto query = ReadModelQuery(services, request);
  return query.ok() ? AnswerOf(services, *query) : ProblemFor(query.error());
}

// The same of a config.json in the body.
http::Response PostModelCoverage(Services& services, const http::Request& request) {
  const auto body = DecodedBody(request, core::kMaxConfigBytes);
  if (!body.ok()) return ProblemFor(body.error());
  const auto query = ReadModelQuery(services, request, std::string(*body));
  return query.ok() ? AnswerOf(services, *query) : ProblemFor(query.error());
}

http::Response PostCoverage(Services& services, const http::Request& request) {
  const auto known = CheckParameters(request, {"family", "gfx", "cu_num", "format", "state"});
  if (!known.ok()) return ProblemFor(known.error());
  const auto name = TextParameter(request, "family", kMaxNameBytes);
  if (!name.ok()) return ProblemFor(name.error());
  if (!*name) return ProblemFor({"bad_parameter", "family: is missing"});
  const auto family = FindFamily(services, **name);
  if (!family.ok()) return ProblemFor(family.error());
  const auto target = OneTarget(services, **family, request);
  if (!target.ok()) return ProblemFor(target.error());
  const auto form = FormOf(request);
  if (!form.ok()) return ProblemFor(form.error());
  const auto body_format = FormatOf(request);
  if (!body_format.ok()) return ProblemFor(body_format.error());
  const auto body = DecodedBody(request, services.body_bytes);
  if (!body.ok()) return ProblemFor(body.error());
  const auto table = service::ReadShapesBody(**family, *body, *body_format, *target);
  if (!table.ok()) return ProblemFor(table.error());
  if (!table->rejected.empty()) {
    return ProblemFor({"rejected_rows", fmt::format("{} rows are no shapes of {}",
                                                    table->rejected.size(), (*family)->name)},
                      table->rejected);
  }
  services.snapshots.WaitUpToDate();
  const Stopwatch stopwatch(services.metrics);
  auto coverage = services.coverage.OfShapes(**family, table->rows, *target);
  if (!coverage.ok()) return ProblemFor(coverage.error());
  http::Response response;
  if (form->csv) {
    response = CsvOf(*coverage, *form);
  } else {
    Json json = TargetJson(*target);
    std::vector<service::FamilyCoverage> all;
    all.push_back(*std::move(coverage));
    json["families"] = FamiliesJson(all);
    response = http::JsonResponse(200, json.dump());
  }
  WarnIfStale(services, response);
  return response;
}

}  // namespace

std::vector<Endpoint> CoverageRoutes(Services& services) {
  return {
      {"GET", "/coverage",
       [&](const auto& request, const auto&, const auto&) {
         return GetCoverage(services, request);
       }},
      // Questions, although their bodies need POST.
      {"POST", "/coverage/config",
       [&](const auto& request, const auto&, const auto&) {
         return PostModelCoverage(services, request);
       },
       "", true},
      {"POST", "/coverage",
       [&](const auto& request, const auto&, const auto&) {
         return PostCoverage(services, request);
       },
       "", true},
  };
}

}  // namespace tunehub::api

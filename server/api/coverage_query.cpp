#include "server/api/coverage_query.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "server/api/engine_parameter.h"
#include "server/api/parameters.h"
#include "server/api/target_parameters.h"

namespace tunehub::api {
namespace {

constexpr std::size_t kMaxGridBytes = 4096;
constexpr std::int64_t kMaxM = 131'072;  // the last tier of tokens

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
  return core::Ok();
}

core::Status ReadEngineOf(const Services& services, const http::Request& request,
                          service::ModelRequest& model) {
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
core::Result<core::Target> TargetFor(const Services& services, const core::Family* family,
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

core::Result<ModelQuery> ReadModelQuery(const Services& services, const http::Request& request,
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

}  // namespace tunehub::api

#include <nlohmann/json.hpp>

#include "agent/commands/capture/capture_report.h"
#include "agent/commands/explain/explain_text.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFromNames[] = {"", "log", "options", "host"};
constexpr std::string_view kDispatchNames[] = {"direct", "compiled_table", "name_registry"};

Json OrNull(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json TargetJson(const core::Target& target) {
  return {{"gfx", OrNull(target.gfx)},
          {"cu_num", target.cu_num == 0 ? Json() : Json(target.cu_num)}};
}

Json MissedJson(const FamilyPart& part, const ExplainedShape& shape, bool looked) {
  Json cells = Json::object();
  for (std::size_t i = 0; i < shape.miss.cells.size(); ++i) {
    cells[part.family->untuned_columns[i]] = shape.miss.cells[i];
  }
  Json json = {{"shape", std::move(cells)}, {"count", shape.miss.count}};
  json["state"] = looked ? Json(analysis::Name(shape.state)) : Json();
  json["row"] = shape.row ? Json(shape.row->line) : Json();
  return json;
}

Json GroupsJson(const FamilyPart& part, bool looked) {
  Json groups = Json::array();
  for (const ShapeGroup& group : part.groups) {
    Json columns = Json::object();
    for (const auto& [name, value] : group.columns) columns[name] = value;
    Json json = {{"shape", std::move(columns)},
                 {"from", group.from},
                 {"to", group.to},
                 {"shapes", group.shapes.size()},
                 {"count", group.count}};
    json["tuned"] = looked ? Json(group.tuned) : Json();
    groups.push_back(std::move(json));
  }
  return groups;
}

Json NeedsJson(const FamilyPart& part) {
  Json needs = Json::array();
  for (const ModuleNeed& need : part.needs) {
    Json json = {{"module", nullptr}, {"dispatch", nullptr}, {"state", nullptr}};
    if (need.module != nullptr) {
      json["module"] = need.module->name;
      json["dispatch"] = kDispatchNames[static_cast<std::size_t>(need.module->dispatch)];
    }
    if (need.state) json["state"] = Name(*need.state);
    json["rows"] = need.rows;
    needs.push_back(std::move(json));
  }
  return needs;
}

Json PartJson(const FamilyPart& part, bool rows_known) {
  const bool looked = rows_known && !part.LacksGpu();
  Json json = {{"family", part.family->name}};
  json.update(TargetJson(part.target));
  json["shapes"] = part.shapes.size();
  json["count"] = part.count;
  json["tuned"] = looked ? Json(part.tuned()) : Json();
  for (const auto state :
       {analysis::State::kBaseline, analysis::State::kUnmeasured, analysis::State::kMissing}) {
    json[std::string(analysis::Name(state))] = looked ? Json(part.Of(state)) : Json();
  }
  json["to_tune"] = looked ? Json(part.to_tune) : Json();
  json["targets"] = Json::array();
  for (std::size_t i = 0; i < part.targets.size(); ++i) {
    Json target = TargetJson(part.targets[i].target);
    target["rows"] = part.targets[i].rows;
    if (i < part.tuned_on.size()) target["tuned"] = part.tuned_on[i];
    json["targets"].push_back(std::move(target));
  }
  json["needs"] = NeedsJson(part);
  json["groups"] = GroupsJson(part, looked);
  json["missed"] = Json::array();
  for (const ExplainedShape& shape : part.shapes) {
    json["missed"].push_back(MissedJson(part, shape, looked));
  }
  return json;
}

}  // namespace

Json ExplanationJson(const Explanation& explanation, std::span<const NextStep> steps) {
  Json json = CountsJson(explanation.counts, "misses");
  json["target"] = TargetJson(explanation.target.target);
  json["target"]["from"] =
      OrNull(std::string(kFromNames[static_cast<std::size_t>(explanation.target.from)]));
  json["rows_from"] = OrNull(explanation.rows_from);
  json["families"] = Json::array();
  for (const FamilyPart& part : explanation.parts) {
    json["families"].push_back(PartJson(part, explanation.looked()));
  }
  json["files"] = ExplainedFilesJson(explanation.files, explanation.looked());
  json["used"] = FilesJson(explanation.used);
  json["remarks"] = RemarksJson(explanation.remarks);
  json["next"] = Json::array();
  for (const NextStep& step : steps) {
    json["next"].push_back({{"why", step.why}, {"commands", step.lines}});
  }
  json["error"] = nullptr;
  if (explanation.error) {
    json["error"] = {{"code", explanation.error->code}, {"detail", explanation.error->detail}};
  }
  return json;
}

}  // namespace tunehub::agent

#include "agent/tuning/hub_tables.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/hub/problem.h"
#include "agent/tuning/shapes.h"
#include "core/base/read_json.h"

namespace tunehub::agent::tuning {

core::Result<std::string> HubTables::Get(const std::string& path, const Parameters& parameters) {
  const Request request{"GET", path + "?" + QueryString(parameters), {}, ""};
  const auto answer = SendWithRetries(hub_, request, policy_, Pauses::Real());
  if (!answer.ok()) return answer.error();
  if (answer->status != 200) return ToError(ProblemOf(*answer));
  return answer->body;
}

core::Result<std::vector<TunedRow>> HubTables::Tuned(const std::optional<core::Target>& target,
                                                     const std::string& provider) {
  Parameters parameters = {{"provider", provider}, {"measured", "tuned"}, {"allow_empty", "1"}};
  if (target) {
    parameters.emplace_back("gfx", target->gfx);
    parameters.emplace_back("cu_num", std::to_string(target->cu_num));
  }
  const auto csv = Get("/tuned/" + family_.name, parameters);
  if (!csv.ok()) return csv.error();
  return ReadTunedRows(family_, targets_, *csv);
}

nlohmann::json HubTables::Measured(const core::Target& target, const Columns& shape) {
  Parameters parameters = {{"gfx", target.gfx}, {"cu_num", std::to_string(target.cu_num)}};
  parameters.insert(parameters.end(), shape.begin(), shape.end());
  const auto body = Get("/shapes/" + family_.name, parameters);
  if (!body.ok()) return {};
  const auto json = core::ReadJson(*body);
  if (!json.is_object()) return {};
  const auto list = json.find("measurements");
  return list == json.end() || !list->is_array() ? nlohmann::json() : *list;
}

bool HubTables::HasDefault(const core::Target& target, const Columns& shape) {
  for (const auto& it : Measured(target, shape)) {
    if (!it.is_object() || it.value("is_default", nlohmann::json()) != true) continue;
    const auto standing = it.value("standing", nlohmann::json());
    if (standing == "measured" || standing == "compared") return true;
  }
  return false;
}

Ranking HubTables::Ranked(const core::Target& target, const Columns& shape) {
  std::vector<std::pair<double, Columns>> order;
  for (const auto& it : Measured(target, shape)) {
    if (!it.is_object()) continue;
    const auto us = it.find("us"), line = it.find("line");
    const bool told = us != it.end() && us->is_number() && line != it.end() && line->is_string();
    if (!told || it.value("standing", nlohmann::json()) != "measured") continue;
    order.emplace_back(us->get<double>(), ColumnsOf(family_, core::Role::kConfig,
                                                    line->get_ref<const std::string&>()));
  }
  std::sort(order.begin(), order.end());
  Ranking ranking;
  for (auto& [us, candidate] : order) {
    if (std::find(ranking.begin(), ranking.end(), candidate) == ranking.end()) {
      ranking.push_back(std::move(candidate));
    }
  }
  return ranking;
}

}  // namespace tunehub::agent::tuning

#include "server/service/tables/build_tally.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace tunehub::service {

void BuildTally::Add(const core::RowVerdict& verdict) {
  ++counts_.at(static_cast<std::size_t>(verdict.state));
  if (verdict.state == core::RowState::kEffective) return;
  ++modules_[{verdict.module == nullptr ? "-" : verdict.module->name, verdict.state}];
}

void BuildTally::AddHeaders(Notes& notes) const {
  for (std::size_t i = 0; i < kStateHeaders.size(); ++i) {
    notes.headers.emplace_back(kStateHeaders.at(i), std::to_string(counts_.at(i)));
  }
  std::string text;
  for (const auto& [place, rows] : modules_) {
    text += fmt::format("{}{}/{}:{}={}", text.empty() ? "" : ", ", family_.name, place.first,
                        Name(place.second), rows);
  }
  if (!text.empty()) notes.headers.emplace_back(kModulesHeader, text);
}

nlohmann::ordered_json BuildTally::ToJson() const {
  nlohmann::ordered_json json, modules = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < core::kRowStates; ++i) {
    json[std::string(Name(static_cast<core::RowState>(i)))] = counts_.at(i);
  }
  for (const auto& [place, rows] : modules_) {
    modules.push_back({{"module", place.first}, {"state", Name(place.second)}, {"rows", rows}});
  }
  json["modules"] = std::move(modules);
  return json;
}

}  // namespace tunehub::service

#include "server/service/analysis/compared_runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/analysis/compare.h"
#include "core/base/read_json.h"
#include "core/row/cell.h"
#include "server/service/registry/bad_parameter.h"

namespace tunehub::service {
namespace {

constexpr std::size_t kListedValues = 3;

core::Error BadSide(std::string_view name, std::string_view text) {
  return BadParameter(name, text,
                      "is neither runs (12 or 12,13) nor an environment (rocm:7.0.1,aiter:COMMIT)");
}

// "7.0.1 or 7.1 or unknown and others"
std::string ListOf(const std::set<std::string>& values) {
  std::string text;
  std::size_t listed = 0;
  for (const std::string& value : values) {
    if (listed++ == kListedValues) return text + " and others";
    text += (text.empty() ? "" : " or ") + (value.empty() ? "unknown" : value);
  }
  return text;
}

}  // namespace

core::Result<SideQuery> ParseSide(std::string_view name, std::string_view text) {
  SideQuery query;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const std::size_t colon = item.find(':');
    if (colon == std::string_view::npos) {
      const auto run = core::ParseInt64(item);
      if (!run || *run < 1) return BadSide(name, text);
      query.runs.push_back(*run);
    } else if (colon == 0 || colon + 1 == item.size()) {
      return BadSide(name, text);
    } else {
      query.environment.emplace_back(item.substr(0, colon), item.substr(colon + 1));
    }
  }
  if (query.runs.empty() == query.environment.empty() || query.runs.size() > kMostRuns) {
    return BadSide(name, text);
  }
  return query;
}

core::Result<std::vector<store::RunRecord>> FindRuns(store::Store& store, const SideQuery& query) {
  std::vector<store::RunRecord> runs;
  for (std::int64_t id : query.runs) {
    auto run = store.runs().Find(id);
    if (!run.ok()) return run.error();
    runs.push_back(*std::move(run));
  }
  if (!query.runs.empty()) return runs;
  nlohmann::json members = nlohmann::json::object();
  std::string text;
  for (const auto& [member, value] : query.environment) {
    members[member] = value;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", member, value);
  }
  runs = store.runs().FindByProvenance(members.dump(), kMostRuns + 1);
  if (runs.empty()) return core::Error{"no_runs", "no run in force says " + text};
  if (runs.size() <= kMostRuns) return runs;
  return core::Error{
      "too_many_runs",
      fmt::format("more than {} runs say {}: name one more member of the environment", kMostRuns,
                  text)};
}

analysis::Environment EnvironmentOf(const std::string& provenance) {
  analysis::Environment environment;
  const auto json = core::ReadJson(provenance);
  if (!json.is_object()) return environment;
  for (const auto& [name, value] : json.items()) {
    if (analysis::IsNoFact(name)) continue;
    environment[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return environment;
}

void AddEnvironment(const std::vector<store::RunRecord>& runs, analysis::Side& side) {
  std::string ids;
  for (const auto& run : runs) ids += fmt::format("{}{}", ids.empty() ? "" : ",", run.id);
  side.environment["runs"] = ids;
  std::vector<analysis::Environment> said;
  std::set<std::string> names;
  for (const auto& run : runs) {
    said.push_back(EnvironmentOf(run.provenance));
    for (const auto& [name, value] : said.back()) names.insert(name);
  }
  for (const std::string& name : names) {
    std::set<std::string> values;
    for (const analysis::Environment& it : said) {
      const auto fact = it.find(name);
      values.insert(fact == it.end() ? "" : fact->second);
    }
    side.environment[name] = ListOf(values);
    if (values.size() > 1) side.mixed.insert(name);
  }
}

}  // namespace tunehub::service

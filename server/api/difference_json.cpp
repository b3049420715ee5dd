#include "server/api/difference_json.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/table/table_writer.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kListedRevisions = 10;
constexpr double kUsDigits = 1e4;

Json UsJson(std::optional<double> us) {
  if (!us || !std::isfinite(*us)) return {};
  return std::round(*us * kUsDigits) / kUsDigits;
}

Json SideJson(const service::DifferenceSide& side) {
  if (!side.is_there) return {};
  Json json = {{"us", UsJson(side.us)}, {"kernel", side.kernel}, {"run", side.run}};
  if (side.is_baseline) json["baseline"] = true;
  return json;
}

// The key's columns that are not empty: what /shapes is asked by.
Json KeyJson(const core::Family& family, const service::TunedRow& row) {
  std::string scratch;
  const core::Cells cells = core::SplitLine(row.line, scratch);
  Json json = Json::object();
  for (std::size_t i : family.key_columns) {
    if (!cells[i].empty()) json[family.columns[i].name] = cells[i];
  }
  return json;
}

Json RunIdJson(std::optional<std::int64_t> run) {
  return run ? Json(*run) : Json();
}

}  // namespace

Json TotalsJson(const service::DifferenceTotals& totals) {
  Json json;
  for (std::size_t i = 0; i < analysis::kDifferences; ++i) {
    const std::string name(analysis::Name(static_cast<analysis::Difference>(i)));
    json["counts"][name] = totals.keys[i];
    json["lost_us"][name] = UsJson(totals.lost_us[i]);
  }
  json["within_noise"] = totals.within_noise;
  std::vector<std::pair<std::int64_t, const service::RevisionShare*>> shares;
  for (const auto& [number, share] : totals.revisions) shares.emplace_back(number, &share);
  std::ranges::stable_sort(shares, [](const auto& a, const auto& b) {
    return a.second->keys != b.second->keys ? a.second->keys > b.second->keys : a.first > b.first;
  });
  json["revision_count"] = shares.size();
  json["revisions"] = Json::array();
  for (std::size_t i = 0; i < std::min(shares.size(), kListedRevisions); ++i) {
    const auto& [number, share] = shares[i];
    json["revisions"].push_back({{"revision", number},
                                 {"kind", share->kind},
                                 {"cause", share->cause},
                                 {"run", RunIdJson(share->run)},
                                 {"keys", share->keys}});
  }
  return json;
}

Json DifferenceJson(const service::WeighedDifference& difference,
                    const std::vector<service::WinnerTime>& times) {
  const service::KeyDifference& key = *difference.key;
  const core::Family& family = *difference.family;
  Json history = Json::array();
  for (const service::WinnerTime& time : times)
    history.push_back({{"revision", time.revision}, {"us", UsJson(time.us)}});
  return {{"kind", analysis::Name(key.difference)},
          {"family", family.name},
          {"gfx", key.row->gfx},
          {"cu_num", key.row->cu_num > 0 ? Json(key.row->cu_num) : Json()},
          {"key", KeyJson(family, *key.row)},
          {"before", SideJson(key.Before())},
          {"now", SideJson(key.Now(family))},
          {"lost_us", UsJson(difference.lost_us())},
          {"demand", difference.demand},
          {"revision", key.change->revision},
          {"run", RunIdJson(key.change->run)},
          {"history", std::move(history)}};
}

}  // namespace tunehub::api

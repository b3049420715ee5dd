#include "agent/search/hub_tables.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/base/read_json.h"

namespace tunehub::agent {
namespace {

constexpr std::size_t kMostNeighbours = 3;
// The largest distance of near shapes: M differs by a factor of 16, or N by a factor of 4. Farther
// away, other kernels are fastest.
constexpr double kFarthest = 8;

// Jobs to verify measure doubted times again.
bool IsTimed(const nlohmann::json& standing) {
  return standing == "measured" || standing == "unconfirmed" || standing == "implausible";
}

}  // namespace

Ranking RankingOf(const std::vector<Measurement>& measurements) {
  std::vector<const Measurement*> order;
  for (const Measurement& it : measurements) {
    if (it.competes()) order.push_back(&it);
  }
  std::stable_sort(order.begin(), order.end(), [](const Measurement* a, const Measurement* b) {
    return Median(a->samples) < Median(b->samples);
  });
  Ranking ranking;
  for (const Measurement* it : order) ranking.push_back(it->candidate);
  return ranking;
}

Neighbours::Known* Neighbours::Find(const Columns& shape) {
  const auto found = std::find_if(known_.begin(), known_.end(),
                                  [&](const Known& it) { return it.shape == shape; });
  return found == known_.end() ? nullptr : &*found;
}

void Neighbours::AddWinner(const Columns& shape, const Columns& winner) {
  if (Find(shape) == nullptr) known_.push_back({shape, {winner}, false});
}

void Neighbours::Add(const Columns& shape, Ranking ranking) {
  if (ranking.empty()) return;
  if (Known* known = Find(shape)) {
    *known = {shape, std::move(ranking), true};
  } else {
    known_.push_back({shape, std::move(ranking), true});
  }
}

Ranking Neighbours::LikelyFor(const Columns& shape) {
  std::multimap<double, Known*> near;
  for (Known& it : known_) {
    const double distance = Distance(shape, it.shape);
    if (distance <= kFarthest) near.emplace(distance, &it);
  }
  std::vector<Known*> nearest;
  for (const auto& [distance, known] : near) {
    if (nearest.size() == kMostNeighbours) break;
    if (!known->complete && fetch_) {
      if (Ranking ranking = fetch_(known->shape); !ranking.empty()) known->ranking = ranking;
      known->complete = true;
    }
    nearest.push_back(known);
  }
  return Interleaved(nearest);
}

// Takes the best candidate of each neighbour, then the second best of each neighbour, and so on.
// Each candidate occurs once.
Ranking Neighbours::Interleaved(const std::vector<Known*>& nearest) {
  Ranking likely;
  std::size_t longest = 0;
  for (const Known* known : nearest) longest = std::max(longest, known->ranking.size());
  for (std::size_t rank = 0; rank < longest; ++rank) {
    for (const Known* known : nearest) {
      if (rank >= known->ranking.size()) continue;
      const Columns& candidate = known->ranking[rank];
      if (std::ranges::find(likely, candidate) == likely.end()) likely.push_back(candidate);
    }
  }
  return likely;
}

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
  std::vector<std::tuple<bool, double, Columns>> order;
  for (const auto& it : Measured(target, shape)) {
    if (!it.is_object()) continue;
    const auto us = it.find("us"), line = it.find("line");
    const bool told = us != it.end() && us->is_number() && line != it.end() && line->is_string();
    if (!told || !IsTimed(it.value("standing", nlohmann::json()))) continue;
    const bool loses = it.value("won", nlohmann::json()).is_null();
    order.emplace_back(
        loses, us->get<double>(),
        ColumnsOf(family_, core::Role::kConfig, line->get_ref<const std::string&>()));
  }
  std::sort(order.begin(), order.end());
  Ranking ranking;
  for (auto& [loses, us, candidate] : order) {
    if (std::find(ranking.begin(), ranking.end(), candidate) == ranking.end()) {
      ranking.push_back(std::move(candidate));
    }
  }
  return ranking;
}

}  // namespace tunehub::agent

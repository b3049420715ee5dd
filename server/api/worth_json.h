// What tuning is worth, as JSON: the groups of a model's shapes as lines that are filtered, sorted
// and cut, and what they add up to.
#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/service/analysis/worth.h"
#include "server/service/queue/tuning_cost.h"

namespace tunehub::api {

struct WorthLine {
  const service::FamilyWorth* family = nullptr;
  const analysis::WorthGroup* group = nullptr;
  service::TuningCost cost;

  const analysis::PairLayer& layer() const { return family->layers[group->pair]; }
  double layers() const { return static_cast<double>(layer().layers); }
  std::size_t open() const;                   // shapes that are not tuned
  std::optional<double> worth() const;        // per token, of all layers
  std::optional<double> lost() const;         // the same, above the roofline
  std::optional<double> share() const;        // the lowest
  std::optional<double> gpu_seconds() const;  // to tune what is open
};

// Of one cell, by family, then by pair. `costs`: by place of the family.
std::vector<WorthLine> LinesOf(const service::CellWorth& worth,
                               const std::vector<service::TuningCost>& costs);

// What a list is ordered by. Each falls where `falling`; what has no such figure comes last, and
// what is equal goes by the work that is not tuned.
inline constexpr std::size_t kWorthSorts = 6;
extern const std::array<std::string_view, kWorthSorts> kWorthSortNames;
void SortLines(std::vector<WorthLine>& lines, std::string_view name, bool falling);

nlohmann::ordered_json LineJson(const WorthLine& line);
// Of a family's lines, or of all: sums per token over all layers.
nlohmann::ordered_json TotalsJson(const std::vector<WorthLine>& lines);
nlohmann::ordered_json FamilyWorthJson(const service::FamilyWorth& family,
                                       const service::TuningCost& cost,
                                       const std::vector<WorthLine>& lines);

}  // namespace tunehub::api

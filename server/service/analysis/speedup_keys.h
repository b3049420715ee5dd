// From the times of a family's keys, which come one after the other, to its speed-ups.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/analysis/features.h"
#include "core/base/hash128.h"
#include "server/service/analysis/heuristics.h"
#include "server/service/analysis/speedups.h"
#include "server/service/registry/snapshot.h"

namespace tunehub::service {

class KeyMaker {
 public:
  using FindModels = std::function<std::shared_ptr<const ModelNames>(const std::string& gfx)>;

  // Learns what heuristics choose where several candidates were measured. `made` gets the keys.
  // Throws Unavailable.
  KeyMaker(const FamilySnapshot& snapshot, Heuristics& heuristics, TimeTables& times,
           FamilySpeedups& made);

  void OnModels(FindModels models) { find_models_ = std::move(models); }
  // What heuristics may choose: of these the times are needed.
  std::vector<core::Hash128> Candidates() const;
  // Those of one key follow each other.
  void Add(const store::ChoiceTime& time);
  void Finish();

 private:
  using TargetPlace = std::pair<std::string, int>;
  // What is chosen on a target without looking at measurements.
  struct Chooser {
    Heuristics::LearnedTree holder;
    const analysis::Heuristic* best = nullptr;
    const analysis::Heuristic* written = nullptr;
    std::shared_ptr<const ModelNames> models;
  };

  void Learn(const TunedRow& row, TimeTables& times);
  void Put(const TunedRow& row);
  double TimeOf(const std::string& identity) const;
  const store::ChoiceTime* Operator(bool of_default) const;  // null: not measured
  double DefaultTime(const Chooser& chooser) const;

  const core::Family& family_;
  Heuristics& heuristics_;
  FamilySpeedups& made_;
  FindModels find_models_;
  const analysis::Features features_;
  const std::size_t m_;
  std::unordered_map<core::Hash128, const TunedRow*, core::Hash128Hasher> rows_;
  std::map<TargetPlace, Chooser> choosers_;
  std::vector<store::ChoiceTime> times_;  // of the key that is being read
  std::string scratch_;
  std::vector<double> numbers_;
};

}  // namespace tunehub::service

// The lists of a verdict: each row and shape that it counts, and why.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/analysis/coverage.h"
#include "server/insight/verdict.h"
#include "server/tables/tuned_tables.h"

namespace tunehub::server {

using VerdictLists = std::array<nlohmann::ordered_json, kConcerns>;  // by Concern

VerdictLists EmptyLists();

// What became of the rows that the build cannot run as it is: as FitRows noted it. Precondition:
// `rows` are for a build.
void AddBuildRows(const core::Family& family, const FoundRows& rows, VerdictLists& lists,
                  VerdictCounts& counts);

// What becomes of the shapes that are asked of one table.
class ShapeLists {
 public:
  ShapeLists(const core::Family& family, const FoundRows& rows,
             const std::vector<core::ShapeDemand>& shapes, const std::string& gfx, int cu_num)
      : family_(family), rows_(rows), shapes_(shapes), gfx_(gfx), cu_num_(cu_num) {}

  // `table`: what is served; `all`: with what was left out for the build.
  analysis::BucketShare Add(const lookup::Table& table, const lookup::Table& all,
                            VerdictLists& lists, VerdictCounts& counts) const;

 private:
  std::string WhyMissing(const core::FamilyShape& shape, const lookup::Table& all) const;
  // "": of the target and the variant that asks.
  std::string WhyBorrowed(const core::FamilyShape& shape, const lookup::LookupAnswer& answer,
                          const TunedRow& row) const;
  // The row has effect only when its module is built again.
  bool Waits(const TunedRow& row) const;

  const core::Family& family_;
  const FoundRows& rows_;
  const std::vector<core::ShapeDemand>& shapes_;
  const std::string& gfx_;
  const int cu_num_;
};

}  // namespace tunehub::server

// What a tuned row is worth, by measurements alone: how many times faster than what runs untuned.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/merge/merge.h"
#include "core/row/target.h"

namespace tunehub::agent {

// The columns that a group of shapes has in common: the heat map's other axis, N and K of a GEMM.
std::vector<std::size_t> PairColumns(const core::Family& family);
// The column along which shapes of a group differ: M, or the heat map's where no lookup pads one.
std::size_t SizeColumn(const core::Family& family);

struct MeasuredSpeedup {
  std::vector<std::string> pair;  // the cells of PairColumns
  double speedup = 1;
};

// Of the hub's GET /speedups?format=csv for the family. Errors: bad_answer, those of CsvReader.
core::Result<std::vector<MeasuredSpeedup>> ReadSpeedups(const core::Family& family,
                                                        std::string_view csv);

// Of tables that have several rows of a key of the target, one of them what runs untuned
// (`default_candidate`: core::AppendCandidateText): a tuner's profile, or the table of
// `bench --before` beside the tuned one.
std::vector<MeasuredSpeedup> SpeedupsOf(const core::Family& family, const core::Target& target,
                                        std::span<const core::Duplicate> duplicates,
                                        std::string_view default_candidate);

struct Worth {
  double median = 0;
  std::size_t keys = 0;    // that it is the median of; 0: nobody measured any
  bool of_family = false;  // none of them is of the pair: all of the family's
};
Worth WorthOf(std::span<const MeasuredSpeedup> speedups, const std::vector<std::string>& pair);

}  // namespace tunehub::agent

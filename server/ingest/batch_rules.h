// Prepares the rows of one batch: one row per (key, provider, candidate), sorted by key, the best
// of each key marked. What is folded away is counted, never silent.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/row/row.h"
#include "server/db/provider.h"

namespace tunehub::server {

// Whether a row's own evidence is enough for it to compete (docs/trust.md).

// Evidence says so of the time of AITER's whole operator: no kernel's time can be held against it.
inline constexpr std::string_view kOperatorTiming = "operator";

// A competing row is unfinished where its evidence, a JSON object or "", has a status other than
// "ok", or samples and fewer than core::kLeastSamples. Else it is compared where its timing is
// kOperatorTiming, and so is a default that names no kernel.
void JudgeEvidence(std::string_view evidence, bool is_default, core::Row& row);

struct StagedRow {
  core::Row row;
  Provider provider = Provider::kAiter;
  std::int16_t family = 0;  // the database's number of the family
  std::size_t file = 0;     // index of the file it came from
  std::string evidence;     // JSON with samples and the like; "": none
  bool is_default = false;  // who measured it says: what runs where nobody has tuned
  bool searched = false;    // measured in a search over the candidates of its key
  bool best = false;        // of its key and provider in this batch
  bool alone = false;  // the only candidate of its key and provider that competes in this batch
};

struct Folded {
  std::vector<StagedRow> rows;
  std::vector<std::size_t> folded_per_file;
  std::vector<std::size_t> folded_competing_per_file;  // those of them that are not quarantined
};

// Of several rows of one candidate on one key the best by the winner rule stays (within a run the
// lowest time). `files`: how many files the rows came from.
Folded Fold(std::vector<StagedRow> rows, std::size_t files);

}  // namespace tunehub::server

// Brings a batch's rows into the transaction's temporary table by COPY.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <pqxx/pqxx>
#include <vector>

#include "server/ingest/batch_records.h"

namespace tunehub::server {

// Below this many rows the planner's guess is good enough; above it an unanalysed stage got a join
// that took half a second.
inline constexpr std::size_t kAnalyseFrom = 2'000;

// The rows of one batch: row i gets the id `first_id` + i.
struct StagedPart {
  const std::vector<StagedRow>& rows;
  std::int64_t first_id = 0;
};

class StagedBatch {
 public:
  // `versions`: the family version in force, by family number.
  StagedBatch(pqxx::work& transaction, const std::vector<StagedPart>& parts,
              const std::map<std::int16_t, int>& versions);

  // Before the first join with the staged rows; what only inserts them does not need it.
  void Analyse();

 private:
  pqxx::work& transaction_;
  std::size_t rows_ = 0;
  bool analysed_ = false;
};

}  // namespace tunehub::server

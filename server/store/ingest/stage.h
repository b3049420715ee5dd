// Brings a batch's rows into the transaction's temporary table by COPY.
#pragma once

#include <cstdint>
#include <map>
#include <pqxx/pqxx>
#include <vector>

#include "server/registry/fold.h"

namespace tunehub::store {

class StagedBatch {
 public:
  // Row i gets the id `first_id` + i. `versions`: the family version in force, by family number.
  // The rows must outlive this.
  StagedBatch(pqxx::work& transaction, const std::vector<registry::StagedRow>& rows,
              std::int64_t first_id, const std::map<std::int16_t, int>& versions);

  // Before the first join with the staged rows; what only inserts them does not need it.
  void Analyse();

 private:
  pqxx::work& transaction_;
  const std::vector<registry::StagedRow>& rows_;
  bool analysed_ = false;
};

}  // namespace tunehub::store

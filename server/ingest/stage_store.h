// Writes a batch's rows into the transaction's temporary table `stage` by COPY.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "server/ingest/batch_records.h"

namespace tunehub::server {

// With fewer rows, the planner's guess is good enough without ANALYZE. With more rows and without
// ANALYZE, one join took half a second.
inline constexpr std::size_t kAnalyseFrom = 2'000;

// A batch in its transaction, alone or in a group. Its row i gets the id first_id() + i.
struct Member {
  const BatchRequest* request;
  std::size_t place = 0;  // index among the batches of the call
  BatchOutcome outcome = {};
};
using Members = std::vector<Member>;

class StagedBatch {
 public:
  // `versions`: the versions of family files in force, by family number. The members must outlive
  // this object.
  StagedBatch(pqxx::work& transaction, Members& of, const std::map<std::int16_t, int>& versions);

  // Runs ANALYZE. Call it before the first join with the staged rows. Inserts do not need it.
  void Analyse();

  // Returns the batches and their runs as a JSON parameter for a statement. `source`: the import's
  // source.
  std::string Runs(std::optional<int> source = {}) const;

  // True if a row gives the time of its shape key's default.
  bool has_references() const { return has_references_; }

  Members& members;

 private:
  pqxx::work& transaction_;
  std::size_t rows_ = 0;
  bool analysed_ = false, has_references_ = false;
};

}  // namespace tunehub::server

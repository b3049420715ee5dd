// Brings a batch's rows into the transaction's temporary table by COPY.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <pqxx/pqxx>
#include <vector>

#include "core/base/result.h"
#include "server/ingest/batch_records.h"
#include "server/ingest/batch_rules.h"

namespace tunehub::server {

// The lines in which batches wait for their family. One batch at a time writes to a family, so what
// waits meanwhile may go together: whoever comes first in a line leads, and commits for all that it
// takes along. It knows no database.

// What became of a batch; absent: it is to be committed by itself, outside of the line.
using GroupAnswer = std::optional<core::Result<BatchOutcome>>;
// Commits batches of one family, at least one; an answer for each, in their order.
using GroupCommit =
    std::function<std::vector<GroupAnswer>(const std::vector<const BatchRequest*>&)>;

// At most so many batches, and rows, are one group: what comes behind it waits for no more.
inline constexpr std::size_t kMostGrouped = 64;
inline constexpr std::size_t kMostGroupedRows = 20'000;

// Whether a batch may go with others: results of a run that is there, which say nothing against
// what was measured before, and are kept.
bool MayGoTogether(const BatchRequest& request);

class BatchLines {
 public:
  // Waits, aside, until the batch was committed, by this thread or another one. Of what `commit`
  // throws, Unavailable is thrown to each whose batch was in it, since it may have left open
  // whether they are committed. All else is about one of them: then none has an answer.
  GroupAnswer Join(const BatchRequest& request, const GroupCommit& commit);
  // Batches that nobody commits yet.
  std::size_t waiting() const;

 private:
  struct Place;
  struct Line {
    std::vector<Place*> places;  // in the order in which they came
    bool led = false;
  };

  static std::vector<Place*> TakeGroup(Line& line);
  static void Commit(const std::vector<Place*>& group, const GroupCommit& commit);
  static void PassOn(Line& line);
  void Await(Place& own);
  std::vector<Place*> Begin(Line& line, Place& own);
  void Lead(Line& line, Place& own, const GroupCommit& commit);

  mutable std::mutex mutex_;
  std::map<std::int16_t, Line> lines_;  // by family; guarded by mutex_
};

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

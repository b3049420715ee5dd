// Runs and their batches as plain structs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "core/base/pin.h"
#include "core/base/result.h"
#include "core/row/row.h"
#include "server/db/provider.h"
#include "server/db/writer.h"
#include "server/queue/job_store.h"

namespace tunehub::server {

// A run without its number in the database. Times are RFC 3339. An empty `started` means now.
struct RunContent {
  std::string started, finished;
  std::optional<Provider> provider;
  std::string source;  // "": none
  std::optional<double> error_limit;
  std::optional<std::int64_t> job;  // the job whose results these are; stored if it is to verify
  std::string provenance = "{}";    // JSON object
  core::Hash128 hash;               // hash of the content
};

// True for a run by an admin's key, and for an import by a key limited to sources (docs/trust.md).
bool IsTrusted(const RunContent& content, const Writer& by);

struct RunRecord : RunContent {
  std::int64_t id = 0;
  std::string received, reverted;  // RFC 3339; "": none
  std::string owner;
  bool trusted = false;  // the result of IsTrusted
  // true: results of the owner's job to verify, or an admin accepted the run
  bool confirmed = false;
  bool active = true;
  std::int64_t rows = 0, stored = 0;    // all rows of the run; the rows that were new in its source
  std::optional<std::int64_t> repeats;  // the previous import, if it contained some of the rows
};

// A run with stored rows that another run repeats.
struct RepeatedRun {
  std::int64_t run = 0, rows = 0;
};

// Counts of a run's rows, by their result when they were stored.
struct RunTally {
  std::int64_t won = 0;          // shape keys
  std::int64_t quarantined = 0;  // rows
  std::vector<std::string> families;
};

struct BatchRecord {
  std::int64_t id = 0;
  std::string kind, received, receipt;
};

// The low bits of a measurement's id are the row's number in its batch.
inline constexpr int kBatchIdShift = 20;
inline constexpr std::size_t kMaxBatchRows = (1u << kBatchIdShift) - 1;

struct StagedRow {
  core::Row row;
  Provider provider = Provider::kAiter;
  std::int16_t family = 0;  // the family's number in the database
  std::size_t file = 0;     // index of the row's file
  std::string evidence;     // JSON with samples and other members; "": none
  bool is_default = false;  // the agent marks it as the default candidate
  bool searched = false;    // measured in a search over the candidates of its shape key
  bool best = false;        // the best row of its shape key and provider in this batch
  bool alone = false;  // no other candidate of its shape key and provider competes in this batch
};

struct FamilyOutcome {
  std::size_t stored = 0;   // new measurements, quarantined ones included
  std::size_t changed = 0;  // shape keys whose served row changed
  // shape keys whose served row is now a row of this batch, and was not before
  std::size_t won = 0;
  // shape keys that lost their served row, or whose served row lost its time
  std::size_t lost = 0;
  std::size_t emptied = 0;  // shape keys of `lost` that have no served row now
  // Shape keys whose row or reason changed, by the winner's certainty (core::WinReason).
  std::size_t tied = 0, likely = 0, sure = 0;

  FamilyOutcome& operator+=(const FamilyOutcome& more) {
    stored += more.stored;
    changed += more.changed;
    won += more.won;
    lost += more.lost;
    emptied += more.emptied;
    tied += more.tied;
    likely += more.likely;
    sure += more.sure;
    return *this;
  }
};

using FamilyOutcomes = std::map<std::int16_t, FamilyOutcome>;  // by the family's number

inline FamilyOutcome SumOf(const FamilyOutcomes& families) {
  FamilyOutcome sum;
  for (const auto& [family, outcome] : families) sum += outcome;
  return sum;
}

// A wrong or failed row of a batch, whose candidate competes with an earlier row.
struct Objection {
  std::size_t row = 0;   // the row's index in the batch
  double us = 0;         // the candidate's time; NaN: none
  std::int64_t run = 0;  // the run of that time
};

// A shape key that a source loses by an import.
struct GoingKey {
  std::string family, gfx;
  int cu_num = 0;
  std::string line;  // the line of one of the key's rows
};

// The loss by an import. Counts shape keys, not rows, because after a new tuning of a tree the same
// keys have other rows.
struct Shrinkage {
  // keys of the import in force; keys of these that the new import lacks
  std::size_t held = 0, going = 0;
  std::vector<GoingKey> keys;  // the first keys of `going`
};

// The loss of served rows, or of their times, in a family's table by an owner's writes.
struct Loss {
  std::string family, owner;
  std::size_t held = 0, lost = 0;  // shape keys
};

struct BatchOutcome : WriteOutcome {
  // the first id of the batch's measurements
  std::int64_t first_id() const { return batch << kBatchIdShift; }

  std::int64_t run = 0;
  FamilyOutcomes families;
  std::size_t unchanged = 0;            // rows that the run or its source already had
  std::size_t unchanged_competing = 0;  // unchanged rows that are not quarantined
  std::vector<std::size_t>
      // indices of rows that differ from earlier rows of the same run
      contradicting;
  std::vector<Objection> withdrawn;  // wrong rows, which exclude their candidates
  std::vector<Objection> in_doubt;   // failed rows of measured candidates: the served rows stay
  // rows that are implausible compared with other times of their shape keys
  std::vector<std::size_t> out_of_line;
  std::vector<std::size_t> unconfirmed;   // rows that wait for a confirmation
  std::vector<std::int64_t> verify_jobs;  // jobs planned for new doubts
  std::optional<core::Pin> revision;      // absent: no served row has changed
  // if set: nothing was stored, because the source would lose too many keys
  std::optional<Shrinkage> shrinkage;
  // if set: nothing was stored, because the table would lose too many keys
  std::optional<Loss> loss;
};

// A batch's result in a group. Absent: the batch must commit alone.
using GroupAnswer = std::optional<core::Result<BatchOutcome>>;

struct BatchRequest {
  std::string kind = "results";     // or "import"
  WriteRequest write;               // with atomic, contradicting rows are an error, too
  std::optional<std::int64_t> run;  // an existing run; absent: `new_run`
  RunContent new_run;
  bool supersede = false;  // replace earlier runs of new_run.source, in the same revision
  std::string content;     // digest that identifies a repeated import; "": none
  std::optional<core::Error>
      incomplete;     // why rows may be missing; this is an error if the batch would supersede runs
  std::string cause;  // the revision's cause: "results a8w8"
  // The families of the rows, with the sha256 of the family files that read the rows.
  std::map<std::int16_t, std::string> families;
  std::string targets_sha256;
  const std::vector<StagedRow>* rows = nullptr;  // from Fold; must outlive the call
  // Makes jobs that repeat the measurements of `rows`. Precondition: all rows have one target.
  // Leaves out shapes of `open` jobs.
  std::function<std::vector<JobContent>(const std::vector<const StagedRow*>& rows,
                                        const std::vector<JobContent>& open)>
      verify;
  // Errors: not_of_job (one of `rows` has a shape that the job does not have).
  std::function<core::Status(const JobContent& job, const std::vector<StagedRow>& rows)> of_job;
  // Makes the receipt, inside the transaction, from `rows` and from an outcome without a receipt.
  std::function<std::string(const BatchOutcome&, const std::vector<StagedRow>&)> render;
};

struct RevertedFamily {
  std::string family;
  std::size_t changed = 0;  // shape keys with another served row
  std::size_t emptied = 0;  // shape keys of `changed` without a row now
};

struct RevertOutcome {
  std::int64_t batch = 0;
  core::Pin revision;  // the revision after the revert; unchanged if no served row changed
  std::size_t changed = 0;
  std::vector<RevertedFamily> families;
};

struct AcceptOutcome : RevertOutcome {
  std::size_t accepted = 0;  // unconfirmed rows that compete now
};

}  // namespace tunehub::server

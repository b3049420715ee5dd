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

// A run before the database numbered it. Times are RFC 3339; an empty `started` means now.
struct RunContent {
  std::string started, finished;
  std::optional<Provider> provider;
  std::string source;  // "": none
  std::optional<double> error_limit;
  std::string provenance = "{}";  // JSON object
  core::Hash128 hash;             // of the content
};

// Whether the run is an admin's word, or an import upstream's own: what an admin imports, or a key
// that is limited to sources (docs/trust.md).
bool IsTrusted(const RunContent& content, const Writer& by);

struct RunRecord : RunContent {
  std::int64_t id = 0;
  std::string received, reverted;  // RFC 3339; "": none
  std::string owner;
  bool trusted = false;  // IsTrusted
  bool active = true;
  std::int64_t rows = 0, stored = 0;  // that it has, and those that its source did not have before
  std::optional<std::int64_t> repeats;  // the import before it, where that had some of the rows
};

// A run that stored rows which another one repeats.
struct RepeatedRun {
  std::int64_t run = 0, rows = 0;
};

// What became of a run's rows when they came.
struct RunTally {
  std::int64_t won = 0;          // keys
  std::int64_t quarantined = 0;  // rows
  std::vector<std::string> families;
};

struct BatchRecord {
  std::int64_t id = 0;
  std::string kind, received, receipt;
};

// One write to the registry, and what came of it.

// A batch's rows are numbered within so many bits of their ids.
inline constexpr int kBatchIdShift = 20;
inline constexpr std::size_t kMaxBatchRows = (1u << kBatchIdShift) - 1;

// A row of a batch.
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

struct FamilyOutcome {
  std::size_t stored = 0;   // new measurements, quarantined ones among them
  std::size_t changed = 0;  // keys whose served row changed
  std::size_t won = 0;      // keys that a row of this batch now holds and did not before
  std::size_t lost = 0;     // keys that lost their row, or the time of it
  std::size_t emptied = 0;  // those of them that lost their row

  FamilyOutcome& operator+=(const FamilyOutcome& more) {
    stored += more.stored;
    changed += more.changed;
    won += more.won;
    lost += more.lost;
    emptied += more.emptied;
    return *this;
  }
};

using FamilyOutcomes = std::map<std::int16_t, FamilyOutcome>;  // by the family's number

inline FamilyOutcome SumOf(const FamilyOutcomes& families) {
  FamilyOutcome sum;
  for (const auto& [family, outcome] : families) sum += outcome;
  return sum;
}

// What a row of a batch says against a candidate that stood by an earlier row.
struct Objection {
  std::size_t row = 0;   // its place in the batch
  double us = 0;         // the time that stood; NaN: none
  std::int64_t run = 0;  // and the run that it was of
};

// What goes from a source.
struct GoingKey {
  std::string family, gfx;
  int cu_num = 0;
  std::string line;  // of one of its rows
};

// By keys, not by rows: a tree that was tuned anew has other rows of the same keys.
struct Shrinkage {
  std::size_t held = 0, going = 0;  // keys of the import in force, and those of them that go
  std::vector<GoingKey> keys;       // the first of these
};

// What a family's table loses by an owner's writes, whatever they are: served rows, or the times
// of them.
struct Loss {
  std::string family, owner;
  std::size_t held = 0, lost = 0;  // keys
};

struct BatchOutcome : WriteOutcome {
  std::int64_t first_id() const { return batch << kBatchIdShift; }  // of its measurements

  std::int64_t run = 0;
  FamilyOutcomes families;
  std::size_t unchanged = 0;            // rows that the run, or its source, already had
  std::size_t unchanged_competing = 0;  // those of them that are not quarantined
  std::vector<std::size_t>
      contradicting;                 // indices of rows that the run already had, saying otherwise
  std::vector<Objection> withdrawn;  // wrong results: the candidates are out
  std::vector<Objection> in_doubt;   // failures of what was measured: nothing goes
  std::vector<std::size_t> out_of_line;    // rows that the times of others show to be implausible
  std::vector<std::int64_t> measure_jobs;  // that were planned for what is newly in doubt
  std::optional<core::Pin> revision;       // absent: nothing served has changed
  std::optional<Shrinkage> shrinkage;      // nothing was stored: it is not allowed
  std::optional<Loss> loss;                // the same
};

// What became of a batch that was to go with others; absent: it must go alone.
using GroupAnswer = std::optional<core::Result<BatchOutcome>>;

struct BatchRequest {
  std::string kind = "results";     // or "import"
  WriteRequest write;               // atomic: contradicting rows fail the batch, too
  std::optional<std::int64_t> run;  // an existing one; else `new_run`
  RunContent new_run;
  bool supersede = false;  // earlier runs of new_run.source go, in the same revision
  std::string content;     // of an import, by which the same one is known again; "": not at all
  std::optional<core::Error>
      incomplete;     // why rows may be missing; the answer where any run would go
  std::string cause;  // for the revision: "results a8w8"
  // The families that the rows belong to, and the sha256 of the files that the rows were read by.
  std::map<std::int16_t, std::string> families;
  std::string targets_sha256;
  const std::vector<StagedRow>* rows = nullptr;  // from Fold; must outlive the call
  // The jobs that measure `rows` of one target again, less what the open jobs of it hold.
  std::function<std::vector<JobContent>(const std::vector<const StagedRow*>& rows,
                                        const std::vector<JobContent>& open)>
      measure_again;
  // Renders the receipt, called inside the transaction with everything but `receipt` filled in and
  // with `rows`.
  std::function<std::string(const BatchOutcome&, const std::vector<StagedRow>&)> render;
};

struct RevertedFamily {
  std::string family;
  std::size_t changed = 0;  // keys whose served row is another one now
  std::size_t emptied = 0;  // of these, keys that nobody holds any more
};

struct RevertOutcome {
  std::int64_t batch = 0;
  core::Pin revision;  // the one after it; unchanged where nothing served has changed
  std::size_t changed = 0;
  std::vector<RevertedFamily> families;
};

}  // namespace tunehub::server

// Parses a request for a tuned table, and checks it against the family.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/pin.h"
#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/row/cell.h"
#include "core/row/target.h"
#include "server/db/provider.h"
#include "server/snapshots/revision_records.h"
#include "server/tables/builds.h"
#include "server/tables/provenance.h"

namespace tunehub::server {

// Decoded name=value pairs.
using Parameters = std::vector<std::pair<std::string, std::string>>;

struct FileForm;

// A requested target: "gfx950:256", "gfx950", "*:256".
std::string TextOf(const core::Target& target);

struct ColumnFilter {
  std::size_t column;               // a key column
  std::vector<std::string> values;  // canonical; the row must have one of them
};

inline constexpr std::int64_t kMaxTp = 1024;  // limit of a request; no model uses more

// The kind of row that an answer must have for each of the model's shapes.
enum class Require {
  kNothing,
  kPadded,  // a tuned row, exact or padded
  kExact,   // a tuned row of the shape itself
};

struct TunedQuery {
  std::vector<core::Target> targets;  // a row matches any of them; empty: all
  std::optional<Provider> provider;
  std::vector<ColumnFilter> columns;  // a row matches all of them
  // choose the best candidate of these libtypes; empty: no such choice
  std::vector<std::string> libtypes;
  std::optional<BuildName> build;  // only rows that the build can run
  ProvenanceFilter runs;           // choose the best measurement of these runs
  // Preferred runs: other runs count only for shape keys that no preferred run measured.
  ProvenanceFilter preferred;
  std::optional<double> max_err;  // choose the best candidate with at most this error
  std::string source;  // choose the best measurement of the source's import in force; "": any
  std::optional<core::Pin> revision;
  bool measured_only = false;
  bool tuned_only = false;  // true: leave out unmeasured rows and baselines
  bool legacy = false;
  bool json = false;
  bool allow_empty = false;
  bool prune = false;   // true: leave out rows that the padded lookup does not need
  std::string model;    // only rows of sizes that the model uses; "": all
  std::int64_t tp = 0;  // the number of GPUs over which the model is split; 0: no model
  Require require = Require::kNothing;
  bool fill = false;  // true: add a heuristic's rows for shapes without a row
  // If not null, the answer is a reader's file or tree.
  std::shared_ptr<const FileForm> form;
  // For a tree, and for a request with a pin's token: the text of the request in the signature
  // (core::AskedText). "": the hub does not sign the answer.
  std::string asked;
  core::Pin at;           // the rows' revision, once the rows are known
  std::string canonical;  // equal for requests with the same answer

  // True if the answer is the best of some candidates. Such an answer may change without a new
  // revision.
  bool chooses() const { return among_candidates() || (build && !revision); }
  bool among_candidates() const { return !libtypes.empty() || max_err || of_runs(); }
  bool any_run() const { return runs.empty() && source.empty(); }
  bool of_runs() const { return !runs.empty() || !preferred.empty() || !source.empty(); }
  bool narrows() const { return prune || !model.empty(); }
};

// Errors, with the allowed values: unknown_parameter, bad_parameter, bad_max_err, unknown_gfx,
// bad_build_name.
core::Result<TunedQuery> ParseTunedQuery(const core::Family& family, const core::Targets& targets,
                                         const Parameters& parameters);

// True if the row passes the query's filters. `scratch` is reused between rows.
bool IsSelected(const TunedRow& row, const TunedQuery& query, std::string& scratch);

// True if the query names no libtypes, or names the libtype of these cells.
bool IsAskedLibtype(const core::Family& family, const TunedQuery& query, const core::Cells& cells);

// True if the row's shape key passes the query's filters of key columns and targets, whatever the
// row's other values.
bool HasKeyOf(const core::Family& family, const TunedRow& row, const TunedQuery& query,
              std::string& scratch);

}  // namespace tunehub::server

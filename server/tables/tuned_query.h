// What a request for a tuned table asks for, parsed once and checked against the family.
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
#include "core/row/target.h"
#include "server/db/provider.h"
#include "server/tables/builds.h"
#include "server/tables/provenance.h"

namespace tunehub::server {

// Decoded name=value pairs.
using Parameters = std::vector<std::pair<std::string, std::string>>;

struct FileForm;

// Of a target that is asked for: "gfx950:256", "gfx950", "*:256".
std::string TextOf(const core::Target& target);

struct ColumnFilter {
  std::size_t column;               // a key column
  std::vector<std::string> values;  // canonical; any of them
};

// What of a model's shapes must be found for an answer to be given.
enum class Require {
  kNothing,
  kPadded,  // a tuned row, exact or padded
  kExact,   // a tuned row of the shape itself
};

struct TunedQuery {
  std::vector<core::Target> targets;  // any of them; empty: all
  std::optional<Provider> provider;
  std::vector<ColumnFilter> columns;  // all of them
  std::vector<std::string> libtypes;  // the best among the candidates of these; empty: no choice
  std::optional<BuildName> build;     // only what it can run
  ProvenanceFilter runs;              // the best among the measurements of these
  // Of each key first among the measurements of these; where they have none, among the others.
  ProvenanceFilter preferred;
  std::optional<double> max_err;  // the best among candidates of at most this error
  std::string source;             // the best among what its import in force has; "": any
  std::optional<core::Pin> revision;
  bool measured_only = false;
  bool tuned_only = false;  // neither unmeasured rows nor baselines
  bool legacy = false;
  bool json = false;
  bool allow_empty = false;
  bool prune = false;   // without rows that the padded lookup does not need
  std::string model;    // the rows of its products; "": all
  std::int64_t tp = 0;  // GPUs that it is split over; 0: no model
  Require require = Require::kNothing;
  bool fill = false;  // rows of a heuristic's choice for what the model finds no row for
  // Not null: the rows are answered as a reader's file or tree.
  std::shared_ptr<const FileForm> form;
  std::string canonical;  // equal for requests that have the same answer

  // The answer is the best of some of the candidates, which grow without a revision.
  bool chooses() const { return among_candidates() || (build && !revision); }
  bool among_candidates() const { return !libtypes.empty() || max_err || of_runs(); }
  bool of_runs() const { return !runs.empty() || !preferred.empty() || !source.empty(); }
  bool narrows() const { return prune || !model.empty(); }
};

// Errors: unknown_parameter, bad_parameter, bad_max_err, unknown_gfx, bad_build_name, each with
// what is allowed.
core::Result<TunedQuery> ParseTunedQuery(const core::Family& family, const core::Targets& targets,
                                         const Parameters& parameters);

}  // namespace tunehub::server

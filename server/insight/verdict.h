// Judges if a target's tables are safe for a model in a build. The verdict lists the shapes and
// rows that decided.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/shapes/engine_reads.h"
#include "server/insight/coverage.h"
#include "server/tables/bundle.h"
#include "server/tables/tuned_tables.h"

namespace tunehub::server {

// Concerns about a table. Each concern has a list of shapes or rows.
enum class Concern {
  kMissing,       // shapes of the model without a row
  kUnmeasured,    // shapes whose row has no measured time
  kSubstituted,   // rows that replace rows that the build cannot run
  kLeftOut,       // rows that the build cannot run, without a substitute
  kNeedsRebuild,  // rows that need a rebuild, in the table or left out
  // shapes whose lookup finds a row of another CU count, or with other values in columns that it
  // does not compare
  kBorrowed,
};
inline constexpr std::size_t kConcerns = 6;
inline constexpr std::array<std::string_view, kConcerns> kConcernNames = {
    "missing", "unmeasured", "substituted", "left_out", "needs_rebuild", "borrowed"};

enum class Safety {
  kSafe,           // the build runs every row, and each shape has a measured row
  kNotSafe,        // at least one shape is missing or unmeasured
  kNobodyChecked,  // no build was named, or the storage of some layers is unknown
  kNothingAsked,   // the model uses none of these tables
};
inline std::string_view Name(Safety safety) {
  constexpr std::string_view kNames[] = {"safe", "not_safe", "nobody_checked", "nothing_asked"};
  return kNames[static_cast<std::size_t>(safety)];
}

struct VerdictCounts {
  std::int64_t rows = 0;      // rows of the tables
  std::int64_t asked = 0;     // shapes of the model
  std::int64_t baseline = 0;  // shapes whose row is a baseline
  std::int64_t waiting = 0;   // shapes whose row needs a rebuild
  std::array<std::int64_t, kConcerns> of{};

  std::int64_t& operator[](Concern concern) { return of.at(static_cast<std::size_t>(concern)); }
  std::int64_t operator[](Concern concern) const {
    return of.at(static_cast<std::size_t>(concern));
  }
  void Add(const VerdictCounts& other);
};

using VerdictLists = std::array<nlohmann::ordered_json, kConcerns>;  // by Concern

// Says if the verdict judges a table's shapes, and why.
struct Judged {
  bool is = true;
  std::string why;
  // if not judged: the storage formats for which engines use the table
  std::vector<std::string> stored_as;
};

struct FamilyVerdict {
  const core::Family* family = nullptr;
  VerdictCounts counts;
  std::string sha256;  // digest of the table; "": no row, so no file
  Judged judged;
};

struct Verdict {
  std::string build;  // NAME@SHA256; "": none was named
  VerdictCounts counts;
  // families with rows or shapes, or whose table is read for another storage format
  std::vector<FamilyVerdict> families;
  // The model's coverage by the engine's tables. Absent if the request names no engine, if it names
  // a family, or if the storage of some layers is unknown.
  std::optional<analysis::BucketShare> share;
  std::vector<core::SplitFinding> notes;      // core::NotesOf the model
  bool is_stored_known = true;                // false: the storage of some layers is unknown
  std::vector<analysis::UnreadLayer> unread;  // layers that read no table of the engine
  // For each Concern: a complete array of the counted shapes or rows, by family, with reasons.
  VerdictLists lists;

  Safety safety() const;
};

struct VerdictQuestion {
  core::Target target;                        // the device's target
  ModelRequest model;                         // the model whose shapes are judged
  const core::Family* family = nullptr;       // null: every table of the bundle
  const core::EngineReads* engine = nullptr;  // the engine whose tables are judged; null: any
  std::string rocm;                           // the engine's ROCm version; "": the newest
  Parameters tables;                          // parameters of GET /bundle, without the revision
  BundleRevision revision;
};

// Errors: those of MakeBundle except no_rows, and those of CoverageService::OfModel.
core::Result<Verdict> MakeVerdict(const Definitions& definitions, TunedTables& tables,
                                  CoverageService& coverage, VerdictQuestion question);

}  // namespace tunehub::server

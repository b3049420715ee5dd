// Whether the tables of a target are safe for a model in a build, with every shape and row behind
// that.
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
#include "server/tables/model_shapes.h"
#include "server/tables/tuned_tables.h"

namespace tunehub::server {

// What there may be to say about a table, a list each.
enum class Concern {
  kMissing,       // shapes that the model asks for and no row answers
  kUnmeasured,    // shapes whose row has a time that nobody can trust
  kSubstituted,   // rows that stand in the place of others, which the build cannot run
  kLeftOut,       // rows that the build cannot run, without another in their place
  kNeedsRebuild,  // rows that wait for a module to be built again, in the table or left out
  kBorrowed,      // shapes that the lookup answers by the row of another CU count or variant
};
inline constexpr std::size_t kConcerns = 6;
inline constexpr std::array<std::string_view, kConcerns> kConcernNames = {
    "missing", "unmeasured", "substituted", "left_out", "needs_rebuild", "borrowed"};

enum class Safety {
  kSafe,           // the build runs every row, and every shape that is asked for has a measured row
  kNotSafe,        // some shape is missing or unmeasured
  kNobodyChecked,  // no build was named, so a row may name a kernel that is not there
  kNothingAsked,   // no table of these is asked by the model
};
inline std::string_view Name(Safety safety) {
  constexpr std::string_view kNames[] = {"safe", "not_safe", "nobody_checked", "nothing_asked"};
  return kNames[static_cast<std::size_t>(safety)];
}

struct VerdictCounts {
  std::int64_t rows = 0;      // of the tables
  std::int64_t asked = 0;     // shapes
  std::int64_t baseline = 0;  // of them, answered by a row of what runs untuned
  std::int64_t waiting = 0;   // of them, answered by a row that has effect after a rebuild
  std::array<std::int64_t, kConcerns> of{};

  std::int64_t& operator[](Concern concern) { return of.at(static_cast<std::size_t>(concern)); }
  std::int64_t operator[](Concern concern) const {
    return of.at(static_cast<std::size_t>(concern));
  }
  void Add(const VerdictCounts& other);
};

using VerdictLists = std::array<nlohmann::ordered_json, kConcerns>;  // by Concern

// Whether the shapes of a table were judged, and why.
struct Judged {
  bool is = true;
  std::string why;
  std::vector<std::string> stored_as;  // where it is not: how a model is stored that reads it
};

struct FamilyVerdict {
  const core::Family* family = nullptr;
  VerdictCounts counts;
  std::string sha256;  // of the table; "": it has no row, and so no file
  Judged judged;
};

struct Verdict {
  std::string build;  // NAME@SHA256; "": none was named
  VerdictCounts counts;
  std::vector<FamilyVerdict> families;  // with rows, asked, or read of a model stored otherwise
  std::string sums_sha256;              // of the bundle's SHA256SUMS
  // The model's coverage by the tables that the engine reads; nothing: no engine was named, or one
  // family alone is judged.
  std::optional<analysis::BucketShare> share;
  std::vector<core::SplitFinding> notes;  // core::NotesOf the model
  bool is_stored_known = true;  // false: how some layers are stored is not, and there is no share
  std::vector<analysis::UnreadLayer> unread;  // where there is a share: layers that read no table
  // By Concern: arrays of what is counted, by family, each with why. As many as the counts say.
  VerdictLists lists;

  Safety safety() const;
};

struct VerdictQuestion {
  core::Target target;                        // of the device that asks
  ModelRequest model;                         // for what is asked
  const core::Family* family = nullptr;       // null: every table of the bundle
  const core::EngineReads* engine = nullptr;  // whose tables are judged; null: any engine's
  std::string rocm;                           // with which it reads them; "": the newest
  Parameters tables;                          // as GET /bundle takes them, without the revision
  BundleRevision revision;
};

// Errors: those of MakeBundle but no_rows, and of CoverageService::OfModel.
core::Result<Verdict> MakeVerdict(const Definitions& definitions, TunedTables& tables,
                                  CoverageService& coverage, VerdictQuestion question);

}  // namespace tunehub::server

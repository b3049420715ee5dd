// Served rows, now or at a revision, as plain structs.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "core/base/pin.h"
#include "core/row/standing.h"
#include "core/row/winner.h"
#include "server/db/provider.h"

namespace tunehub::server {

struct TunedRow {
  core::Hash128 key;
  std::string order;
  std::string line;  // in the columns of the current family version
  std::string gfx;
  int cu_num = 0;
  Provider provider = Provider::kAiter;
  core::Standing standing = core::Standing::kMeasured;
  double us = 0;             // NaN: none
  bool baseline = false;     // only the default was measured: served, but not tuned
  bool trusted = true;       // the row's run is upstream's or an admin's
  bool engine_says = false;  // true: the family's shape keys name the engine, which is the provider

  // True if a query without a provider gets the row.
  bool by_default() const { return engine_says || provider == DefaultProvider(gfx); }
};

struct TunedRecord {
  std::shared_ptr<TunedRow> row;  // row->line has the columns of `family_version`
  int family_version = 0;
  bool served = true;  // false: the shape key lost its row (only in a delta)
};

struct SnapshotDelta {
  std::vector<TunedRecord> rows;  // in order
  core::Pin family_revision;      // the last revision that changed this family; 0: none
  std::int64_t change = 0;        // the next call's `after_change`
  int family_version = 0;
};

// Identifies a family's table at a revision.
struct PastHead {
  core::Pin revision;  // the requested revision
  // the last revision, up to the requested one, that changed the family; 0: none
  core::Pin family_revision;
  int family_version = 1;
  std::string body_sha256;  // "": not rendered yet
};

struct PastTable : PastHead {
  // The rows have no order. Only values that are not cells of the line are set: key, provider,
  // standing, ...
  std::vector<TunedRecord> rows;
};

// Requested shape keys, which a server listed from its memory.
struct PastKeys {
  std::vector<core::Hash128> keys;
  core::Pin of;  // the family's newest revision when the server listed the keys
  // The query adds keys that are missing in the list: keys without a current row, and keys that a
  // later batch than this changed.
  std::int64_t after_change = 0;
  std::size_t most_others = 0;  // limit of the added keys
};

struct RevisionRecord {
  struct Family {
    std::string name;
    int version = 0;
    std::int64_t changed = 0;
    std::string body_sha256;
  };
  core::Pin revision;
  std::string created, kind, cause;
  std::vector<Family> families;
};

struct Heads {
  core::Pin revision;
  // The last write to each family: the number of rows written so far, and the write's random token.
  // The write may not have changed a served row.
  std::map<std::int16_t, core::Pin> evidence;
  std::map<std::int16_t, core::Pin> families;  // the last revision that changed each family
  core::Pin origin;                            // revision 0, for families that no revision changed
  std::string known;  // the current token of the requested revision; "": no such revision

  const core::Pin& Of(std::int16_t family) const {
    const auto head = families.find(family);
    return head == families.end() ? origin : head->second;
  }
};

// The newest revision that changed a target's served rows of a family.
struct TargetHead {
  std::string gfx;
  int cu_num = 0;
  std::int64_t change = 0;
  core::Pin revision;
  std::string created;
};

// Consecutive revisions with the same cause.
struct ChangeLine {
  std::int64_t first = 0, last = 0;  // revision numbers
  std::string latest;                // time of the revision `last`
  std::string kind, cause;
  std::vector<std::int64_t> runs;             // the newest runs of these revisions
  std::int64_t run_count = 0;                 // the number of all runs of these revisions
  std::map<std::int16_t, std::int64_t> keys;  // changed shape keys by family, each counted once
};

// The time of a shape key's row before another row replaced it.
struct EarlierTime {
  std::int16_t family = 0;
  core::Hash128 key;
  double us = 0;
};

// The row of a shape key at one of two compared revisions.
struct StateRow {
  std::string line;
  double us = std::numeric_limits<double>::quiet_NaN();  // NaN: none
  int family_version = 0;                                // the version of the line's columns
  std::int64_t run = 0;
  core::Standing standing = core::Standing::kMeasured;
  bool baseline = false;  // only the default was measured
  bool trusted = true;    // the run that stored the row is upstream's or an admin's
};

// The last revision, up to the later compared one, that changed a shape key's row.
struct LastChange {
  std::int64_t revision = 0;
  std::string kind, cause;
  std::optional<std::int64_t> run;  // the run that was added or reverted
};

struct DifferenceRecord {
  core::Hash128 key;
  Provider provider = Provider::kAiter;
  std::string gfx;
  int cu_num = 0;
  std::optional<StateRow> before, after;  // at least one is set
  LastChange change;
};

struct RevisionBefore {
  core::Pin revision;
  std::string created;
  bool is_first = false;  // no revision is old enough, so this is the first revision
};

// The time of a current or earlier winner of the requested shape key number `place`.
struct WinnerTime {
  std::size_t place = 0;  // index from 0
  std::int64_t revision = 0;
  double us = 0;           // NaN: no measured time
  std::int64_t until = 0;  // the revision that replaced the winner; 0: none
  core::TimeBounds bounds = {};
};

}  // namespace tunehub::server

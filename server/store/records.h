// What the store answers: rows of its tables as plain structs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/hash128.h"
#include "core/row/standing.h"
#include "core/row/winner.h"
#include "server/registry/provider.h"

namespace tunehub::store {

struct FamilyRecord {
  std::int16_t id = 0;
  std::string name;
  int version = 0;
};

// A run before the database numbered it. Times are RFC 3339; an empty `started` means now.
struct RunContent {
  std::string started, finished;
  std::optional<registry::Provider> provider;
  std::string source;  // "": none
  std::optional<double> error_limit;
  std::string provenance = "{}";  // JSON object
  core::Hash128 hash;             // of the content
};

struct RunRecord {
  std::int64_t id = 0;
  std::string started, finished, received, reverted;  // RFC 3339; "": none
  std::optional<registry::Provider> provider;
  std::string source;
  std::optional<double> error_limit;
  std::string provenance;  // JSON
  core::Hash128 hash;
  bool active = true;
};

// A run as those see it who choose among runs.
struct ProvenanceRecord {
  std::int64_t run = 0;
  std::int64_t started = 0;  // microseconds since 1970
  std::string provenance;    // JSON
};

struct BatchRecord {
  std::int64_t id = 0;
  std::string kind, received, receipt;
};

// One served row.
struct TunedRecord {
  core::Hash128 key;
  std::string order;
  std::string line;
  std::string gfx;
  int cu_num = 0;
  registry::Provider provider = registry::Provider::kAiter;
  core::Standing standing = core::Standing::kMeasured;
  int family_version = 0;  // of the line's columns
  double us = 0;
  bool baseline = false;  // nothing but what runs untuned was measured
  bool served = true;     // false, in a delta: the key has lost its row
};

struct SnapshotDelta {
  std::vector<TunedRecord> rows;     // in order
  std::int64_t revision = 0;         // the registry's, in the same transaction
  std::int64_t family_revision = 0;  // the last one that changed this family; 0: none
  std::int64_t change = 0;           // to pass as `after_change` next time
  std::int64_t evidence = 0;
  int family_version = 0;
};

struct PastRow {
  std::string line;
  int family_version = 0;
  core::Standing standing = core::Standing::kMeasured;
  registry::Provider provider = registry::Provider::kAiter;
  bool baseline = false;
};

struct PastTable {
  std::vector<PastRow> rows;  // in no order
  std::int64_t family_revision =
      0;  // the last one up to the asked one that changed the family; 0: none
  int family_version = 1;
  std::string body_sha256;  // "": not rendered yet
};

// A candidate that competes for a key.
struct CandidateRecord {
  core::Hash128 key;
  registry::Provider provider = registry::Provider::kAiter;
  core::Contender contender;
  std::string line;
  int family_version = 0;
};

struct MeasurementRecord {
  std::int64_t id = 0;
  std::int64_t run = 0;
  core::Hash128 candidate;
  registry::Provider provider = registry::Provider::kAiter;
  double us = 0, error = 0;  // NaN: none
  core::Standing standing = core::Standing::kMeasured;
  std::string reason, line, evidence;  // evidence: JSON or ""
  int family_version = 0;
  bool is_default = false, searched = false;  // as who measured it says
  bool competes = false;                      // its candidate stands by it
  bool withdraws = false;  // it is wrong, and its candidate is out until it is measured right
  bool doubts = false;     // it failed, after the run by whose time its candidate stands
  std::optional<core::WinReason> won;  // it holds the key now, and why
  bool baseline = false;               // it holds the key, which is a baseline
};

struct TunedHistoryRecord {
  registry::Provider provider = registry::Provider::kAiter;
  std::int64_t measurement = 0;
  std::int64_t from_revision = 0;
  std::int64_t to_revision = 0;  // 0: holds it now
};

struct RevisionRecord {
  struct Family {
    std::string name;
    int version = 0;
    std::int64_t changed = 0;
    std::string body_sha256;
  };
  std::int64_t number = 0;
  std::string created, kind, cause;
  std::vector<Family> families;
};

struct KeyRecord {
  std::int64_t id = 0;
  std::string sha256, hint, scope;
  std::string created, expires, last_used, revoked;  // RFC 3339; "": never
};

struct KeyList {
  std::int64_t epoch = 0;  // of a later change: a larger one
  std::vector<KeyRecord> keys;
};

struct Heads {
  std::int64_t revision = 0;
  std::int64_t evidence = 0;
  std::map<std::int16_t, std::int64_t> families;  // the last revision that changed each
};

}  // namespace tunehub::store

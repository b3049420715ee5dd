// What is served, now or at a revision, as plain structs.
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
#include "server/db/provider.h"

namespace tunehub::server {

struct TunedRow {
  core::Hash128 key;
  std::string order;
  std::string line;  // in the columns of the family version in force
  std::string gfx;
  int cu_num = 0;
  Provider provider = Provider::kAiter;
  core::Standing standing = core::Standing::kMeasured;
  double us = 0;             // NaN: none
  bool baseline = false;     // nothing but what runs untuned was measured: served, and not tuned
  bool trusted = true;       // upstream's or an admin's
  bool engine_says = false;  // the family's key names the engine, which is the provider

  // It is served where nobody asks for a provider.
  bool by_default() const { return engine_says || provider == DefaultProvider(gfx); }
};

// A row as it is stored.
struct TunedRecord {
  std::shared_ptr<TunedRow> row;  // its line is in the columns of `family_version`
  int family_version = 0;
  bool served = true;  // false, in a delta: the key has lost its row
};

struct SnapshotDelta {
  std::vector<TunedRecord> rows;  // in order
  core::Pin family_revision;      // the last one that changed this family; 0: none
  std::int64_t change = 0;        // to pass as `after_change` next time
  int family_version = 0;
};

// What a family's table at a revision is.
struct PastHead {
  core::Pin revision;         // the asked one
  core::Pin family_revision;  // the last one up to it that changed the family; 0: none
  int family_version = 1;
  std::string body_sha256;  // "": not rendered yet
};

struct PastTable : PastHead {
  // In no order. Of a row only what is not in its line: key, provider, standing, ...
  std::vector<TunedRecord> rows;
};

// The keys whose rows are asked for.
struct PastKeys {
  std::vector<core::Hash128> keys;
  core::Pin of;  // the newest revision of the family when they were listed
  // Beside these all that hold no row now, or that a batch after this one changed: who lists the
  // keys from memory cannot know them.
  std::int64_t after_change = 0;
  std::size_t most_others = 0;  // of them
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
  // How often measurements came or went, also where nothing that is served changed.
  core::Pin writes;
  std::map<std::int16_t, core::Pin> families;  // the last revision that changed each
  core::Pin origin;                            // revision 0: that of a family that none changed
  std::string known;  // the token of the revision that was asked about; "": there is none such

  const core::Pin& Of(std::int16_t family) const {
    const auto head = families.find(family);
    return head == families.end() ? origin : head->second;
  }
};

// The newest revision that changed what a target is served of a family.
struct TargetHead {
  std::string gfx;
  int cu_num = 0;
  std::int64_t change = 0;
  core::Pin revision;
  std::string created;
};

// Neighbouring revisions of one cause.
struct ChangeLine {
  std::int64_t first = 0, last = 0;  // their numbers
  std::string latest;                // when the last was made
  std::string kind, cause;
  std::vector<std::int64_t> runs;             // the newest of those behind them
  std::int64_t run_count = 0;                 // of all
  std::map<std::int16_t, std::int64_t> keys;  // by family: those that changed, each once
};

// What a key was served with before it was replaced.
struct EarlierTime {
  std::int16_t family = 0;
  core::Hash128 key;
  double us = 0;
};

// What families serve now and served at a revision, key by key.

// The row that a key is served in one of the states.
struct StateRow {
  std::string line;
  double us = std::numeric_limits<double>::quiet_NaN();  // NaN: none
  int family_version = 0;                                // of the line's columns
  std::int64_t run = 0;
  core::Standing standing = core::Standing::kMeasured;
  bool baseline = false;  // nothing but what runs untuned was measured
  bool trusted = true;    // the run that brought it first is upstream's or an admin's
};

// A revision that was the last to change keys.
struct LastChange {
  std::int64_t revision = 0;
  std::string kind, cause;
  std::optional<std::int64_t> run;  // that came or went with it
};

struct DifferenceRecord {
  core::Hash128 key;
  Provider provider = Provider::kAiter;
  std::string gfx;
  int cu_num = 0;
  std::optional<StateRow> before, now;  // one of them at least
  LastChange change;
};

struct RevisionBefore {
  core::Pin revision;
  std::string created;
  bool is_first = false;  // of the registry, which is younger than that
};

// Of one key, asked as the `place`th.
struct WinnerTime {
  std::size_t place = 0;  // from 0
  std::int64_t revision = 0;
  double us = 0;  // NaN: it had none that can be believed
};

}  // namespace tunehub::server

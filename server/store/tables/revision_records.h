// What is served, now or at a revision, as plain structs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/hash128.h"
#include "core/base/pin.h"
#include "core/row/standing.h"
#include "server/registry/provider.h"

namespace tunehub::store {

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
  bool trusted = true;    // the run that brought it first is upstream's or an admin's
  bool served = true;     // false, in a delta: the key has lost its row
};

struct SnapshotDelta {
  std::vector<TunedRecord> rows;  // in order
  core::Pin family_revision;      // the last one that changed this family; 0: none
  std::int64_t change = 0;        // to pass as `after_change` next time
  int family_version = 0;
};

struct PastRow {
  core::Hash128 key;
  std::string line;
  int family_version = 0;  // of the line's columns
  core::Standing standing = core::Standing::kMeasured;
  registry::Provider provider = registry::Provider::kAiter;
  bool baseline = false;
  bool trusted = true;
};

// What a family's table at a revision is.
struct PastHead {
  core::Pin revision;         // the asked one
  core::Pin family_revision;  // the last one up to it that changed the family; 0: none
  int family_version = 1;
  std::string body_sha256;  // "": not rendered yet
};

// The last revision under one version of a family file.
struct VersionHead {
  core::Pin revision;
  int version = 0;
};

struct PastTable : PastHead {
  std::vector<PastRow> rows;  // in no order
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

}  // namespace tunehub::store

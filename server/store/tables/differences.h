// What families serve now and served at a revision, key by key.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "core/base/hash128.h"
#include "core/base/pin.h"
#include "core/row/standing.h"
#include "server/registry/provider.h"

namespace tunehub::store {

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

struct DifferenceRecord {
  core::Hash128 key;
  registry::Provider provider = registry::Provider::kAiter;
  std::string gfx;
  int cu_num = 0;
  std::optional<StateRow> before, now;  // one of them at least
  std::int64_t revision = 0;            // the last that changed it
  std::string kind, cause;              // of that revision
  std::optional<std::int64_t> run;      // that came or went with it
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

}  // namespace tunehub::store

// Runs and their batches as plain structs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/hash128.h"
#include "server/registry/provider.h"
#include "server/store/connection/writer.h"

namespace tunehub::store {

// A run before the database numbered it. Times are RFC 3339; an empty `started` means now.
struct RunContent {
  std::string started, finished;
  std::optional<registry::Provider> provider;
  std::string source;  // "": none
  std::optional<double> error_limit;
  std::string provenance = "{}";  // JSON object
  core::Hash128 hash;             // of the content
};

// Whether the run is an admin's word, or an import upstream's own: what an admin imports, or a key
// that is limited to sources (docs/trust.md).
bool IsTrusted(const RunContent& content, const Writer& by);

struct RunRecord {
  std::int64_t id = 0;
  std::string started, finished, received, reverted;  // RFC 3339; "": none
  std::optional<registry::Provider> provider;
  std::string source;
  std::optional<double> error_limit;
  std::string provenance;  // JSON
  core::Hash128 hash;
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

}  // namespace tunehub::store

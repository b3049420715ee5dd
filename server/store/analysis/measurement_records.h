// Measurements and the candidates that compete by them, as plain structs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/hash128.h"
#include "core/row/standing.h"
#include "core/row/winner.h"
#include "server/registry/provider.h"

namespace tunehub::store {

// A run as those see it who choose among runs.
struct ProvenanceRecord {
  std::int64_t run = 0;
  std::int64_t started = 0;  // microseconds since 1970
  std::string provenance;    // JSON
};

// A candidate that competes for a key.
struct CandidateRecord {
  core::Hash128 key;
  registry::Provider provider = registry::Provider::kAiter;
  core::Contender contender;
  std::string line;
  int family_version = 0;
};

using VisitCandidate = std::function<void(CandidateRecord&)>;

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
  bool reverted = false;                      // its run was taken back
  bool competes = false;                      // its candidate stands by it
  bool withdraws = false;  // it is wrong, and its candidate is out until it is measured right
  bool doubts = false;     // it failed, after the run by whose time its candidate stands
  std::optional<core::WinReason> won;  // it holds the key now, and why
  bool baseline = false;               // it holds the key, which is a baseline
};

struct KeyMeasurements {
  std::vector<MeasurementRecord> rows;
  std::int64_t total = 0;  // that there are
  bool in_doubt = false;   // one of all of them doubts what the key is held by
};

struct TunedHistoryRecord {
  registry::Provider provider = registry::Provider::kAiter;
  std::int64_t measurement = 0;
  std::int64_t from_revision = 0;
  std::int64_t to_revision = 0;  // 0: holds it now
};

}  // namespace tunehub::store

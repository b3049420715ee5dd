// Checks that all stored results follow from the measurements. Stores nothing. Servers may write at
// the same time. Every call may throw Unavailable. Calls are safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/hash.h"

namespace tunehub::server {

class ConnectionPool;

// The most sentences per kind of finding. More findings are only counted.
inline constexpr std::size_t kMostSentences = 20;

// The findings of one check.
struct Check {
  std::string of;                      // "tuned rows"
  std::int64_t wrong = 0;              // number of findings
  std::vector<std::string> sentences;  // about the first findings
};

// A revision of a family with a known digest.
struct DigestRecord {
  std::string family;
  std::int16_t id = 0;  // the family's number in the database
  std::int64_t revision = 0;
  bool is_newest = false;  // true: the newest digest of its family
};

// A measurement: its line and its columns.
struct LineRecord {
  std::int64_t id = 0, run = 0;
  core::Hash128 key, candidate;
  double us = 0, error = 0;  // NaN: none
  std::int16_t family = 0;
  int family_version = 0;
  std::string line;
  std::optional<double> error_limit;  // the error limit of its run
  int standing = 0;
};

class VerifyStore {
 public:
  explicit VerifyStore(ConnectionPool& pool) : pool_(pool) {}

  // Runs the checks that need only the database, in one snapshot. They check all references and
  // choose every tuned row again. The same statements as for batches make this choice, on temporary
  // tables. So no second copy of the rule can differ.
  std::vector<Check> RunChecks();
  std::vector<DigestRecord> Digests();
  // Returns the next `limit` lines after `last`, the last record of the previous call. Without
  // `last`, begins at the start.
  std::vector<LineRecord> Lines(const std::optional<LineRecord>& last, std::size_t limit);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server

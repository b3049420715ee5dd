// Checks that everything stored follows from the measurements. Stores nothing, and servers may
// write meanwhile; every call may throw Unavailable; calls are safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/hash.h"

namespace tunehub::server {

class ConnectionPool;

// The most sentences per kind of finding; the rest is only counted.
inline constexpr std::size_t kMostSentences = 20;

// The findings of one check.
struct Check {
  std::string of;                      // "tuned rows"
  std::int64_t wrong = 0;              // number of findings
  std::vector<std::string> sentences;  // about the first findings, with their numbers
};

// A revision of a family whose digest is known.
struct DigestRecord {
  std::string family;
  std::int16_t id = 0;  // of the family
  std::int64_t revision = 0;
  bool is_newest = false;  // of its family's digests
};

// A measurement, by its line and by its columns.
struct LineRecord {
  std::int64_t id = 0, run = 0;
  core::Hash128 key, candidate;
  double us = 0, error = 0;  // NaN: none
  std::int16_t family = 0;
  int family_version = 0;
  std::string line;
  std::optional<double> error_limit;  // of its run
  int standing = 0;
};

class VerifyStore {
 public:
  explicit VerifyStore(ConnectionPool& pool) : pool_(pool) {}

  // The checks that need only the database, in one snapshot of it: all references, and every tuned
  // row chosen again by the statements of the batches. The statements run on temporary tables, so
  // there is no second form of the rule that could differ.
  std::vector<Check> RunChecks();
  std::vector<DigestRecord> Digests();
  // The next `limit` after `last`, the previous call's last record; none: the first.
  std::vector<LineRecord> Lines(const std::optional<LineRecord>& last, std::size_t limit);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server

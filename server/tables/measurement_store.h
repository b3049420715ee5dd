// Measurements and the candidates that compete by them, as plain structs. No server keeps those
// that lost in memory: their number only grows. They are read by a cursor, row by row.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "core/row/standing.h"
#include "server/db/provider.h"

namespace tunehub::server {

// A run as those see it who choose among runs.
struct ProvenanceRecord {
  std::int64_t run = 0;
  std::int64_t started = 0;  // microseconds since 1970
  std::string provenance;    // JSON
};

// A candidate that competes for a key.
struct CandidateRecord {
  core::Hash128 key;
  Provider provider = Provider::kAiter;
  core::Contender contender;
  std::string line;
  int family_version = 0;
};

using VisitCandidate = std::function<void(CandidateRecord&)>;

struct MeasurementRecord {
  std::int64_t id = 0;
  std::int64_t run = 0;
  core::Hash128 candidate;
  Provider provider = Provider::kAiter;
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
  Provider provider = Provider::kAiter;
  std::int64_t measurement = 0;
  std::int64_t from_revision = 0;
  std::int64_t to_revision = 0;  // 0: holds it now
};

// A candidate that competes for a key, with a time that can be believed.
struct TimeRecord {
  core::Hash128 key;
  std::string gfx;
  int cu_num = 0;
  double us = 0;
  std::string line;
  int family_version = 0;
  bool won = false;  // it holds the key
};

// Which of these are asked for.
struct TimesWanted {
  bool engine_says = false;  // the family's keys name the engine: rows of every one are served
  std::optional<std::string> gfx;  // of one target alone
  int cu_num = 0;
  std::optional<core::Hash128> up_to;  // of keys up to this hash: a sample of them
};

// The time of a candidate that somebody chooses: the winner, a default, what a heuristic says.
struct ChoiceTime {
  core::Hash128 key;
  Provider provider = Provider::kAiter;
  core::Hash128 candidate;
  double us = 0;
  bool won = false;
  bool is_default = false;
  bool compared = false;  // of the whole operator: Standing::kCompared
  std::string campaign;   // of the winner's run; "": none
};

// A measurement of a run, whatever became of it. Views: until the visit ends.
struct RunTimeRecord {
  std::int16_t family = 0;
  std::string_view gfx;
  int cu_num = 0;
  double us = 0;  // NaN: none
  core::Standing standing = core::Standing::kMeasured;
  std::string_view line;
  int family_version = 0;
};

// One row after the other. False: enough.
using VisitChoice = std::function<void(ChoiceTime&)>;
using VisitTime = std::function<void(TimeRecord&)>;
using VisitRunTime = std::function<bool(const RunTimeRecord&)>;

class ConnectionPool;

// What was measured, whether it is served or not. Every call may throw Unavailable; calls are safe
// from any thread.
class MeasurementStore {
 public:
  explicit MeasurementStore(ConnectionPool& pool) : pool_(pool) {}

  // All candidates of a family's keys (not only winners), for filters that choose among them: one
  // after the other, since there may be more than memory has room for.
  void VisitCandidates(std::int16_t family, const VisitCandidate& visit);
  // Those of some keys alone, of every provider.
  void VisitCandidates(const std::vector<core::Hash128>& keys, const VisitCandidate& visit);
  // What would compete if only these runs were there.
  void VisitCandidates(std::int16_t family, const std::vector<std::int64_t>& runs,
                       const VisitCandidate& visit);
  // Of each run whose measurements may win: its provenance.
  std::vector<ProvenanceRecord> ReadProvenance();
  // Of these runs, in force or not.
  std::vector<ProvenanceRecord> ReadProvenance(const std::vector<std::int64_t>& runs);
  // The import in force of a source, absent where all of its imports were reverted. Error
  // unknown_source.
  core::Result<std::optional<std::int64_t>> FindSource(const std::string& name);
  // The measurements of one key, `most` at most: those that competed first.
  KeyMeasurements OfKey(std::int16_t family, const core::Hash128& key, std::size_t most);
  // What held it, the newest `most` in their order.
  std::vector<TunedHistoryRecord> ReadTunedHistory(const core::Hash128& key, std::size_t most);

  // Of the keys of a family that are served by default and for which several candidates compete, in
  // the order of the CSV.
  void VisitTimes(std::int16_t family, const TimesWanted& wanted, const VisitTime& visit);
  // Of such keys what is chosen: winners, defaults, and these candidates.
  void VisitChoiceTimes(std::int16_t family, bool engine_says,
                        const std::vector<core::Hash128>& candidates, const VisitChoice& visit);
  // Whether there are such keys of a target.
  bool HasSeveral(std::int16_t family, const std::string& gfx, int cu_num);
  // What these runs have measured of families, one family after the other, each in the order of the
  // CSV.
  void VisitRunTimes(const std::vector<std::int16_t>& families,
                     const std::vector<std::int64_t>& runs, const VisitRunTime& visit);
  // While this text is the same for runs that are the same, so is what VisitRunTimes visits.
  std::string RunStamp(const std::vector<std::int64_t>& runs);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server

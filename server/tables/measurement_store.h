// Reads measurements, and the candidates that compete with them. The number of candidates that lost
// only grows. So no server keeps them in memory, and a cursor reads them row by row.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "core/row/winner.h"
#include "server/db/provider.h"

namespace tunehub::server {

// A run's provenance, for choosing among runs.
struct ProvenanceRecord {
  std::int64_t run = 0;
  std::int64_t started = 0;  // microseconds since 1970
  std::string provenance;    // JSON
};

// A candidate of a family, with the line of one of its rows.
struct CandidateLine {
  core::Hash128 candidate;
  int family_version = 0;
  std::string line;
};

// Filters of ReadBest.
struct BestWanted {
  std::vector<core::Hash128> candidates = {};           // sorted
  std::optional<double> max_err = {};                   // a candidate without an error passes
  std::optional<std::vector<core::Hash128>> keys = {};  // absent: all
  std::int64_t known = 0;  // the caller has the served rows up to this batch
  bool measured = false;   // true: unmeasured candidates do not count
};

// The best row of a key and provider among some candidates.
struct BestRecord {
  core::Hash128 key;
  Provider provider = Provider::kAiter;
  core::Standing standing = core::Standing::kMeasured;
  int rank = 1;
  std::optional<std::string> line;  // absent: the line of the served row
  int family_version = 0;           // the version of the line's columns
  bool fits = true;                 // false: no candidate is wanted
  bool is_right = true;             // true: the error of at least one candidate is at most max_err
  std::size_t count = 0;            // number of candidates, wanted or not; set only for runs
};

// Classes of a query's runs, by their provenance. A preferred run is also a matching run. Of
// unknown and other runs, ReadBest only counts the candidates.
enum RunClass : std::int8_t { kPreferredRuns, kMatchingRuns, kUnknownRuns, kOtherRuns };
inline constexpr std::size_t kRunClasses = 4;
using RunClasses = std::array<std::vector<std::int64_t>, kRunClasses>;
using BestByClass = std::array<std::vector<BestRecord>, kRunClasses>;

struct MeasurementRecord {
  std::int64_t id = 0;
  std::int64_t run = 0;
  core::Hash128 candidate;
  Provider provider = Provider::kAiter;
  double us = 0, error = 0;  // NaN: none
  core::Standing standing = core::Standing::kMeasured;
  std::string reason, line, evidence;  // evidence: JSON or ""
  int family_version = 0;
  bool is_default = false, searched = false;  // the agent's marks
  bool reverted = false;                      // its run was reverted
  bool competes = false;                      // its candidate competes with this measurement
  bool withdraws = false;  // wrong: excludes its candidate until a new measurement is right
  bool doubts = false;     // it failed or was wrong, but its candidate still competes
  std::optional<core::WinReason> won;  // the reason why it is served; absent: it is not served
  bool baseline = false;               // it is served as a baseline
  core::TimeBounds bounds = {};        // of `us`
  // The time by which the hub compares the candidate. Another run than that of `us` may have
  // measured it. NaN: the hub compares the candidate by another row.
  double compared_us = core::kNoTime;
  core::TimeBounds compared_bounds = {};
};

struct KeyMeasurements {
  std::vector<MeasurementRecord> rows;
  std::int64_t total = 0;  // measurements of the key
  bool in_doubt = false;   // at least one measurement has `doubts`
};

struct TunedHistoryRecord {
  Provider provider = Provider::kAiter;
  std::int64_t measurement = 0;
  std::int64_t from_revision = 0;
  std::int64_t to_revision = 0;  // 0: it is served now
};

// A competing candidate with a measured time.
struct TimeRecord {
  core::Hash128 key;
  std::string gfx;
  int cu_num = 0;
  double us = 0;
  std::string line;
  int family_version = 0;
  bool won = false;  // it is served
};

// Filters of VisitTimes.
struct TimesWanted {
  // true: shape keys name the engine, so the rows of every engine are served
  bool engine_says = false;
  std::optional<std::string> gfx;  // one target only
  int cu_num = 0;
  std::optional<core::Hash128> up_to;  // shape keys up to this hash, for a sample
};

// The time of a candidate that may be chosen: the winner, a default, or a heuristic's choice.
struct ChoiceTime {
  core::Hash128 key;
  Provider provider = Provider::kAiter;
  core::Hash128 candidate;
  double us = 0;
  bool won = false;
  bool is_default = false;
  bool compared = false;  // true: the time of AITER's whole operator (Standing::kCompared)
  std::string campaign;   // the campaign of the winner's run; "": none
};

// A measurement of a run, of any standing. The views are valid only during the visit.
struct RunTimeRecord {
  std::int16_t family = 0;
  std::string_view gfx;
  int cu_num = 0;
  double us = 0;  // NaN: none
  core::Standing standing = core::Standing::kMeasured;
  std::string_view line;
  int family_version = 0;
  double reach = 0;  // half the confidence interval / the time; 0: no samples at steady clocks
};

// The functions Visit... call these for each row. VisitRunTime returns false to end the visit.
using VisitChoice = std::function<void(ChoiceTime&)>;
using VisitTime = std::function<void(TimeRecord&)>;
using VisitRunTime = std::function<bool(const RunTimeRecord&)>;

class ConnectionPool;

// Reads all measurements, served or not. Every call may throw Unavailable. Thread-safe.
class MeasurementStore {
 public:
  explicit MeasurementStore(ConnectionPool& pool) : pool_(pool) {}

  // Returns every candidate that the family ever had, sorted by hash.
  std::vector<CandidateLine> ReadCandidates(std::int16_t family);
  // Returns each key that has a wanted candidate.
  std::vector<BestRecord> ReadBest(std::int16_t family, const BestWanted& wanted);
  // Returns, for each class: each key that the runs of the class measured, as if no other runs
  // existed.
  BestByClass ReadBest(std::int16_t family, const BestWanted& wanted, const RunClasses& runs);
  // Returns the provenance of every run whose measurements may win.
  std::vector<ProvenanceRecord> ReadProvenance();
  // Returns the provenance of these runs, active or not.
  std::vector<ProvenanceRecord> ReadProvenance(const std::vector<std::int64_t>& runs);
  // Returns the import in force of a source; nothing if all its imports were reverted. Errors:
  // unknown_source.
  core::Result<std::optional<std::int64_t>> FindSource(const std::string& name);
  // Returns at most `most` measurements of one shape key. Competing measurements come first.
  KeyMeasurements OfKey(std::int16_t family, const core::Hash128& key, std::size_t most);
  // Returns the last `most` measurements that the hub served for the key, the oldest first.
  std::vector<TunedHistoryRecord> ReadTunedHistory(const core::Hash128& key, std::size_t most);

  // Visits tuned shape keys with several measured candidates of a default provider, in the order of
  // the CSV. Visits each of these candidates.
  void VisitTimes(std::int16_t family, const TimesWanted& wanted, const VisitTime& visit);
  // Does the same as VisitTimes, but visits only winners, defaults and the given candidates.
  void VisitChoiceTimes(std::int16_t family, bool engine_says,
                        const std::vector<core::Hash128>& candidates, const VisitChoice& visit);
  // True if the target has a tuned shape key with several measured candidates.
  bool HasSeveral(std::int16_t family, const std::string& gfx, int cu_num);
  // Visits the measurements of these runs, family by family, each in the order of the CSV.
  void VisitRunTimes(const std::vector<std::int16_t>& families,
                     const std::vector<std::int64_t>& runs, const VisitRunTime& visit);
  // Returns a text that changes if VisitRunTimes would visit other rows for these runs.
  std::string RunStamp(const std::vector<std::int64_t>& runs);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server

// What was measured, whether it is served or not. Every call may throw Unavailable; calls are safe
// from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/hash128.h"
#include "server/store/analysis/measurement_records.h"
#include "server/store/analysis/times.h"

namespace tunehub::store {

class ConnectionPool;

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

}  // namespace tunehub::store

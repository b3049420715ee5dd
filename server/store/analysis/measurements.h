// What was measured, whether it is served or not. Every call may throw Unavailable; calls are safe
// from any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/hash128.h"
#include "server/store/analysis/measurement_records.h"
#include "server/store/analysis/times.h"

namespace tunehub::store {

class ConnectionPool;

class MeasurementStore {
 public:
  explicit MeasurementStore(ConnectionPool& pool) : pool_(pool) {}

  // All candidates of a family's keys (not only winners), for filters that choose among them.
  std::vector<CandidateRecord> ReadCandidates(std::int16_t family);
  // Those of some keys alone, of every provider.
  std::vector<CandidateRecord> ReadCandidates(const std::vector<core::Hash128>& keys);
  // What would compete if only these runs were there.
  std::vector<CandidateRecord> ReadCandidates(std::int16_t family,
                                              const std::vector<std::int64_t>& runs);
  // Of each run whose measurements may win: its provenance.
  std::vector<ProvenanceRecord> ReadProvenance();
  // Every measurement of one key.
  std::vector<MeasurementRecord> OfKey(std::int16_t family, const core::Hash128& key);
  std::vector<TunedHistoryRecord> ReadTunedHistory(const core::Hash128& key);

  // Of the keys of a family that are served by default and for which several candidates compete, in
  // the order of the CSV; `engine_says`: its keys name the engine, and all of them are.
  std::vector<TimeRecord> ReadTimes(std::int16_t family, bool engine_says);
  // What these runs have measured of a family, in the order of the CSV.
  std::vector<RunTimeRecord> ReadRunTimes(std::int16_t family,
                                          const std::vector<std::int64_t>& runs);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::store

// All that was ever measured of one key, and what held it when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/hash128.h"
#include "core/base/result.h"
#include "server/store/store.h"

namespace tunehub::service {

// The store's own structs: nothing is to be added to them.
using store::MeasurementRecord;
using store::TunedHistoryRecord;

struct KeyHistory {
  store::KeyMeasurements measurements;
  std::vector<TunedHistoryRecord> held;
};

class KeyHistories {
 public:
  explicit KeyHistories(store::Store& store) : store_(store) {}

  // `family`: its number in the database; `most` measurements, and as many that held it. Error
  // unknown_key where nothing was measured and that is not allowed. Throws Unavailable.
  core::Result<KeyHistory> Read(std::int16_t family, const core::Hash128& key, std::size_t most,
                                bool allow_empty) const;

 private:
  store::Store& store_;
};

}  // namespace tunehub::service

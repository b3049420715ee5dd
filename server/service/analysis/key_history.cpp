#include "server/service/analysis/key_history.h"

namespace tunehub::service {

core::Result<KeyHistory> KeyHistories::Read(std::int16_t family, const core::Hash128& key,
                                            std::size_t most, bool allow_empty) const {
  KeyHistory history;
  history.measurements = store_.measurements().OfKey(family, key, most);
  if (history.measurements.rows.empty() && !allow_empty) {
    return core::Error{"unknown_key", "nothing was ever measured for this key"};
  }
  history.held = store_.measurements().ReadTunedHistory(key, most);
  return history;
}

}  // namespace tunehub::service

// Who wrote what. Every call may throw Unavailable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/store/store.h"

namespace tunehub::service {

using store::AuditRecord;

class AuditLog {
 public:
  explicit AuditLog(store::Store& store) : store_(store) {}

  // The newest first.
  std::vector<AuditRecord> List(std::int64_t before_id, std::size_t limit) const {
    return store_.audit().List(before_id, limit);
  }

 private:
  store::Store& store_;
};

}  // namespace tunehub::service

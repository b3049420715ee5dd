// What the store throws beside programming errors.
#pragma once

#include <stdexcept>

namespace tunehub::store {

// The database is gone, does not answer, or left open whether a commit happened. Nothing was
// acknowledged; the same request with the same idempotency key may be sent again.
struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tunehub::store

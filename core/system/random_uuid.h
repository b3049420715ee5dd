// A random identity (UUID version 4): the Idempotency-Key of a batch.
#pragma once

#include <string>

namespace tunehub::core {

std::string RandomUuid();

}  // namespace tunehub::core

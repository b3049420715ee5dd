// A random identity (UUID version 4): the Idempotency-Key of a batch.
#pragma once

#include <string>

namespace tunehub::agent {

std::string RandomUuid();

}  // namespace tunehub::agent

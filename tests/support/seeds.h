// The number of seeds that a random test tries. In tests/run it is `usual`; in `tests/run --long`
// it is $TUNEHUB_SEEDS times as many.
#pragma once

#include <cstdlib>

namespace tunehub::test {

inline unsigned Seeds(unsigned usual) {
  const char* const times = std::getenv("TUNEHUB_SEEDS");  // NOLINT(concurrency-mt-unsafe)
  return times == nullptr ? usual : usual * static_cast<unsigned>(std::atoi(times));
}

}  // namespace tunehub::test

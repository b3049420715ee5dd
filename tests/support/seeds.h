// How many seeds a random test tries: `usual` in tests/run, $TUNEHUB_SEEDS times as many in
// `tests/run --long`.
#pragma once

#include <cstdlib>

namespace tunehub::test {

inline unsigned Seeds(unsigned usual) {
  const char* const times = std::getenv("TUNEHUB_SEEDS");  // NOLINT(concurrency-mt-unsafe)
  return times == nullptr ? usual : usual * static_cast<unsigned>(std::atoi(times));
}

}  // namespace tunehub::test

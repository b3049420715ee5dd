#pragma once

#include <chrono>
#include <thread>

namespace tunehub::test {

// Waits until `met` returns true; false after the limit.
template <typename Met>
bool Comes(const Met& met, std::chrono::milliseconds limit = std::chrono::seconds(60)) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!met()) {
    if (std::chrono::steady_clock::now() >= until) return met();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace tunehub::test

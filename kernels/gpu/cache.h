// The content of a GPU's last-level cache when a timed launch begins.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace tunehub::kernels::gpu {

enum class Cache {
  kRotating,  // inputs of earlier launches, as in a running model
  kHot,       // the launch's own inputs, if they fit
  kCold,      // no input: other data overwrite the cache before each launch
};

inline constexpr std::array<std::string_view, 3> kCacheNames = {"rotating", "hot", "cold"};

constexpr std::string_view NameOf(Cache cache) {
  return kCacheNames[static_cast<std::size_t>(cache)];
}

constexpr std::optional<Cache> CacheOf(std::string_view name) {
  for (std::size_t i = 0; i < kCacheNames.size(); ++i) {
    if (kCacheNames[i] == name) return static_cast<Cache>(i);
  }
  return std::nullopt;
}

}  // namespace tunehub::kernels::gpu

// The provider of a candidate: the origin of its kernels. Providers never compete, because AITER
// cannot run tunehub's kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/row/row.h"

namespace tunehub::server {

enum class Provider : std::int16_t {
  kAiter = 0,
  kTunehub = 1,
  kVllm = 2,
  kSglang = 3,
  kRocm = 4,
};

std::string_view Name(Provider provider);
std::optional<Provider> ParseProvider(std::string_view name);
std::string ProviderNames();  // "aiter, tunehub, ...", for messages

// The provider of rows that name no provider: AITER on an AMD target (gfx...), otherwise tunehub.
// Only tunehub has kernels for cpu-* and sm_* targets. /tuned serves this provider by default.
Provider DefaultProvider(std::string_view gfx);

// Returns the provider of one row, the first of these that exists:
// 1. the row's engine
// 2. tunehub, for kernels of our own catalog
// 3. the run's provider
// 4. the default
Provider RowProvider(std::optional<Provider> of_run, const core::Row& row);

}  // namespace tunehub::server

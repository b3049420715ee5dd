// Whose kernels a candidate is. Providers never compete: AITER cannot run a kernel of tunehub's.
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

// The provider of rows that do not say: AITER's on an AMD target (gfx...), else tunehub's, since
// cpu-* and sm_* targets have no others. It is also the provider that /tuned serves by default.
Provider DefaultProvider(std::string_view gfx);

// The provider of one row: the engine that its family names, and kernels of our own catalog are
// tunehub's, whatever the run says.
Provider RowProvider(std::optional<Provider> of_run, const core::Row& row);

}  // namespace tunehub::server

// The owner of a candidate's kernels. Providers never compete: AITER cannot run tunehub's kernels.
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

// The provider of rows that name none: AITER on an AMD target (gfx...), else tunehub, the only one
// on cpu-* and sm_* targets. /tuned serves it by default.
Provider DefaultProvider(std::string_view gfx);

// The provider of one row: the row's engine if it has one; tunehub for kernels of our own catalog;
// else the run's provider or the default.
Provider RowProvider(std::optional<Provider> of_run, const core::Row& row);

}  // namespace tunehub::server

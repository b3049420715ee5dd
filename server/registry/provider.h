// Whose kernels a candidate is. Providers never compete: AITER cannot run a kernel of tunehub's.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tunehub::registry {

enum class Provider : std::int16_t { kAiter = 0, kTunehub = 1 };

std::string_view Name(Provider provider);
std::optional<Provider> ParseProvider(std::string_view name);

// The provider of rows that do not say: AITER's on an AMD target (gfx...), else tunehub's, since
// cpu-* and sm_* targets have no others. It is also the provider that /tuned serves by default.
Provider DefaultProvider(std::string_view gfx);

// The provider of one row: kernels of our own catalog are tunehub's whatever the run says.
Provider RowProvider(std::optional<Provider> of_run, std::string_view gfx, bool own_kernel);

}  // namespace tunehub::registry

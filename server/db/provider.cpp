#include "server/db/provider.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/row/target.h"

namespace tunehub::server {
namespace {

// The index is the provider's number in the database.
constexpr std::array<std::string_view, 5> kNames = {"aiter", "tunehub", "vllm", "sglang", "rocm"};

}  // namespace

std::string_view Name(Provider provider) {
  return kNames.at(static_cast<std::size_t>(provider));
}

std::optional<Provider> ParseProvider(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Provider>(found - kNames.begin());
}

std::string ProviderNames() {
  return core::Joined(kNames);
}

Provider DefaultProvider(std::string_view gfx) {
  return gfx.starts_with("gfx") || gfx == core::kAnyGfx ? Provider::kAiter : Provider::kTunehub;
}

Provider RowProvider(std::optional<Provider> of_run, const core::Row& row) {
  if (const auto engine = ParseProvider(row.engine)) return *engine;
  if (row.own_kernel) return Provider::kTunehub;
  return of_run.value_or(DefaultProvider(row.gfx));
}

}  // namespace tunehub::server

#include "server/registry/provider.h"

namespace tunehub::registry {

std::string_view Name(Provider provider) {
  return provider == Provider::kAiter ? "aiter" : "tunehub";
}

std::optional<Provider> ParseProvider(std::string_view name) {
  if (name == "aiter") return Provider::kAiter;
  if (name == "tunehub") return Provider::kTunehub;
  return std::nullopt;
}

Provider DefaultProvider(std::string_view gfx) {
  return gfx.starts_with("gfx") ? Provider::kAiter : Provider::kTunehub;
}

Provider RowProvider(std::optional<Provider> of_run, std::string_view gfx, bool own_kernel) {
  if (own_kernel) return Provider::kTunehub;
  return of_run.value_or(DefaultProvider(gfx));
}

}  // namespace tunehub::registry

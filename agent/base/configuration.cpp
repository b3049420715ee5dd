#include "agent/base/configuration.h"

#include <fmt/core.h>

#include <cstdlib>
#include <system_error>
#include <vector>

#include "build_info.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

core::Result<fs::path> FindFolder(const std::string& folder) {
  const char* const environment = std::getenv("TUNEHUB_CONFIGS");  // NOLINT(concurrency-mt-unsafe)
  std::vector<fs::path> places;
  if (!folder.empty()) {
    places = {folder};
  } else if (environment != nullptr && *environment != '\0') {
    places = {environment};
  } else {
    const fs::path binary = ExecutableFolder();
    places = {binary / "../../../configs", binary / "../share/tunehub/configs",
              fs::path(TUNEHUB_SOURCE_DIR) / "configs"};
  }
  std::string tried;
  for (const fs::path& place : places) {
    std::error_code error;
    if (fs::is_directory(place / "families", error)) return place;
    tried += (tried.empty() ? "" : ", ") + place.lexically_normal().string();
  }
  return core::Error{"no_configs",
                     fmt::format("no folder families/ in {}; pass --configs DIR", tried)};
}

}  // namespace

std::filesystem::path ExecutableFolder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path(".") : self.parent_path();
}

core::Result<Configuration> LoadConfiguration(const std::string& folder) {
  auto place = FindFolder(folder);
  if (!place.ok()) return place.error();
  auto families = core::Families::Load(*place / "families");
  if (!families.ok()) return families.error();
  auto targets = core::Targets::Load(*place / "targets.json");
  if (!targets.ok()) return targets.error();
  return Configuration{*std::move(families), *std::move(targets), *std::move(place)};
}

}  // namespace tunehub::agent

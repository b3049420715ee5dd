#include "server/installation.h"

#include "build_info.h"

namespace tunehub::server {
namespace {

namespace fs = std::filesystem;

bool HasConfigs(const fs::path& share) {
  std::error_code error;
  return fs::exists(share / "configs/targets.json", error);
}

fs::path SettingsOf(const fs::path& prefix) {
  const fs::path file = (prefix == "/usr" ? "/" : prefix) / "etc/tunehub/server.json";
  std::error_code error;
  return fs::exists(file, error) ? file : fs::path();
}

}  // namespace

Installation FindInstallation() {
  std::error_code error;
  const fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path prefix = bin.parent_path();
  if (HasConfigs(prefix / "share/tunehub")) return {prefix / "share/tunehub", SettingsOf(prefix)};
  // build/PRESET/bin of a tree that may have moved since it was configured.
  const fs::path tree = bin.parent_path().parent_path().parent_path();
  if (HasConfigs(tree)) return {tree, {}};
  return {TUNEHUB_SOURCE_DIR, {}};
}

}  // namespace tunehub::server

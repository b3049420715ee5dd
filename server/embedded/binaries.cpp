#include "server/embedded/binaries.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <ranges>
#include <string>

namespace tunehub::embedded {
namespace {

namespace fs = std::filesystem;

// The oldest version whose SQL the migrations speak.
constexpr int kOldestVersion = 15;

std::optional<int> ParseVersion(const std::string& text) {
  int version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size() || version <= 0) return std::nullopt;
  return version;
}

std::map<int, Binaries> Installed(const fs::path& root) {
  std::map<int, Binaries> found;
  std::error_code ignored;  // no such folder: nothing is installed
  for (const auto& entry : fs::directory_iterator(root, ignored)) {
    const auto version = ParseVersion(entry.path().filename().string());
    if (!version) continue;
    const fs::path bin = entry.path() / "bin";
    Binaries binaries{*version, bin / "initdb", bin / "postgres"};
    if (::access(binaries.initdb.c_str(), X_OK) != 0) continue;
    if (::access(binaries.postgres.c_str(), X_OK) != 0) continue;
    found.emplace(*version, std::move(binaries));
  }
  return found;
}

std::string Listed(const std::map<int, Binaries>& installed) {
  return installed.empty() ? "none"
                           : fmt::format("{}", fmt::join(std::views::keys(installed), ", "));
}

core::Error WrongVersion(const fs::path& pg_dir, const std::string& version,
                         const std::string& found) {
  return {"postgres_version",
          fmt::format(
              "{0} was made by PostgreSQL {1}, installed: {2}. Install postgresql-{1} to go on "
              "with it. To move to another version: with postgresql-{1} installed, start the "
              "server, dump the database (pg_dump -Fc -h \"$(cat {3})\" -U tunehub -f tunehub.dump "
              "tunehub), stop it, move {0} away, remove postgresql-{1}, start the server once, and "
              "restore (pg_restore --clean --if-exists -h ... -U tunehub -d tunehub tunehub.dump)",
              pg_dir.string(), version, found, (pg_dir.parent_path() / "pg.socket").string())};
}

}  // namespace

core::Result<Binaries> FindBinaries(const fs::path& root, const fs::path& pg_dir) {
  const auto installed = Installed(root);
  std::ifstream version_file(pg_dir / "PG_VERSION");
  if (std::string text; version_file >> text) {
    const auto version = ParseVersion(text);
    const auto found = version ? installed.find(*version) : installed.end();
    if (found == installed.end()) return WrongVersion(pg_dir, text, Listed(installed));
    return found->second;
  }
  if (installed.empty() || installed.rbegin()->first < kOldestVersion) {
    return core::Error{"postgres_missing",
                       fmt::format("no PostgreSQL {} or newer under {} (found: {}): install it "
                                   "(apt-get install postgresql) or pass --database URL",
                                   kOldestVersion, root.string(), Listed(installed))};
  }
  return installed.rbegin()->second;
}

}  // namespace tunehub::embedded

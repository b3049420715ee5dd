#include "server/embedded/binaries.h"

#include <unistd.h>

#include <charconv>
#include <fstream>
#include <map>
#include <optional>
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
  std::string list;
  for (const auto& [version, unused] : installed) {
    list += (list.empty() ? "" : ", ") + std::to_string(version);
  }
  return list.empty() ? "none" : list;
}

core::Error WrongVersion(const fs::path& pg_dir, const std::string& version,
                         const std::string& found) {
  return {"postgres_version",
          pg_dir.string() + " was made by PostgreSQL " + version + ", installed: " + found +
              ". Install postgresql-" + version +
              " to go on with it. To move to another version: " + "with postgresql-" + version +
              " installed, start the server, dump the database (" + "pg_dump -Fc -h \"$(cat " +
              (pg_dir.parent_path() / "pg.socket").string() +
              ")\" -U tunehub -f tunehub.dump tunehub), stop it, move " + pg_dir.string() +
              " away, remove postgresql-" + version + ", start the server once, and restore " +
              "(pg_restore --clean --if-exists -h ... -U tunehub -d tunehub tunehub.dump)"};
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
                       "no PostgreSQL " + std::to_string(kOldestVersion) + " or newer under " +
                           root.string() + " (found: " + Listed(installed) +
                           "): install it (apt-get install postgresql) or pass --database URL"};
  }
  return installed.rbegin()->second;
}

}  // namespace tunehub::embedded

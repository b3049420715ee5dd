// The built dashboard (web/dist) in memory: one page, assets whose names contain the hash of their
// content, and the pages of docs/.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace tunehub::server {

struct DashboardFile {
  std::string_view content_type;
  std::shared_ptr<const std::string> body;
  std::shared_ptr<const std::string> gzip;  // compressed by the build; null: none
};

class Dashboard {
 public:
  Dashboard() = default;  // no dashboard
  // Loads a folder with index.html, assets/ and docs/. Empty without index.html.
  static Dashboard Load(const std::filesystem::path& folder);

  // `path`: below the folder, such as "docs/agents.html". Null: no such file.
  const DashboardFile* Find(std::string_view path) const;

 private:
  std::map<std::string, DashboardFile, std::less<>> files_;  // by their path below the folder
};

}  // namespace tunehub::server

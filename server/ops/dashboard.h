// The built dashboard (web/dist) in memory: one page, and assets whose names carry the hash of
// their content.
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
  std::shared_ptr<const std::string> gzip;  // made by the build; null: none
};

class Dashboard {
 public:
  Dashboard() = default;  // none is built
  // From a folder with index.html and assets/; empty without index.html.
  static Dashboard Load(const std::filesystem::path& folder);

  // Null if there is no such file.
  const DashboardFile* Page() const;
  const DashboardFile* Asset(std::string_view name) const;

 private:
  std::map<std::string, DashboardFile, std::less<>> files_;  // by their path below the folder
};

}  // namespace tunehub::server

// The built dashboard (web/dist) in memory: one page, and assets whose names contain the hash of
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
  std::shared_ptr<const std::string> gzip;  // compressed by the build; null: none
};

class Dashboard {
 public:
  Dashboard() = default;  // no dashboard
  // Loads a folder with index.html and assets/. Empty without index.html.
  static Dashboard Load(const std::filesystem::path& folder);

  // Returns null if the file does not exist.
  const DashboardFile* Page() const;
  const DashboardFile* Asset(std::string_view name) const;

 private:
  std::map<std::string, DashboardFile, std::less<>> files_;  // by their path below the folder
};

}  // namespace tunehub::server

#include "server/ops/dashboard.h"

#include <fstream>
#include <iterator>

namespace tunehub::server {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPage = "index.html";
constexpr std::string_view kFolders[] = {"assets", "docs"};
constexpr std::string_view kGzip = ".gz";

struct ContentType {
  std::string_view extension, name;
};
constexpr ContentType kContentTypes[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
};

std::string_view ContentTypeOf(const fs::path& file) {
  for (const ContentType& type : kContentTypes) {
    if (file.extension() == type.extension) return type.name;
  }
  return "application/octet-stream";
}

std::shared_ptr<const std::string> Read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return nullptr;
  return std::make_shared<const std::string>(std::istreambuf_iterator<char>(in),
                                             std::istreambuf_iterator<char>());
}

DashboardFile ReadFile(const fs::path& file) {
  return {ContentTypeOf(file), Read(file), Read(file.string() + std::string(kGzip))};
}

}  // namespace

Dashboard Dashboard::Load(const fs::path& folder) {
  Dashboard dashboard;
  DashboardFile page = ReadFile(folder / kPage);
  if (!page.body) return dashboard;
  dashboard.files_.emplace(kPage, std::move(page));
  std::error_code none;
  for (const std::string_view top : kFolders) {
    for (const auto& entry : fs::recursive_directory_iterator(folder / top, none)) {
      if (!entry.is_regular_file() || entry.path().extension() == kGzip) continue;
      dashboard.files_.emplace(entry.path().lexically_relative(folder).generic_string(),
                               ReadFile(entry.path()));
    }
  }
  return dashboard;
}

const DashboardFile* Dashboard::Find(std::string_view path) const {
  const auto found = files_.find(path);
  return found == files_.end() ? nullptr : &found->second;
}

}  // namespace tunehub::server

#include "agent/commands/capture/untuned_lists.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "core/misses/untuned_file.h"

namespace tunehub::agent {
namespace {

constexpr std::streamsize kMostOfALine = 4096;  // an operator and its parameters

}  // namespace

bool ListsMisses(const std::string& path) {
  if (core::IsUntunedFileName(path)) return true;
  if (!path.ends_with(".csv")) return false;
  std::ifstream file(path);
  std::string first(kMostOfALine, '\0');
  file.read(first.data(), kMostOfALine);
  first.resize(static_cast<std::size_t>(file.gcount()));
  return core::IsTunableList(std::string_view(first).substr(0, first.find('\n')));
}

core::Result<std::vector<std::string>> UntunedFilesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string path = it->path().string();
    std::error_code unknown;
    if (core::IsUntunedFileName(path) && it->is_regular_file(unknown)) files.push_back(path);
  }
  if (error) return core::Error{"file_unreadable", folder + ": " + error.message()};
  std::ranges::sort(files);
  return files;
}

}  // namespace tunehub::agent

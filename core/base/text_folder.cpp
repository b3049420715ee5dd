#include "core/base/text_folder.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

namespace tunehub::core {

Result<std::vector<std::string>> TextFolder::Names() const {
  std::vector<std::string> names;
  if (texts_) {
    for (const Text& text : *texts_) names.emplace_back(text.first);
    std::ranges::sort(names);
    return names;
  }
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(path_, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".json") names.push_back(entry->path().filename().string());
  }
  if (error) return Error{"no_folder", path_.string() + ": " + error.message()};
  std::ranges::sort(names);
  return names;
}

std::optional<std::string> TextFolder::Read(const std::string& name) const {
  if (texts_) {
    const auto found = std::ranges::find(*texts_, name, &Text::first);
    return found == texts_->end() ? std::nullopt : std::optional<std::string>(found->second);
  }
  std::ifstream in(path_ / name, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return in ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace tunehub::core

#include "core/buckets/bucket_name.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "core/base/excerpt.h"

namespace tunehub::buckets {
namespace {

constexpr std::string_view kSuffix = ".json", kDefault = "DEFAULT";

bool IsNumber(std::string_view text) {
  return !text.empty() && text.front() != '0' &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

core::Error Wrong(std::string_view file, const std::string& why) {
  return {"bad_bucket_name", fmt::format("{}: {}", core::Excerpt(file, 200), why)};
}

}  // namespace

std::string BucketName::File() const {
  std::string name = arch.empty() ? "" : arch + "-";
  name += config.empty() ? std::string(kDefault) : config;
  if (!sizes.empty()) name += "-" + TextOf(sizes, "-");
  return name + std::string(kSuffix);
}

core::Result<BucketName> ParseBucketName(std::string_view file) {
  if (!file.ends_with(kSuffix)) return Wrong(file, "does not end in .json");
  std::string_view stem = file.substr(0, file.size() - kSuffix.size());
  BucketName name;
  // From the end, since a config's own name has dashes.
  for (std::size_t dash = stem.rfind('-'); dash != std::string_view::npos; dash = stem.rfind('-')) {
    const std::string_view part = stem.substr(dash + 1);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) break;
    if (equals == 0 || !IsNumber(part.substr(equals + 1))) {
      return Wrong(file, fmt::format("'{}' at {} is not NAME=NUMBER", part, dash + 2));
    }
    name.sizes.emplace(name.sizes.begin(), part.substr(0, equals), part.substr(equals + 1));
    stem = stem.substr(0, dash);
  }
  if (stem.find('=') != std::string_view::npos) {
    return Wrong(file, fmt::format("a size stands before '{}'", stem.substr(stem.rfind('-') + 1)));
  }
  if (stem.starts_with("gfx") && stem.find('-') != std::string_view::npos) {
    name.arch = stem.substr(0, stem.find('-'));
    stem.remove_prefix(name.arch.size() + 1);
  }
  if (stem.empty()) return Wrong(file, "has no config's name");
  const bool is_default = name.arch.empty() && name.sizes.empty() && stem == kDefault;
  if (!is_default) name.config = stem;
  return name;
}

std::string KernelOf(std::string_view config) {
  std::string kernel(config);
  std::ranges::transform(kernel, kernel.begin(), [](char c) {
    return c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return kernel;
}

std::string TextOf(const Sizes& sizes, std::string_view between) {
  std::string text;
  for (const auto& [name, value] : sizes) {
    text += fmt::format("{}{}={}", text.empty() ? "" : between, name, value);
  }
  return text;
}

bool AreAmong(const Sizes& some, const Sizes& all) {
  return std::ranges::all_of(
      some, [&](const auto& size) { return std::ranges::find(all, size) != all.end(); });
}

}  // namespace tunehub::buckets

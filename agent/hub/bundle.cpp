#include "agent/hub/bundle.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "core/base/sha256.h"
#include "core/system/tar.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kPrefix = "aiter/configs/", kSums = "SHA256SUMS";

core::Error BadBundle(std::string reason) {
  return {"bad_archive", std::move(reason)};
}

bool LeavesFolder(const std::string& name) {
  const std::filesystem::path path(name);
  return path.empty() || path.is_absolute() ||
         std::find(path.begin(), path.end(), "..") != path.end();
}

// As sha256sum writes it: the digest, two characters, the name; one line each.
std::map<std::string, std::string> ParseSums(std::string_view text) {
  constexpr std::size_t kDigest = 64, kName = kDigest + 2;
  std::map<std::string, std::string> sums;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.size() > kName) sums.emplace(line.substr(kName), line.substr(0, kDigest));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return sums;
}

}  // namespace

core::Result<Bundle> ParseBundle(std::string_view tar_gz) {
  auto entries = core::ReadTar(tar_gz, {.bytes = kMaxBundleBytes, .files = kMaxBundleFiles});
  if (!entries.ok()) return BadBundle(entries.error().detail);
  std::map<std::string, std::string> sums;
  for (const core::TarFile& entry : *entries) {
    if (LeavesFolder(entry.name)) {
      return BadBundle(fmt::format("the entry '{}' leaves the folder", entry.name));
    }
    if (entry.name == kSums) sums = ParseSums(entry.bytes);
  }
  Bundle bundle;
  for (core::TarFile& entry : *entries) {
    if (!entry.name.starts_with(kPrefix) || !entry.name.ends_with(".csv")) continue;
    const auto sum = sums.find(entry.name);
    if (sum == sums.end() || sum->second != core::Sha256Hex(entry.bytes)) {
      return core::Error{"bad_bundle",
                         fmt::format("{}: SHA256SUMS of the bundle {}", entry.name,
                                     sum == sums.end() ? "lacks it" : "says otherwise")};
    }
    bundle.tables.emplace(entry.name.substr(kPrefix.size()), std::move(entry.bytes));
  }
  return bundle;
}

}  // namespace tunehub::agent

#include "agent/hub/summed_archive.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/base/excerpt.h"
#include "core/base/sha256.h"
#include "core/system/inner_path.h"
#include "core/system/tar.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kSums = "SHA256SUMS";

core::Error BadArchive(std::string reason) {
  return {"bad_archive", std::move(reason)};
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

core::Result<SummedArchive> SummedArchive::Read(std::string_view tar_gz) {
  auto entries = core::ReadTar(tar_gz, {.bytes = kMaxBundleBytes, .files = kMaxBundleFiles});
  if (!entries.ok()) return BadArchive(entries.error().detail);
  SummedArchive archive;
  for (core::TarFile& entry : *entries) {
    if (!core::IsInnerPath(entry.name)) {
      return BadArchive(fmt::format("the entry '{}' leaves the folder, or has no plain name",
                                    core::Excerpt(entry.name)));
    }
    archive.entries_.emplace(std::move(entry.name), std::move(entry.bytes));
  }
  archive.sums_ = ParseSums(archive.Text(kSums));
  return archive;
}

core::Result<std::map<std::string, std::string>> SummedArchive::Take(std::string_view folder,
                                                                     std::string_view ending) {
  std::map<std::string, std::string> taken;
  for (auto it = entries_.lower_bound(folder);
       it != entries_.end() && it->first.starts_with(folder);) {
    if (!it->first.ends_with(ending)) {
      ++it;
      continue;
    }
    const auto sum = sums_.find(it->first);
    if (sum == sums_.end() || sum->second != core::Sha256Hex(it->second)) {
      return core::Error{"bad_bundle",
                         fmt::format("{}: SHA256SUMS of the bundle {}", it->first,
                                     sum == sums_.end() ? "lacks it" : "says otherwise")};
    }
    taken.emplace(it->first.substr(folder.size()), std::move(it->second));
    it = entries_.erase(it);
  }
  return taken;
}

std::string SummedArchive::Text(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? "" : found->second;
}

}  // namespace tunehub::agent

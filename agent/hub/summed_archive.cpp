#include "agent/hub/summed_archive.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/base/archive.h"
#include "core/base/atomic_file.h"
#include "core/base/hash.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kSums = "SHA256SUMS";
// These lie beside the files of a bundle or a tree, and have no sum.
constexpr std::array<std::string_view, 4> kBeside = {kSums, "env.sh", "tree.json", "tunehub.lock"};

core::Error BadArchive(std::string reason) {
  return {"bad_archive", std::move(reason)};
}

core::Error BadBundle(std::string_view name, std::string_view reason) {
  return {"bad_bundle", fmt::format("{}: {}", core::Excerpt(name, kQuotedNameBytes), reason)};
}

// As sha256sum writes it: the digest, two characters, the name; one line each.
core::Result<std::map<std::string, std::string>> ParseSums(std::string_view text) {
  constexpr std::size_t kDigest = 64, kName = kDigest + 2;
  std::map<std::string, std::string> sums;
  for (const std::string_view line : core::SplitAfter(text, "\n")) {
    if (line.size() <= kName) return BadBundle(kSums, "a line without a digest and a name");
    const std::string_view name = line.substr(kName);
    if (!sums.emplace(name, line.substr(0, kDigest)).second) {
      return BadBundle(name, "SHA256SUMS lists it twice");
    }
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
    const auto [place, is_new] =
        archive.entries_.emplace(std::move(entry.name), std::move(entry.bytes));
    if (!is_new) return BadArchive(fmt::format("two entries '{}'", core::Excerpt(place->first)));
  }
  auto sums = ParseSums(archive.Text(kSums));
  if (!sums.ok()) return sums.error();
  archive.sums_ = *std::move(sums);
  return archive;
}

core::Result<std::map<std::string, std::string>> SummedArchive::Take(std::string_view folder,
                                                                     std::string_view ending) {
  std::map<std::string, std::string> taken;
  for (auto& [name, bytes] : entries_) {
    if (std::ranges::find(kBeside, name) != kBeside.end()) continue;
    const auto sum = sums_.find(name);
    if (sum == sums_.end()) return BadBundle(name, "SHA256SUMS of the bundle lacks it");
    if (sum->second != core::Sha256Hex(bytes)) {
      return BadBundle(name, "SHA256SUMS of the bundle says otherwise");
    }
    if (!name.starts_with(folder) || !name.ends_with(ending)) {
      return BadBundle(name, fmt::format("is no {}*{}", folder, ending));
    }
    sums_.erase(sum);
    taken.emplace(name.substr(folder.size()), std::move(bytes));
  }
  if (!sums_.empty()) {
    return BadBundle(sums_.begin()->first, "SHA256SUMS lists it, and the bundle lacks it");
  }
  return taken;
}

std::string SummedArchive::Text(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? "" : found->second;
}

}  // namespace tunehub::agent

#include "server/tables/builds.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>
#include <stdexcept>

#include "core/base/encoding.h"
#include "core/base/text.h"
#include "server/db/writer.h"

namespace tunehub::server {
namespace {

constexpr std::size_t kDigestHex = 64;

// Limit of parsed builds in memory. The manifest of a whole tree takes about a megabyte.
constexpr std::size_t kKeptBytes = 2 * core::kMaxManifestBytes;
// The most names in an error.
constexpr std::size_t kNames = 20;

std::string SummaryOf(const core::Manifest& manifest) {
  return nlohmann::ordered_json({{"versions", manifest.versions()},
                                 {"kernels", manifest.kernels().size()},
                                 {"modules", manifest.CountByModule()}})
      .dump();
}

core::Error NoKnownKernel(const core::Families& families, const core::Manifest& manifest) {
  const auto found = manifest.CountByModule();
  std::set<std::string> known;
  for (const auto& family : families.all()) {
    for (const core::Module& module : family->modules) known.insert(module.name);
  }
  return {"no_known_kernel",
          fmt::format("the manifest has {} kernels, but none of a known module; its modules are "
                      "{}, known modules are {}",
                      manifest.kernels().size(), fmt::join(std::views::keys(found), ", "),
                      fmt::join(known, ", "))};
}

}  // namespace

core::Result<BuildName> ParseBuildName(std::string_view text) {
  const std::size_t at = text.find('@');
  BuildName build{std::string(text.substr(0, at)), ""};
  if (build.name.empty() || build.name.size() > kMaxBuildNameBytes ||
      !core::HoldsOnly(build.name, "._-")) {
    return core::Error{
        "bad_build_name",
        fmt::format("build: '{}': expected a name, 1 to {} of A-Z, a-z, 0-9, '.', '_' and '-'",
                    core::Excerpt(text), kMaxBuildNameBytes)};
  }
  if (at == std::string_view::npos) return build;
  build.sha256 = text.substr(at + 1);
  if (build.sha256.size() != kDigestHex ||
      build.sha256.find_first_not_of(core::kHexDigits) != std::string::npos) {
    return core::Error{
        "bad_build_name",
        fmt::format("build: '{}': expected NAME@SHA256 with 64 digits of 0-9 and a-f",
                    core::Excerpt(text))};
  }
  return build;
}

std::size_t SizeOf(const Build& build) {
  return build.manifest.Text().size();
}

Builds::Builds(const core::Families& families, ConnectionPool& pool)
    : families_(families), pool_(pool), kept_(kKeptBytes) {}

core::Result<PutBuild> Builds::Put(std::string_view name, std::string_view text, const Writer& by,
                                   std::vector<core::RowIssue>& issues,
                                   const ManifestGuard& guard) {
  const auto parsed = ParseBuildName(name);
  if (!parsed.ok()) return parsed.error();
  const std::string what = fmt::format("build '{}'", parsed->name);
  if (auto may = CheckUnlimited(by, what); !may.ok()) return may.error();
  const auto manifest = core::ParseManifest(text, issues);
  if (!manifest.ok()) return manifest.error();
  const bool known = std::ranges::any_of(
      families_.all(), [&](const auto& it) { return core::IsOfFamily(*it, *manifest); });
  if (!known) return NoKnownKernel(families_, *manifest);
  const std::string digest = manifest->Sha256();
  if (parsed->pinned() && parsed->sha256 != digest) {
    return core::Error{
        "other_digest",
        fmt::format("the manifest's digest is {}, but the URL has {}", digest, parsed->sha256)};
  }
  if (auto newest = BuildStore(pool_).Find(parsed->name, "")) {
    const auto may = MayReplace(*newest, *manifest, by, guard);
    if (!may.ok() && newest->sha256 == digest) return PutBuild{*std::move(newest), false};
    if (!may.ok()) return may.error();
  }
  return BuildStore(pool_).Put({parsed->name, digest, std::string(Name(manifest->kind())),
                                SummaryOf(*manifest), manifest->Text()},
                               by);
}

core::Status Builds::MayReplace(const BuildRecord& newest, const core::Manifest& manifest,
                                const Writer& by, const ManifestGuard& guard) {
  if (auto may = BuildStore(pool_).MayPut(newest.name, by); !may.ok() || !guard) return may;
  const auto before = Find({newest.name, newest.sha256});
  return before.ok() ? guard((*before)->manifest, manifest) : before.error();
}

core::Result<std::shared_ptr<const Build>> Builds::Find(const BuildName& name) {
  BuildName pinned = name;
  if (!pinned.pinned()) {
    auto newest = Newest(name.name);
    if (!newest.ok()) return newest.error();
    pinned.sha256 = *std::move(newest);
  }
  return kept_.Get(pinned.Text(), [&]() -> core::Result<Build> {
    const auto text = BuildStore(pool_).Manifest(pinned.name, pinned.sha256);
    if (!text) return Unknown(name);
    std::vector<core::RowIssue> issues;
    auto manifest = core::ParseManifest(*text, issues);
    if (!manifest.ok())
      throw std::runtime_error(fmt::format("{}: {}", pinned.Text(), manifest.error().detail));
    return Build{pinned, *std::move(manifest)};
  });
}

core::Result<BuildRecord> Builds::Record(const BuildName& name) {
  auto record = BuildStore(pool_).Find(name.name, name.sha256);
  if (!record) return Unknown(name);
  return *std::move(record);
}

std::vector<BuildRecord> Builds::List(std::int64_t before_put, const std::string& name,
                                      std::size_t limit) {
  return BuildStore(pool_).List(before_put, name, limit);
}

// Queries the database each time, because another server may have stored a newer manifest.
core::Result<std::string> Builds::Newest(const std::string& name) {
  try {
    const auto record = Record({name, ""});
    if (!record.ok()) return record.error();
    const std::lock_guard lock(mutex_);
    return newest_[name] = record->sha256;
  } catch (const Unavailable&) {
    const std::lock_guard lock(mutex_);
    const auto known = newest_.find(name);
    if (known == newest_.end()) throw;
    return known->second;
  }
}

core::Error Builds::Unknown(const BuildName& name) {
  const std::string names = fmt::format("{}", fmt::join(BuildStore(pool_).Names(kNames), ", "));
  return {"unknown_build", fmt::format("unknown build {}; the newest builds are {}", name.Text(),
                                       names.empty() ? "none" : names)};
}

}  // namespace tunehub::server

#include "server/ops/manifest.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/encoding.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/read_json.h"

namespace tunehub::server {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kDigestPiece = std::size_t{1} << 20;

// Errors file_not_found and file_unreadable, with the path and the reason.
core::Result<Part> DigestFile(const fs::path& path, std::string name) {
  const core::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.ok()) return core::Unreadable(path, errno);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  std::vector<char> piece(kDigestPiece);
  Part part{std::move(name), 0, {}};
  while (true) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return core::Unreadable(path, errno);
    if (got == 0) break;
    EVP_DigestUpdate(context.get(), piece.data(), static_cast<std::size_t>(got));
    part.bytes += static_cast<std::uint64_t>(got);
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  EVP_DigestFinal_ex(context.get(), hash.data(), &size);
  core::AppendHex(part.sha256, hash.data(), size);
  return part;
}

constexpr std::string_view kFormat = "tunehub-backup";
constexpr int kFormatVersion = 1;
constexpr int kIndent = 1;

Json WithoutDigest(const BackupManifest& manifest) {
  Json parts = Json::array();
  for (const Part& part : manifest.parts) {
    parts.push_back({{"name", part.name}, {"bytes", part.bytes}, {"sha256", part.sha256}});
  }
  return {{"format", kFormat},
          {"format_version", kFormatVersion},
          {"made", manifest.made},
          {"program", manifest.program},
          {"postgresql", manifest.hub.postgresql},
          {"schema", manifest.hub.schema},
          {"migration", manifest.hub.migration},
          {"revision", manifest.hub.revision.number},
          {"pin", manifest.hub.revision.Text()},
          {"measurements", manifest.hub.measurements},
          {"parts", std::move(parts)}};
}

core::Error BadBackup(const fs::path& place, const std::string& why) {
  return {"bad_backup", fmt::format("{}: {}", place.string(), why)};
}

BackupManifest ReadMembers(const nlohmann::json& json, core::JsonErrors& errors) {
  core::JsonObject object(json, "", errors);
  BackupManifest manifest;
  object.Text("format");
  object.Integer("format_version", 0);
  object.Integer("revision", 0);  // unused: the pin contains this number
  object.Text("sha256");
  manifest.made = object.Text("made");
  manifest.program = object.Text("program");
  manifest.hub.postgresql = object.Text("postgresql");
  manifest.hub.schema = static_cast<int>(object.Integer("schema", 0));
  manifest.hub.migration = object.Text("migration");
  manifest.hub.revision = core::ParsePin(object.Text("pin")).value_or(core::Pin());
  manifest.hub.measurements = object.Integer("measurements", 0);
  for (core::JsonObject& part : object.Objects("parts")) {
    manifest.parts.push_back({part.Text("name"),
                              static_cast<std::uint64_t>(part.Integer("bytes", 0)),
                              part.Text("sha256")});
    part.Finish();
  }
  object.Finish();
  return manifest;
}

// The fault of one part of the manifest; "": none.
std::string Wrong(const Part& told, const std::vector<Part>& found) {
  const auto it = std::ranges::find(found, told.name, &Part::name);
  if (it == found.end()) return fmt::format("{} is missing", told.name);
  if (it->bytes != told.bytes)
    return fmt::format("{} has {} bytes; expected {}", told.name, it->bytes, told.bytes);
  if (it->sha256 != told.sha256)
    return fmt::format("{} is damaged; its digest is {}, expected {}", told.name, it->sha256,
                       told.sha256);
  return "";
}

}  // namespace

std::string BackupManifest::Text() const {
  Json json = WithoutDigest(*this);
  json["sha256"] = core::Sha256Hex(json.dump(kIndent));
  return json.dump(kIndent) + "\n";
}

std::uint64_t BackupManifest::bytes() const {
  std::uint64_t all = 0;
  for (const Part& part : parts) all += part.bytes;
  return all;
}

core::Result<BackupManifest> ReadManifest(const fs::path& backup) {
  const fs::path file = backup / kManifestFile;
  std::ifstream in(file);
  if (!in) {
    return core::Error{"no_backup", fmt::format("{} is not a backup, because it has no readable {}",
                                                backup.string(), kManifestFile)};
  }
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto json = core::ReadJson(text);
  if (!json.is_object() || json.value("format", nlohmann::json()) != kFormat)
    return BadBackup(file, "expected a backup's manifest");
  if (const auto version = json.value("format_version", nlohmann::json());
      version != kFormatVersion)
    return BadBackup(file, fmt::format("has format version {}, but this program knows {}",
                                       version.dump(), kFormatVersion));
  core::JsonErrors errors(file.string(), "bad_backup");
  BackupManifest manifest = ReadMembers(json, errors);
  if (errors.any()) return errors.first();
  // Compares the text, because a damaged number is still a number.
  if (manifest.Text() != text) return BadBackup(file, "is damaged, because its own digest differs");
  return manifest;
}

core::Result<std::vector<Part>> DigestParts(const fs::path& backup) {
  std::vector<Part> parts;
  std::error_code error;
  for (fs::recursive_directory_iterator it(backup, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().lexically_relative(backup).generic_string();
    if (name == kManifestFile || it->symlink_status().type() == fs::file_type::directory) continue;
    if (it->symlink_status().type() != fs::file_type::regular)
      return BadBackup(backup, fmt::format("{} is not a plain file", name));
    auto part = DigestFile(it->path(), name);
    if (!part.ok()) return part.error();
    parts.push_back(*std::move(part));
  }
  if (error)
    return core::Error{"file_unreadable", fmt::format("{}: {}", backup.string(), error.message())};
  std::ranges::sort(parts, {}, &Part::name);
  return parts;
}

core::Result<BackupManifest> CheckBackup(const fs::path& backup) {
  auto manifest = ReadManifest(backup);
  if (!manifest.ok()) return manifest;
  const auto found = DigestParts(backup);
  if (!found.ok()) return found.error();
  std::string wrong;
  const auto say = [&](const std::string& what) {
    if (!what.empty()) wrong += (wrong.empty() ? "" : "; ") + what;
  };
  for (const Part& part : manifest->parts) say(Wrong(part, *found));
  for (const Part& part : *found) {
    if (std::ranges::find(manifest->parts, part.name, &Part::name) == manifest->parts.end())
      say(fmt::format("{} is not in the manifest", part.name));
  }
  if (!wrong.empty()) return BadBackup(backup, wrong);
  return manifest;
}

}  // namespace tunehub::server

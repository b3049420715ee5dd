#include "agent/hub/export_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/atomic_file.h"
#include "core/base/encoding.h"
#include "core/base/read_json.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kExportFormat = "tunehub-static-export";
constexpr int kExportVersion = 1;
constexpr std::size_t kSha256Digits = 64;

// It becomes part of an address.
bool IsExportPath(std::string_view path) {
  return core::IsInnerPath(path) && core::HoldsOnly(path, "_-./");
}

bool IsSha256(std::string_view text) {
  return text.size() == kSha256Digits &&
         std::ranges::all_of(text, [](char c) { return core::HexDigit(c) >= 0; });
}

core::Result<ExportedFile> FileOf(const Json& entry) {
  ExportedFile file;
  file.family = entry.value("family", "");
  file.gfx = entry.value("gfx", "");
  if (entry.contains("cu_num")) file.cu_num = core::SureInteger(entry.at("cu_num"), 0);
  file.revision = core::SureInteger(entry.at("revision"), 0);
  file.path = entry.at("path").get<std::string>();
  file.sha256 = entry.at("sha256").get<std::string>();
  if (IsExportPath(file.path) && IsSha256(file.sha256)) return file;
  return core::Error{"bad_export", fmt::format("index.json: '{}' with sha256 '{}' is no file of an "
                                               "export",
                                               core::Excerpt(file.path),
                                               core::Excerpt(file.sha256, kSha256Digits))};
}

std::string TargetText(const ExportedFile& file) {
  return file.cu_num ? fmt::format("{}:{}", file.gfx, *file.cu_num) : file.gfx;
}

// By its number.
template <typename Pins>
auto Named(Pins& pins, std::int64_t number) {
  return std::ranges::find(pins, number, &core::Pin::number);
}

core::Result<ExportIndex> IndexOf(const Json& document) {
  ExportIndex index;
  index.created = document.at("created").get<std::string>();
  for (const Json& text : document.at("pins")) {
    const auto pin = core::ParsePin(text.get<std::string>());
    if (!pin || !pin->has_token()) {
      return core::Error{"bad_export", fmt::format("index.json: '{}' is no pin of a revision",
                                                   core::Excerpt(text.get<std::string>()))};
    }
    index.revisions.push_back(*pin);
  }
  index.revision.number = core::SureInteger(document.at("revision"), 0);
  const auto newest = Named(index.revisions, index.revision.number);
  if (newest != index.revisions.end()) index.revision = *newest;
  for (const char* member : {"tables", "bundles"}) {
    for (const Json& entry : document.at(member)) {
      auto file = FileOf(entry);
      if (!file.ok()) return file.error();
      index.files.push_back(*std::move(file));
    }
  }
  return index;
}

}  // namespace

core::Pin ExportIndex::PinOf(const ExportedFile& file) const {
  const auto found = Named(revisions, file.revision);
  return found == revisions.end() ? core::Pin{file.revision, ""} : *found;
}

core::Result<ExportedFile> ExportIndex::Find(const ExportQuery& query) const {
  const core::Pin asked = query.revision.value_or(revision);
  const std::int64_t wanted = asked.number;
  const auto found = Named(revisions, wanted);
  if (found == revisions.end()) {
    std::vector<std::int64_t> numbers;
    for (const core::Pin& it : revisions) numbers.push_back(it.number);
    return core::Error{"unknown_revision", fmt::format("revision {} is not in it; it has {}",
                                                       wanted, fmt::join(numbers, ", "))};
  }
  if (asked.has_token() && asked != *found) {
    return core::Error{"revision_gone",
                       fmt::format("revision {} is no more: its number is that of {}. The registry "
                                   "was restored, or lost commits; or it is another registry's",
                                   asked.Text(), found->Text())};
  }
  std::set<std::string> targets, families;
  for (const ExportedFile& file : files) {
    if (file.revision != wanted) continue;
    if (!file.family.empty()) families.insert(file.family);
    if (file.family != query.family) continue;
    if (file.gfx == query.gfx && file.cu_num == query.cu_num) return file;
    if (!file.gfx.empty()) targets.insert(TargetText(file));
  }
  if (targets.empty()) {
    return core::Error{"no_rows", fmt::format("it has no row of {}; it has {}", query.family,
                                              fmt::join(families, ", "))};
  }
  return core::Error{"no_rows", fmt::format("it has no file for just these targets; it has {}",
                                            fmt::join(targets, ", "))};
}

core::Result<std::optional<ExportIndex>> ParseExportIndex(std::string_view bytes) {
  const Json document = core::ReadJson(bytes);
  const bool ours =
      document.is_object() && document.contains("format") && document.at("format") == kExportFormat;
  if (!ours) return std::optional<ExportIndex>();
  try {
    if (const auto version = core::SureInteger(document.at("version"), 1);
        version > kExportVersion) {
      return core::Error{
          "newer_export",
          fmt::format("this static export is of version {}, this agent reads up to {}", version,
                      kExportVersion)};
    }
    auto index = IndexOf(document);
    if (!index.ok()) return index.error();
    return std::optional(*std::move(index));
  } catch (const Json::exception& error) {
    return core::Error{"bad_export", fmt::format("index.json: {}", error.what())};
  }
}

}  // namespace tunehub::agent

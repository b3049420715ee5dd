#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "agent/hub/http_client.h"
#include "agent/hub/hub_client.h"
#include "core/base/encoding.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kExportFormat = "tunehub-static-export";
constexpr int kExportVersion = 1;
constexpr std::size_t kSha256Digits = 64;

// Checks a path in index.json, which becomes part of an address.
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
  file.signature = entry.value("signature", "");
  if (IsExportPath(file.path) && IsSha256(file.sha256)) return file;
  return core::Error{
      "bad_export",
      fmt::format("index.json: the entry '{}' with sha256 '{}' is malformed",
                  core::Excerpt(file.path), core::Excerpt(file.sha256, kSha256Digits))};
}

// Finds a pin by its number.
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
      return core::Error{
          "bad_export",
          fmt::format("index.json: '{}': expected a revision and its token, such as 17-0f3a...",
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

constexpr std::string_view kTables = "/tuned/", kBundle = "/bundle", kKeys = "/signing-keys";

core::Error NeedsServer(const std::string& what) {
  return {"static_export", fmt::format("{}; ask the hub itself", what)};
}

core::Error Refused(const Request& request, std::string_view path) {
  return NeedsServer(
      fmt::format("it has only tables and bundles, not {} {}", request.method, path));
}

// Returns the error for a parameter that selects rows or changes the table.
core::Error Filter(const std::string& name) {
  return NeedsServer(fmt::format(
      "it selects tables by gfx, cu_num and revision, and does not support '{}='", name));
}

core::Status ReadTarget(const std::string& value, ExportQuery& query) {
  const std::size_t colon = value.rfind(':');
  const auto cu_num = core::ParseInt64(colon == std::string::npos ? "" : value.substr(colon + 1));
  if (!cu_num)
    return NeedsServer(fmt::format("target={}: expected GFX:CU_NUM of one target", value));
  query.gfx = value.substr(0, colon);
  query.cu_num = cu_num;
  return core::Ok();
}

core::Status ReadParameter(const std::string& name, const std::string& value, ExportQuery& query) {
  if (value.find_first_of(",;") != std::string::npos) {
    return NeedsServer(fmt::format(
        "{}={}: it has files for one target or for all targets, not for several targets", name,
        value));
  }
  const auto number = core::ParseInt64(value);
  if (name == "gfx") {
    query.gfx = value;
  } else if (name == "target") {
    return ReadTarget(value, query);
  } else if (name == "cu_num" && number) {
    query.cu_num = number;
  } else if (const auto pin = core::ParsePin(value); name == "revision" && pin) {
    query.revision = *pin;
  } else {
    return Filter(name);
  }
  return core::Ok();
}

core::Status ReadParameters(std::string_view text, ExportQuery& query) {
  for (const std::string_view pair : core::SplitAfter(text, "&")) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto name = core::PercentDecoded(pair.substr(0, equals));
    const auto value = core::PercentDecoded(pair.substr(std::min(pair.size(), equals + 1)));
    if (!name || !value) return Filter(std::string(pair));
    if (core::Status status = ReadParameter(*name, *value, query); !status.ok()) return status;
  }
  return core::Ok();
}

// Errors: static_export, with the part of the request that needs a server.
core::Result<ExportQuery> ExportQueryOf(const Request& request) {
  const std::string_view target = request.target;
  const std::size_t mark = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, mark);
  const bool table = path.starts_with(kTables);
  if (request.method != "GET" || (!table && path != kBundle)) return Refused(request, path);
  ExportQuery query;
  if (table) query.family = path.substr(kTables.size());
  const core::Status status =
      ReadParameters(target.substr(std::min(target.size(), mark + 1)), query);
  if (!status.ok()) return status.error();
  return query;
}

constexpr int kFirstProblem = 400;
constexpr std::size_t kEtagHex = 32;   // the server's ETags are as long
constexpr std::size_t kDayBytes = 10;  // the length of 2026-01-31

// True if a tunehub server may have answered, or a busy proxy in front of one.
bool MayBeServer(const Answer& answer) {
  if (answer.status >= kFirstProblem) return ProblemOf(answer).of_hub || IsTransient(answer.status);
  // Servers of single-page applications answer every address with their page.
  return !answer.Header("content-type").starts_with("text/html");
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
    const auto numbers = core::Mapped(revisions, &core::Pin::number);
    return core::Error{"unknown_revision",
                       fmt::format("the export does not have revision {}; it has {}", wanted,
                                   fmt::join(numbers, ", "))};
  }
  if (asked.has_token() && asked != *found) {
    return core::Error{"revision_gone",
                       fmt::format("revision {} is gone; its number now belongs to {}. The hub was "
                                   "restored or lost commits, or this is another hub",
                                   asked.Text(), found->Text())};
  }
  std::set<std::string> targets, families;
  for (const ExportedFile& file : files) {
    if (file.revision != wanted) continue;
    if (!file.family.empty()) families.insert(file.family);
    if (file.family != query.family) continue;
    if (file.gfx == query.gfx && file.cu_num == query.cu_num) return file;
    if (file.gfx.empty()) continue;
    targets.insert(file.cu_num ? fmt::format("{}:{}", file.gfx, *file.cu_num) : file.gfx);
  }
  if (targets.empty()) {
    return core::Error{"no_rows", fmt::format("the export has no row of {}; it has {}",
                                              query.family, fmt::join(families, ", "))};
  }
  return core::Error{"no_rows",
                     fmt::format("the export has no file for exactly these targets; it has {}",
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
          fmt::format("this static export has version {}, but this agent reads versions up to {}",
                      version, kExportVersion)};
    }
    auto index = IndexOf(document);
    if (!index.ok()) return index.error();
    return std::optional(*std::move(index));
  } catch (const Json::exception& error) {
    return core::Error{"bad_export", fmt::format("index.json: {}", error.what())};
  }
}

core::Result<Answer> StaticHub::Send(const Request& request) {
  if (export_) return Read(request, *export_);
  auto answer = host_->Send(request);
  if (!answer.ok() || MayBeServer(*answer)) return answer;
  const auto index = host_->Send({"GET", "/index.json", {}, ""});
  if (!index.ok() || index->status != 200) return answer;
  auto parsed = ParseExportIndex(index->body);
  if (!parsed.ok()) return About(parsed.error());
  if (!*parsed) return answer;
  export_ = **std::move(parsed);
  return Read(request, *export_);
}

core::Error StaticHub::About(core::Error error) const {
  const std::string of = export_ ? fmt::format(" of revision {} ({})", export_->revision.number,
                                               export_->created.substr(0, kDayBytes))
                                 : "";
  error.detail = fmt::format("{} is a static export{}: {}", url_, of, error.detail);
  return error;
}

core::Result<Answer> StaticHub::Read(const Request& request, const ExportIndex& index) {
  if (request.target == kKeys) return host_->Send({"GET", "/signing-keys.json", {}, ""});
  const auto query = ExportQueryOf(request);
  if (!query.ok()) return About(query.error());
  const auto file = index.Find(*query);
  if (!file.ok()) return About(file.error());
  return Fetch(request, *file, index);
}

core::Result<Answer> StaticHub::Fetch(const Request& request, const ExportedFile& file,
                                      const ExportIndex& index) {
  const std::string etag = fmt::format(R"("{}")", file.sha256.substr(0, kEtagHex));
  Answer answer{200, {}, ""};
  answer.headers = {{"content-type", file.family.empty() ? "application/gzip" : "text/csv"},
                    {"etag", etag},
                    {"tunehub-revision", std::to_string(file.revision)},
                    {"tunehub-pin", index.PinOf(file).Text()},
                    {"tunehub-signature", file.signature}};
  for (const auto& [name, value] : request.headers) {
    if (name != "If-None-Match" || value != etag) continue;
    answer.status = 304;
    return answer;
  }
  auto got = host_->Send({"GET", "/" + file.path, {}, ""});
  if (!got.ok() || IsTransient(got->status)) return got;
  if (got->status != 200) {
    return About({"export_damaged", fmt::format("its index names {}, but the host answers {}",
                                                file.path, got->status)});
  }
  if (const std::string digest = core::Sha256Hex(got->body); digest != file.sha256) {
    return About(
        {"export_damaged", fmt::format("{} has sha256 {}, but the index says {}. Someone changed "
                                       "the file, or a new export is replacing it; try again",
                                       file.path, digest, file.sha256)});
  }
  answer.body = std::move(got->body);
  return answer;
}

}  // namespace tunehub::agent

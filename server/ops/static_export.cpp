#include "server/ops/static_export.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "build_info.h"
#include "core/base/percent.h"
#include "core/base/read_json.h"
#include "core/system/atomic_file.h"
#include "core/system/file_bytes.h"
#include "server/ops/export_tables.h"

namespace tunehub::server {
namespace {

namespace fs = std::filesystem;

// All that an export has at its top: whatever else lies there is somebody's, and stays.
constexpr std::string_view kOwnNames[] = {"assets",   "bundles",   "data",  "index.html",
                                          kIndexFile, "revisions", "tables"};

core::Error NotAnExport(const fs::path& place, const std::string& why) {
  return {"not_an_export",
          fmt::format("{}: {}; an export replaces an empty folder or an export of before",
                      place.string(), why)};
}

bool IsIndex(const fs::path& file) {
  std::ifstream in(file);
  const auto json = core::ReadJson(std::string(std::istreambuf_iterator<char>(in), {}));
  return json.is_object() && json.value("format", nlohmann::json()) == kExportFormat;
}

core::Status CheckIsExport(const fs::path& place) {
  std::error_code error;
  const fs::file_status status = fs::status(place, error);
  if (status.type() == fs::file_type::not_found) return core::Ok();
  if (status.type() == fs::file_type::none) return core::Unwritable(place, error);
  if (status.type() != fs::file_type::directory) return NotAnExport(place, "is no folder");
  bool empty = true;
  for (fs::directory_iterator it(place, error), end; !error && it != end; it.increment(error)) {
    empty = false;
    const std::string name = it->path().filename().string();
    if (std::ranges::find(kOwnNames, name) == std::end(kOwnNames)) {
      return NotAnExport(place, fmt::format("holds '{}', which is no part of an export", name));
    }
  }
  if (error) return core::Unwritable(place, error);
  if (empty || IsIndex(place / kIndexFile)) return core::Ok();
  return NotAnExport(place, fmt::format("has no {} of an export", kIndexFile));
}

using Json = nlohmann::ordered_json;

constexpr const char* kIndexPage = "index.html";

// What /revisions says of one. Error unknown_revision.
Json Listed(const HubReader& reader, std::int64_t revision) {
  Json list =
      reader.GetJson("/revisions", {{"before", std::to_string(revision + 1)}, {"limit", "1"}});
  Json& found = list.at("revisions");
  if (!found.empty() && found[0].at("revision") == revision) return std::move(found[0]);
  throw ExportFailed{{"unknown_revision", fmt::format("there is no revision {}", revision)}};
}

core::Pin PinIn(const Json& json) {
  return core::ParsePin(json.at("pin").get<std::string>()).value();
}

void CopyPage(const fs::path& page, Folder& folder) {
  std::error_code error;
  std::set<fs::path> files;  // in order
  for (fs::recursive_directory_iterator it(page, error), end; !error && it != end;
       it.increment(error)) {
    if (it->is_regular_file()) files.insert(it->path());
  }
  for (const fs::path& file : files) {
    const auto bytes = Sure(core::FileBytes::Read(file));
    Sure(folder.Write(file.lexically_relative(page).generic_string(), bytes.view()));
  }
}

Json WriteRevisions(const HubReader& reader, const RevisionRows& newest,
                    const std::vector<int>& others, Folder& folder) {
  // An export has no time of its own, or two of one revision would differ.
  const Json listed = Listed(reader, newest.revision.number);
  Json index = {{"format", kExportFormat},
                {"version", kExportFormatVersion},
                {"tunehub", TUNEHUB_VERSION},
                {"revision", newest.revision.number},
                {"pin", newest.revision.Text()},
                {"created", listed.at("created")},
                {"revisions", {newest.revision.number}},
                {"pins", {newest.revision.Text()}},
                {"tables", Json::array()},
                {"bundles", Json::array()}};
  WriteTables(reader, newest, folder, index);
  for (const std::int64_t revision : std::set<std::int64_t>(others.begin(), others.end())) {
    if (revision == newest.revision.number) continue;
    const RevisionRows rows = ReadRevision(reader, PinIn(Listed(reader, revision)), false);
    WriteTables(reader, rows, folder, index);
    index["revisions"].push_back(revision);
    index["pins"].push_back(rows.revision.Text());
  }
  return index;
}

}  // namespace

core::Result<Folder> Folder::Begin(const fs::path& named) {
  const auto place = core::FolderPlace(named);
  if (!place.ok()) return place.error();
  if (core::Status status = CheckIsExport(*place); !status.ok()) return status.error();
  auto draft = core::FolderDraft::Begin(*place);
  if (!draft.ok()) return draft.error();
  return Folder(*std::move(draft));
}

core::Status Folder::Publish() {
  // What was written meanwhile is not lost either.
  if (core::Status status = CheckIsExport(draft_.place()); !status.ok()) return status;
  return draft_.Publish();
}

core::Result<http::Response> HubReader::Ask(const std::string& path,
                                            const http::Fields& query) const {
  http::Request request;
  request.method = "GET";
  request.path = path;
  request.query = query;
  http::Response response = answer_(request);
  if (response.body == nullptr) response.body = std::make_shared<const std::string>();
  if (response.status == 200) return response;
  const auto problem = core::ReadJson(*response.body);
  const auto text = [&](const char* name) {
    return problem.is_object() && problem.contains(name) ? problem[name].get<std::string>() : "";
  };
  return core::Error{text("code"), fmt::format("{}: {}", AddressOf(path, query), text("detail"))};
}

nlohmann::ordered_json HubReader::GetJson(const std::string& path,
                                          const http::Fields& query) const {
  return core::SureJsonAs<nlohmann::ordered_json>(*Get(path, query).body);
}

std::string AddressOf(const std::string& path, http::Fields query) {
  std::ranges::sort(query);
  std::string address = path;
  for (const auto& [name, value] : query) {
    address += fmt::format("{}{}={}", address.size() == path.size() ? "?" : "&",
                           core::PercentEncoded(name), core::PercentEncoded(value));
  }
  return address;
}

core::Result<StaticExportReport> ExportStatic(const Answer& answer,
                                              const StaticExportOptions& options) {
  try {
    const HubReader reader(answer);
    Folder folder = Sure(Folder::Begin(options.place));
    const RevisionRows newest = ReadRevision(reader, PinIn(reader.GetJson("/tuned")), true);
    const Json index = WriteRevisions(reader, newest, options.revisions, folder);
    StaticExportReport report;
    report.revision = newest.revision;
    report.tables = index.at("tables").size();
    report.with_page = fs::exists(options.page / kIndexPage);
    if (report.with_page) {
      CopyPage(options.page, folder);
      WriteAnswers(reader, newest, folder);
    }
    Sure(folder.Write(kIndexFile, index.dump(1) + "\n"));
    Sure(folder.Publish());
    report.files = folder.files();
    report.bytes = folder.bytes();
    return report;
  } catch (const ExportFailed& failed) {
    return failed.error;
  }
}

}  // namespace tunehub::server

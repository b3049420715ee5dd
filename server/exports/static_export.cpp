#include "server/exports/static_export.h"

#include <fmt/core.h>

#include <set>

#include "build_info.h"
#include "core/system/file_bytes.h"
#include "server/exports/answers.h"
#include "server/exports/folder.h"
#include "server/exports/tables.h"

namespace tunehub::exports {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kPage = "index.html";

// What /revisions says of one. Error unknown_revision.
core::Result<Json> Listed(const HubReader& reader, std::int64_t revision) {
  auto list =
      reader.GetJson("/revisions", {{"before", std::to_string(revision + 1)}, {"limit", "1"}});
  if (!list.ok()) return list;
  Json& found = list->at("revisions");
  if (!found.empty() && found[0].at("revision") == revision) return std::move(found[0]);
  return core::Error{"unknown_revision", fmt::format("there is no revision {}", revision)};
}

core::Pin PinIn(const Json& json) {
  return core::ParsePin(json.at("pin").get<std::string>()).value();
}

core::Status CopyPage(const fs::path& page, Folder& folder) {
  std::error_code error;
  std::set<fs::path> files;  // in order
  for (fs::recursive_directory_iterator it(page, error), end; !error && it != end;
       it.increment(error)) {
    if (it->is_regular_file()) files.insert(it->path());
  }
  for (const fs::path& file : files) {
    const auto bytes = core::FileBytes::Read(file);
    if (!bytes.ok()) return bytes.error();
    const core::Status status =
        folder.Write(file.lexically_relative(page).generic_string(), bytes->view());
    if (!status.ok()) return status;
  }
  return core::Ok();
}

core::Result<Json> WriteRevisions(const HubReader& reader, const RevisionRows& newest,
                                  const std::vector<int>& others, Folder& folder) {
  // An export has no time of its own, or two of one revision would differ.
  const auto listed = Listed(reader, newest.revision.number);
  if (!listed.ok()) return listed.error();
  Json index = {{"format", kFormat},
                {"version", kFormatVersion},
                {"tunehub", TUNEHUB_VERSION},
                {"revision", newest.revision.number},
                {"pin", newest.revision.Text()},
                {"created", listed->at("created")},
                {"revisions", {newest.revision.number}},
                {"pins", {newest.revision.Text()}},
                {"tables", Json::array()},
                {"bundles", Json::array()}};
  if (core::Status status = WriteTables(reader, newest, folder, index); !status.ok())
    return status.error();
  for (const std::int64_t revision : std::set<std::int64_t>(others.begin(), others.end())) {
    if (revision == newest.revision.number) continue;
    const auto older = Listed(reader, revision);
    if (!older.ok()) return older.error();
    const auto rows = ReadRevision(reader, PinIn(*older), false);
    if (!rows.ok()) return rows.error();
    if (core::Status status = WriteTables(reader, *rows, folder, index); !status.ok())
      return status.error();
    index["revisions"].push_back(revision);
    index["pins"].push_back(rows->revision.Text());
  }
  return index;
}

}  // namespace

core::Result<StaticExportReport> ExportStatic(const api::App& app,
                                              const StaticExportOptions& options) {
  const HubReader reader(app);
  auto folder = Folder::Begin(options.place);
  if (!folder.ok()) return folder.error();
  const auto served = reader.GetJson("/tuned");
  if (!served.ok()) return served.error();
  const auto newest = ReadRevision(reader, PinIn(*served), true);
  if (!newest.ok()) return newest.error();
  const auto index = WriteRevisions(reader, *newest, options.revisions, *folder);
  if (!index.ok()) return index.error();
  StaticExportReport report;
  report.revision = newest->revision;
  report.tables = index->at("tables").size();
  report.with_page = fs::exists(options.page / kPage);
  if (report.with_page) {
    core::Status status = CopyPage(options.page, *folder);
    if (status.ok()) status = WriteAnswers(reader, *newest, *folder);
    if (!status.ok()) return status.error();
  }
  core::Status status = folder->Write(kIndexFile, index->dump(1) + "\n");
  if (status.ok()) status = folder->Publish();
  if (!status.ok()) return status.error();
  report.files = folder->files();
  report.bytes = folder->bytes();
  return report;
}

}  // namespace tunehub::exports

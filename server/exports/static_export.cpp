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

// When a revision was made: an export has no time of its own, or two of one revision would differ.
core::Result<std::string> TimeOf(const HubReader& reader, std::int64_t revision) {
  const auto list =
      reader.GetJson("/revisions", {{"before", std::to_string(revision + 1)}, {"limit", "1"}});
  if (!list.ok()) return list.error();
  const Json& found = list->at("revisions");
  return found.empty() ? "" : found[0].at("created").get<std::string>();
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
  const auto created = TimeOf(reader, newest.revision);
  if (!created.ok()) return created.error();
  Json index = {{"format", kFormat},          {"version", kFormatVersion},
                {"tunehub", TUNEHUB_VERSION}, {"revision", newest.revision},
                {"created", *created},        {"revisions", {newest.revision}},
                {"tables", Json::array()},    {"bundles", Json::array()}};
  if (core::Status status = WriteTables(reader, newest, folder, index); !status.ok())
    return status.error();
  for (const std::int64_t revision : std::set<std::int64_t>(others.begin(), others.end())) {
    if (revision == newest.revision) continue;
    const auto rows = ReadRevision(reader, revision, false);
    if (!rows.ok()) return rows.error();
    if (core::Status status = WriteTables(reader, *rows, folder, index); !status.ok())
      return status.error();
    index["revisions"].push_back(revision);
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
  const auto newest = ReadRevision(reader, served->at("revision").get<std::int64_t>(), true);
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

#include "server/ops/static_export.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "build_info.h"
#include "core/base/encoding.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/read_json.h"
#include "server/ops/export_tables.h"

namespace tunehub::server {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExportNames[] = {
    "assets",           "bundles",   "data",   "docs",       "index.html",
    kIndexFile,         "revisions", "tables", "SHA256SUMS", "SHA256SUMS.minisig",
    "signing-keys.json"};

bool HasIndex(const fs::path& folder) {
  std::ifstream in(folder / kIndexFile);
  const auto json = core::ReadJson(std::string(std::istreambuf_iterator<char>(in), {}));
  return json.is_object() && json.value("format", nlohmann::json()) == kExportFormat;
}

constexpr core::FolderKind kExport = {"not_an_export", "an export", kExportNames,
                                      "index.json of an export", HasIndex};

using Json = nlohmann::ordered_json;

constexpr const char* kIndexPage = "index.html";

// Returns a revision's entry of /revisions. Errors: unknown_revision.
Json Listed(const HubReader& reader, std::int64_t revision) {
  Json list =
      reader.GetJson("/revisions", {{"after", std::to_string(revision + 1)}, {"limit", "1"}});
  Json& found = list.at("revisions");
  if (!found.empty() && found[0].at("revision") == revision) return std::move(found[0]);
  throw ExportFailed{{"unknown_revision", fmt::format("unknown revision {}", revision)}};
}

core::Pin PinIn(const Json& json) {
  return core::ParsePin(json.at("pin").get<std::string>()).value();
}

// Calls `see` with the name and the bytes of each file below the folder, in order.
template <typename See>
void EachFile(const fs::path& folder, const See& see) {
  std::error_code error;
  std::set<fs::path> files;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->is_regular_file()) files.insert(it->path());
  }
  for (const fs::path& file : files) {
    const auto bytes = Sure(core::FileBytes::Read(file));
    see(file.lexically_relative(folder).generic_string(), bytes.view());
  }
}

// Writes the digests of all files, and one signature for them.
void WriteSums(const core::SecretKey& key, const core::Pin& revision, core::FolderDraft& folder) {
  std::string sums;
  EachFile(folder.draft(), [&](const std::string& name, std::string_view bytes) {
    sums += fmt::format("{}  {}\n", core::Sha256Hex(bytes), name);
  });
  Sure(folder.Write("SHA256SUMS", sums));
  if (!key.any()) return;
  Sure(folder.Write("SHA256SUMS.minisig", SignAnswer(key, revision, "export", sums)));
}

Json WriteRevisions(const HubReader& reader, const RevisionRows& newest,
                    const std::vector<int>& others, core::FolderDraft& folder) {
  // An export contains no time of its own, so that two exports of one revision are equal.
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

core::Result<core::FolderDraft> BeginExport(const fs::path& named) {
  const auto place = core::FolderPlace(named);
  if (!place.ok()) return place.error();
  return core::FolderDraft::Begin(*place, &kExport);
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
    const HubReader reader(answer, options.say, options.signing_key);
    auto folder = Sure(BeginExport(options.place));
    const RevisionRows newest = ReadRevision(reader, PinIn(reader.GetJson("/tuned")), true);
    const Json index = WriteRevisions(reader, newest, options.revisions, folder);
    StaticExportReport report;
    report.revision = newest.revision;
    report.tables = index.at("tables").size();
    report.with_page = fs::exists(options.page / kIndexPage);
    if (report.with_page) {
      EachFile(options.page, [&](const std::string& name, std::string_view bytes) {
        Sure(folder.Write(name, bytes));
      });
      WriteAnswers(reader, newest, folder);
    }
    Sure(folder.Write(kIndexFile, index.dump(1) + "\n"));
    Sure(folder.Write("signing-keys.json", *reader.Get("/signing-keys").body));
    WriteSums(reader.key, newest.revision, folder);
    Sure(folder.Publish());
    report.files = folder.files();
    report.bytes = folder.bytes();
    return report;
  } catch (const ExportFailed& failed) {
    return failed.error;
  }
}

}  // namespace tunehub::server

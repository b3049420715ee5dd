// Imports of many files: reads their rows, and recognizes a repeated import.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "core/base/hash.h"
#include "core/base/process.h"
#include "core/table/detect.h"
#include "server/ingest/ingest.h"
#include "server/ingest/runs.h"
#include "server/ingest/source_store.h"
#include "server/ingest/staged_rows.h"
#include "server/tables/bundle.h"

namespace tunehub::server {
namespace {

// Returns a digest of all inputs that decide an import's rows. These are the files, the members of
// the run that affect standings, the family files, targets.json and this program's build. Returns
// "" if the program's build is unknown.
std::string ImportContent(const Definitions& definitions, const std::vector<core::TarFile>& files,
                          const RunContent& run, const WriteRequest& write) {
  static const std::string build = core::BuildId();
  if (build.empty()) return "";
  // Each line ends with a digest, which contains no line feed. So different lists have different
  // texts.
  std::string list = build + (write.atomic ? "\natomic\n" : "\n");
  if (IsTrusted(run, write)) list += "upstream\n";
  if (run.error_limit) list += fmt::format("error_limit {}\n", *run.error_limit);
  if (run.provider) list += fmt::format("provider {}\n", static_cast<int>(*run.provider));
  for (const auto& family : definitions.families.all()) {
    list += family->name + " " + family->Sha256() + "\n";
  }
  list += definitions.targets.Sha256() + "\n";
  for (const core::TarFile& file : files) {
    list += std::to_string(file.name.size()) + " " + file.name + " " + core::Sha256Hex(file.bytes) +
            "\n";
  }
  return core::Sha256Hex(list);
}

std::string_view TextOf(const std::vector<core::TarFile>& files, std::string_view name) {
  const auto file = std::ranges::find(files, name, &core::TarFile::name);
  return file == files.end() || name.empty() ? std::string_view() : std::string_view(file->bytes);
}

// Reads the file as rows of the family `unlisted`. `files` contains the file's untuned table.
// Returns nothing if the file is not a tuned table, is unreadable, or is not from an admin.
// `report` then contains the reason.
std::optional<core::UnlistedTable> Carry(const core::Families& families, const core::TarFile& file,
                                         const std::vector<core::TarFile>& files,
                                         const WriteRequest& write, FileReport& report) {
  if (core::UnlistedStem(families, file.name).empty()) {
    std::string why = core::WhyForeign(families, file.name);
    if (why.empty()) why = "the file's name is not the name of a tuned table";
    report.Say("skipped", {"not_a_tuned_table", std::move(why)});
    return std::nullopt;
  }
  if (write.api_key != 0 && !write.admin) {
    report.Say("skipped", {"needs_admin",
                           "no family describes this table, so only an import with a key of scope "
                           "admin may store it"});
    return std::nullopt;
  }
  const core::Family& unlisted = *families.Unlisted();
  auto table = core::ReadUnlisted(
      unlisted, {file.name, file.bytes, TextOf(files, core::UntunedName(file.name))});
  if (table.ok()) {
    report.family = unlisted.name;
    return *std::move(table);
  }
  report.Say("refused", table.error());
  return std::nullopt;
}

// Renumbers the rows and remarks of `carried.csv` by the lines of the original file.
void NumberAsFile(core::UnlistedTable carried, core::TunedTable& table) {
  constexpr std::size_t kFirst = 2;  // after the header
  const auto number = [&](std::size_t& line) {
    if (line >= kFirst && line - kFirst < carried.lines.size()) line = carried.lines[line - kFirst];
  };
  for (core::Row& row : table.rows) number(row.source_line);
  for (auto* const issues : {&table.rejected, &table.warnings}) {
    for (core::RowIssue& issue : *issues) number(issue.line);
  }
  std::ranges::move(carried.rejected, std::back_inserter(table.rejected));
  SortByLine(table.rejected);
}

// Appends the rows of one file to `rows`.
FileReport ReadFile(const Definitions& definitions, const std::vector<core::TarFile>& files,
                    std::size_t index, const RunContent& run, const WriteRequest& write,
                    std::vector<StagedRow>& rows) {
  const core::TarFile& file = files[index];
  FileReport report;
  report.file = file.name;
  const core::Family* family = core::FamilyOfFileName(definitions.families, file.name);
  std::optional<core::UnlistedTable> carried;
  if (family == nullptr || !file.name.ends_with(".csv")) {
    carried = Carry(definitions.families, file, files, write, report);
    if (!carried) return report;
    family = definitions.families.Unlisted();
  }
  report.family = family->name;
  const bool upstream = IsTrusted(run, write);
  const std::string_view text = carried ? carried->csv : std::string_view(file.bytes);
  auto table = core::ReadTunedTable(
      *family, definitions.targets, text,
      {.error_limit = core::ImportErrorLimit(*family, run.error_limit, upstream),
       .upstream = upstream});
  if (!table.ok()) {
    report.Say("refused", table.error());
    return report;
  }
  if (carried) NumberAsFile(*std::move(carried), *table);
  report.status = "imported";
  auto staged = StageRows(
      definitions, *family, {*std::move(table), {}, {}},
      {.provider = run.provider, .file = index, .judges_kernels = write.api_key != 0 && !upstream},
      report);
  std::ranges::move(staged, std::back_inserter(rows));
  return report;
}

// Reads the files that are tables. Each file gets a report. An admin's import also stores tables
// without a family, line by line.
std::vector<FileReport> ReadImport(const Definitions& definitions,
                                   const std::vector<core::TarFile>& files, const RunContent& run,
                                   const WriteRequest& write, std::vector<StagedRow>& rows) {
  std::vector<FileReport> reports;
  for (std::size_t i = 0; i < files.size(); ++i)
    reports.push_back(ReadFile(definitions, files, i, run, write, rows));
  return reports;
}

constexpr std::size_t kMaxUnlistedTables = 1000;

// Errors: too_many_tables (the unlisted tables of these files and of the registry together exceed
// the limit).
core::Status CheckUnlistedCount(const core::Families& families, const FamilySnapshot& snapshot,
                                const std::vector<FileReport>& reports) {
  const core::Family& unlisted = *families.Unlisted();
  std::set<std::string> names;
  for (const FileReport& report : reports) {
    if (report.family == unlisted.name) names.insert(core::UnlistedStem(families, report.file));
  }
  if (names.empty()) return core::Ok();
  for (const auto& [name, table] : UnlistedTables(unlisted, snapshot.rows)) names.insert(name);
  if (names.size() <= kMaxUnlistedTables) return core::Ok();
  return core::Error{
      "too_many_tables",
      fmt::format(
          "with these files the hub would have {} tables that no family describes; the limit is {}",
          names.size(), kMaxUnlistedTables)};
}

// Returns the families in the files' names.
std::map<std::int16_t, std::string> FamiliesNamed(const Definitions& definitions,
                                                  const std::vector<core::TarFile>& files) {
  std::map<std::int16_t, std::string> families;
  for (const core::TarFile& file : files) {
    const core::Family* family = core::FamilyOfFileName(definitions.families, file.name);
    if (family == nullptr) family = definitions.families.Unlisted();
    if (family != nullptr) families[definitions.Id(*family)] = family->Sha256();
  }
  return families;
}

// Returns the families of the files, with the SHA-256 of their family files.
std::map<std::int16_t, std::string> FamiliesOf(const Definitions& definitions,
                                               const std::vector<FileReport>& reports) {
  std::map<std::int16_t, std::string> families;
  for (const FileReport& report : reports) {
    const core::Family* const family = definitions.families.Find(report.family);
    if (family == nullptr) continue;
    std::string& sha256 = families[definitions.Id(*family)];
    if (sha256.empty()) sha256 = family->Sha256();
  }
  return families;
}

}  // namespace

WriteAnswer Ingest::Import(const std::string& source, const std::vector<core::TarFile>& files,
                           const WriteRequest& write, const std::optional<RunContent>& about) {
  const core::Stopwatch stopwatch(figures_.imports);
  if (const auto within = CheckSource(write, source); !within.ok()) return Refuse(within.error());
  BatchRequest request;
  request.kind = "import";
  request.cause = "import " + (source.empty() ? "without a source" : source);
  request.supersede = !source.empty();
  request.write = write;
  request.new_run = RunOfRequest(write, about);
  request.new_run.source = source;
  if (!source.empty()) request.content = ImportContent(definitions_, files, request.new_run, write);
  // A dry run needs the rows for its answer, and a limited API key needs them for a check.
  if (!request.content.empty() && !write.dry_run && !write.limits) {
    request.families = FamiliesNamed(definitions_, files);
    auto repeated = RepeatImport(pool_, request, RenderRepeat);
    if (!repeated.ok()) return Refuse(repeated.error());
    if (*repeated) {
      snapshots_.Expect({});  // the rows' provenance is now newer
      return Answered(**std::move(repeated));
    }
  }
  std::vector<StagedRow> rows;
  auto reports = ReadImport(definitions_, files, request.new_run, write, rows);
  if (const core::Family* const unlisted = definitions_.families.Unlisted()) {
    const auto within =
        CheckUnlistedCount(definitions_.families, *snapshots_.Current(*unlisted), reports);
    if (!within.ok()) return Refuse(within.error());
  }
  if (rows.empty()) {
    return Refuse({"nothing_to_import",
                   fmt::format("found no row of a tuned table in the {} files", files.size())},
                  RejectedOf(reports));
  }
  const auto refused = std::find_if(reports.begin(), reports.end(),
                                    [](const FileReport& it) { return it.status == "refused"; });
  if (refused != reports.end()) {
    request.incomplete = core::Error{
        "refused_files", fmt::format("{}: {}: {}", refused->file, refused->code, refused->detail)};
    if (write.atomic) return Refuse(*request.incomplete);
    request.content.clear();
  }
  request.families = FamiliesOf(definitions_, reports);
  request.render = [&](const BatchOutcome& outcome, const std::vector<StagedRow>& staged) {
    std::vector<FileReport> described = reports;
    DescribeObjections(outcome, staged, described);
    return RenderImportReceipt(source, described, outcome, write.dry_run);
  };
  return Commit(std::move(request), std::move(rows), reports);
}

}  // namespace tunehub::server

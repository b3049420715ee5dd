#include "server/ingest/imports.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/base/sha256.h"
#include "core/system/build_id.h"
#include "core/table/detect.h"
#include "core/table/unlisted.h"
#include "server/ingest/batch_rows.h"
#include "server/tables/bundle.h"

namespace tunehub::server {

std::string ImportContent(const Definitions& definitions, const std::vector<core::TarFile>& files,
                          const RunContent& run, const WriteRequest& write) {
  static const std::string build = core::BuildId();
  if (build.empty()) return "";
  // A digest holds no line feed, and comes last in its line: no two lists have one text.
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

namespace {

std::string_view TextOf(const std::vector<core::TarFile>& files, std::string_view name) {
  const auto file = std::ranges::find(files, name, &core::TarFile::name);
  return file == files.end() || name.empty() ? std::string_view() : std::string_view(file->bytes);
}

// The file as rows of the family `unlisted`; nothing, with the reason in `report`, where it is no
// such table, cannot be read, or the caller is no admin. Its untuned table is among `files`.
std::optional<core::UnlistedTable> Carry(const core::Families& families, const core::TarFile& file,
                                         const std::vector<core::TarFile>& files,
                                         const WriteRequest& write, FileReport& report) {
  if (core::UnlistedStem(families, file.name).empty()) {
    std::string why = core::WhyForeign(families, file.name);
    if (why.empty()) why = "its name is no tuned table's";
    report.Say("skipped", {"not_a_tuned_table", std::move(why)});
    return std::nullopt;
  }
  if (write.api_key != 0 && !write.admin) {
    report.Say("skipped",
               {"needs_admin",
                "no family describes the table, and only an admin's import carries such a one"});
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

// Rows and remarks of what was read of `carried.csv`, by the lines of the file itself.
void NumberAsFile(core::UnlistedTable carried, core::TunedTable& table) {
  constexpr std::size_t kFirst = 2;  // behind the header
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

// The rows of one file, behind `rows`.
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

}  // namespace

std::vector<FileReport> ReadImport(const Definitions& definitions,
                                   const std::vector<core::TarFile>& files, const RunContent& run,
                                   const WriteRequest& write, std::vector<StagedRow>& rows) {
  std::vector<FileReport> reports;
  for (std::size_t i = 0; i < files.size(); ++i)
    reports.push_back(ReadFile(definitions, files, i, run, write, rows));
  return reports;
}

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
  return core::Error{"too_many_tables",
                     fmt::format("with these files there would be {} tables that no family "
                                 "describes; the limit is {}",
                                 names.size(), kMaxUnlistedTables)};
}

}  // namespace tunehub::server

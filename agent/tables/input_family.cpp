#include "agent/tables/input_family.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "agent/base/command.h"
#include "agent/tables/commands.h"
#include "core/row/target.h"
#include "core/table/csv.h"
#include "core/table/detect.h"

namespace tunehub::agent {

core::Result<const core::Family*> FamilyOf(const core::Families& families, const std::string& name,
                                           const core::SourceFile& file) {
  if (!name.empty()) return families.Named(name);
  // In a folder `configs`, only exact file names count. So a relative path is made absolute first.
  std::error_code error;
  const std::string path = std::filesystem::absolute(file.name, error).string();
  auto family = core::DetectFamily(families, path, file.text);
  if (family.ok()) return family;
  return family.error().In(file.name);
}

core::Result<const core::Family*> FamilyOfPath(const core::Families& families,
                                               const std::string& name, const std::string& path) {
  const auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok()) return bytes.error();
  return FamilyOf(families, name, {path, bytes->view()});
}

core::Result<const core::Family*> CommonFamily(const core::Families& families,
                                               const std::string& name,
                                               std::span<const core::SourceFile> files) {
  core::Result<const core::Family*> common = FamilyOf(families, name, files.front());
  for (const core::SourceFile& file : files.subspan(1)) {
    if (!common.ok()) break;
    auto family = FamilyOf(families, name, file);
    if (!family.ok()) return family;
    if (*family == *common) continue;
    return core::Error{
        "mixed_families",
        fmt::format("{} is a table of {}, but {} is a table of {}; merge one family at a time",
                    files.front().name, (*common)->name, file.name, (*family)->name)};
  }
  return common;
}

core::Result<InputFiles> ReadInputFiles(const std::vector<std::string>& paths) {
  InputFiles files;
  for (const std::string& path : paths) {
    auto read = core::FileBytes::Read(path);
    if (!read.ok()) return read.error();
    files.bytes.push_back(*std::move(read));
    files.sources.push_back({path, files.bytes.back().view()});
  }
  return files;
}

core::Status CheckTables(const Configuration& configuration,
                         const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const auto bytes = core::FileBytes::Read(file);
    if (!bytes.ok() || file.ends_with(".log")) continue;  // push also sends logs
    core::CsvReader reader(bytes->view());
    core::CsvRecord record;
    if (!reader.First(record).ok()) continue;
    const auto gfx =
        static_cast<std::size_t>(std::ranges::find(record.fields, "gfx") - record.fields.begin());
    const std::size_t columns = record.fields.size();
    auto more = reader.Next(record);
    if (more.ok() && !*more && columns > 1)
      return core::Error{"no_rows", file + ": has a header, but no row; nothing was sent"};
    for (; more.ok() && *more; more = reader.Next(record)) {
      if (gfx >= record.fields.size()) continue;
      const std::string why = core::WhyUnknownGfx(configuration.targets, record.fields[gfx]);
      if (why.empty()) continue;
      return core::Error{"unknown_gfx",
                         fmt::format("{}:{}: {}\nFor a new GPU, pass --configs with a targets.json "
                                     "that has its gfx",
                                     file, record.line, why)};
    }
  }
  return core::Ok();
}

core::Result<lookup::LoadedTable> ReadLookupTable(const Configuration& configuration,
                                                  const std::string& family,
                                                  const std::vector<std::string>& files) {
  const auto read = ReadInputFiles(files);
  if (!read.ok()) return read.error();
  const auto common = CommonFamily(configuration.families, family, read->sources);
  if (!common.ok()) return common.error();
  return lookup::LoadTable(**common, configuration.targets, read->sources);
}

int RunFamily(int argc, char** argv, Console& console) {
  std::string file, untuned;
  cli::CommandLine line("Drafts a family file, which describes a table.", "tunehub-agent family");
  cli::CommandLine& draft =
      line.AddCommand("draft", "print a draft of the family file for a table");
  draft.Add("FILE", file, "a tuned table").Required();
  draft.Add("--untuned", untuned,
            "its untuned table, whose columns are the shape; default: the untuned table beside it");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  const auto table = core::FileBytes::Read(file);
  if (!table.ok()) return Fail(console, "family", table.error());
  if (untuned.empty()) {
    const std::string beside = core::UntunedName(file);
    if (!beside.empty() && std::filesystem::is_regular_file(beside)) untuned = beside;
  }
  std::optional<core::FileBytes> asked;
  if (!untuned.empty()) {
    auto read = core::FileBytes::Read(untuned);
    if (!read.ok()) return Fail(console, "family", read.error());
    asked = *std::move(read);
  }
  const auto text =
      core::DraftFamily(file, table->view(), asked ? asked->view() : std::string_view());
  if (!text.ok()) return Fail(console, "family", text.error());
  if (untuned.empty()) {
    console.err << "tunehub-agent family: " << file
                << " has no untuned table, so its shape columns are guessed\n";
  }
  console.out << *text;
  return kGood;
}

}  // namespace tunehub::agent

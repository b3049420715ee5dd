#include "agent/commands/contribute/aiter_guards.h"

#include <fmt/core.h>

#include <set>

#include "agent/base/remark.h"
#include "agent/commands/contribute/aiter_file_name.h"
#include "agent/commands/tables/table_test.h"
#include "core/merge/merge.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {
namespace {

core::Error GuardFailed(const std::string& guard, const std::string& what) {
  return {"guard_failed", fmt::format("{}: {}", guard, what)};
}

// What a row says, whatever derived columns its file has.
std::string SaysOf(const core::Family& family, std::string_view line) {
  std::string scratch, text;
  const core::Cells cells = core::SplitLine(line, scratch);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const core::Role role = family.columns[i].role;
    const bool says =
        family.columns[i].is_key() || role == core::Role::kConfig || role == core::Role::kObjective;
    if (says) text.append(cells[i]);
    text.append(1, ',');
  }
  return text;
}

core::Status CheckReadsBack(const ContributedFile& file, const core::TunedTable& table) {
  std::set<std::string> read;
  for (const core::Row& row : table.rows) read.insert(SaysOf(*file.family, row.line));
  for (const OfferedRow& row : file.rows) {
    if (read.contains(SaysOf(*file.family, row.line))) continue;
    return GuardFailed("the row as it is read back",
                       fmt::format("{}: {}", file.path, KeyOfLine(*file.family, row.line)));
  }
  return core::Ok();
}

// The default files alone are what AITER's test reads; what fails there already is upstream's.
core::Status CheckTableTest(const core::Targets& targets, const ContributedFile& file,
                            const core::TunedTable& table) {
  if (file.path != file.family->file) return core::Ok();
  std::vector<Remark> before, after;
  const auto old = ReadRows(*file.family, targets, file.before);
  if (old.ok()) AddTestFailures(*file.family, file.path, *old, before);
  AddTestFailures(*file.family, file.path, table, after);
  if (after.size() <= before.size()) return core::Ok();
  const Remark& last = after.back();
  return GuardFailed("AITER's test of its tables",
                     fmt::format("{}:{}: {}", file.path, last.issue.line, last.issue.detail));
}

core::Status CheckMerge(const core::Targets& targets, const ContributedFile& file,
                        const FamilyTexts& texts) {
  std::vector<core::SourceFile> sources;
  for (const auto& [name, text] : texts) sources.push_back({name, text});
  const auto merged = core::MergeTables(*file.family, targets, sources);
  if (!merged.ok()) return merged.error();
  std::set<std::string> ours;
  for (const OfferedRow& row : file.rows) ours.insert(KeyOfLine(*file.family, row.line));
  for (const core::Duplicate& duplicate : merged->duplicates) {
    const std::string key = KeyOfLine(*file.family, duplicate.places.front().text);
    if (!ours.contains(key)) continue;  // which the tree had before
    return GuardFailed("AITER's merge, which raises at a duplicate",
                       fmt::format("{} and {} both have {}", sources[duplicate.places[0].file].name,
                                   sources[duplicate.places[1].file].name, key));
  }
  return core::Ok();
}

}  // namespace

core::Status HoldAgainstGuards(const core::Families& families, const core::Targets& targets,
                               const ContributedFile& file, const FamilyTexts& texts) {
  if (auto named = CheckFileName(families, *file.family, file.path); !named.ok()) return named;
  const auto table = ReadRows(*file.family, targets, file.bytes);
  if (!table.ok()) return table.error();
  if (auto read = CheckReadsBack(file, *table); !read.ok()) return read;
  if (auto test = CheckTableTest(targets, file, *table); !test.ok()) return test;
  return CheckMerge(targets, file, texts);
}

std::vector<std::string> GuardNames() {
  return {"AITER's merge of all files of each family finds no key twice",
          "AITER's test of its tables: every time above 0, no share of wrong elements above 0.2",
          "each file's name is read for its family and for no other, and does not say 'untuned'",
          "every row is read back from its file as it was measured",
          "a lookup can ask for every row (full names of types, the GPU's own fp8, token tiers)"};
}

}  // namespace tunehub::agent

#include "core/merge.h"

#include <algorithm>
#include <unordered_map>

#include "core/table_writer.h"
#include "core/winner.h"

namespace tunehub::core {
namespace {

struct Entry {
  const Row* row;
  std::size_t file;
};

// Files have no runs: the first file wins what the rule leaves open, as in AITER.
bool Wins(const Entry& a, const Entry& b) {
  const auto contender = [](const Row& row) {
    return Contender{row.standing, row.us, row.error, {}, 0, {}};
  };
  return Beats(contender(*a.row), contender(*b.row));
}

FileIssues IssuesOf(std::size_t file, TunedTable& table) {
  FileIssues issues{file, std::move(table.rejected), {}, std::move(table.warnings)};
  for (const Row& row : table.rows) {
    if (row.standing != Standing::kQuarantined) continue;
    const std::size_t colon = row.reason.find(':');
    issues.quarantined.push_back(
        {row.source_line, "", row.reason.substr(0, colon), row.reason.substr(colon + 2)});
  }
  return issues;
}

Duplicate Describe(std::vector<Entry> group) {
  std::stable_sort(group.begin(), group.end(), Wins);
  Duplicate duplicate;
  duplicate.identical = true;
  for (const Entry& entry : group) {
    duplicate.identical = duplicate.identical && entry.row->line == group[0].row->line;
    duplicate.places.push_back({entry.file, entry.row->source_line, entry.row->line});
  }
  return duplicate;
}

class Merger {
 public:
  explicit Merger(std::size_t rows) {
    entries_.reserve(rows);
    index_.reserve(rows);
  }

  void Add(const Entry& entry) {
    const auto [place, added] = index_.try_emplace(entry.row->order, entries_.size());
    if (added) {
      entries_.push_back(entry);
      return;
    }
    Entry& held = entries_[place->second];
    std::vector<Entry>& group = groups_[place->second];
    if (group.empty()) group.push_back(held);
    group.push_back(entry);
    if (Wins(entry, held)) held = entry;
  }

  void Finish(const Family& family, Merged& merged) {
    std::vector<std::size_t> duplicated;
    for (const auto& [index, group] : groups_) duplicated.push_back(index);
    std::sort(duplicated.begin(), duplicated.end());
    for (std::size_t index : duplicated) {
      merged.duplicates.push_back(Describe(std::move(groups_[index])));
    }
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.row->order < b.row->order; });
    std::vector<std::string_view> lines;
    lines.reserve(entries_.size());
    for (const Entry& entry : entries_) lines.push_back(entry.row->line);
    merged.rows_written = lines.size();
    merged.csv = WriteTable(family, lines);
  }

 private:
  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, std::size_t> index_;     // order key -> entries_
  std::unordered_map<std::size_t, std::vector<Entry>> groups_;  // entries_ with more than one row
};

}  // namespace

Result<Merged> MergeTables(const Family& family, const Targets& targets,
                           std::span<const SourceFile> sources, bool warnings) {
  Merged merged;
  std::vector<TunedTable> tables;
  tables.reserve(sources.size());
  const ReadOptions options{.error_limit = {}, .identities = false, .warnings = warnings};
  for (const SourceFile& source : sources) {
    auto table = ReadTunedTable(family, targets, source.text, options);
    if (!table.ok()) return Error{table.error().code, source.name + ": " + table.error().detail};
    merged.rows_read += table->rows.size() + table->rejected.size();
    tables.push_back(*std::move(table));
  }
  Merger merger(merged.rows_read);
  for (std::size_t file = 0; file < tables.size(); ++file) {
    for (const Row& row : tables[file].rows) {
      if (row.standing != Standing::kQuarantined) merger.Add({&row, file});
    }
  }
  merger.Finish(family, merged);
  for (std::size_t file = 0; file < tables.size(); ++file) {
    merged.issues.push_back(IssuesOf(file, tables[file]));
  }
  return merged;
}

}  // namespace tunehub::core

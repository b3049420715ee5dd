#include "core/merge.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <numeric>
#include <optional>
#include <thread>

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

bool Precedes(const Entry& a, const Entry& b) {
  return a.row->order < b.row->order;
}

// One file, read, and its rows in key order.
struct Source {
  std::optional<Result<TunedTable>> table;
  std::vector<Entry> entries;
};

void Read(const Family& family, const Targets& targets, std::string_view text, std::size_t file,
          const ReadOptions& options, Source& source) {
  source.table.emplace(ReadTunedTable(family, targets, text, options));
  if (!source.table->ok()) return;
  source.entries.reserve((**source.table).rows.size());
  for (const Row& row : (**source.table).rows) {
    if (row.standing != Standing::kQuarantined) source.entries.push_back({&row, file});
  }
  std::stable_sort(source.entries.begin(), source.entries.end(), Precedes);
}

// Below this, starting a thread costs more than it saves.
constexpr std::size_t kBytesPerThread = std::size_t{256} << 10;

// The files on as many threads as there are cores and work for them, the largest first.
std::vector<Source> ReadAll(const Family& family, const Targets& targets,
                            std::span<const SourceFile> files, const ReadOptions& options) {
  std::vector<Source> sources(files.size());
  std::vector<std::size_t> order(files.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return files[a].text.size() > files[b].text.size();
  });
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < order.size(); i = next++) {
      const std::size_t file = order[i];
      Read(family, targets, files[file].text, file, options, sources[file]);
    }
  };
  std::size_t bytes = 0;
  for (const SourceFile& file : files) bytes += file.text.size();
  const std::size_t threads = std::min(
      {files.size(), bytes / kBytesPerThread, std::size_t{std::thread::hardware_concurrency()}});
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  helpers.clear();  // joins them
  return sources;
}

// The entries of all files in key order, those of one key in the order of the files.
std::vector<Entry> MergeEntries(const std::vector<Source>& sources) {
  std::vector<Entry> all, merged;
  for (const Source& source : sources) {
    merged.clear();
    merged.reserve(all.size() + source.entries.size());
    std::merge(all.begin(), all.end(), source.entries.begin(), source.entries.end(),
               std::back_inserter(merged), Precedes);
    all.swap(merged);
  }
  return all;
}

void Resolve(const Family& family, const std::vector<Entry>& entries, Merged& merged) {
  std::vector<std::string_view> lines;
  lines.reserve(entries.size());
  for (auto first = entries.begin(); first != entries.end();) {
    const auto last = std::find_if(first, entries.end(), [&](const Entry& entry) {
      return entry.row->order != first->row->order;
    });
    lines.push_back(std::min_element(first, last, Wins)->row->line);
    if (last - first > 1) merged.duplicates.push_back(Describe({first, last}));
    first = last;
  }
  merged.rows_written = lines.size();
  merged.csv = WriteTable(family, lines);
}

}  // namespace

Result<Merged> MergeTables(const Family& family, const Targets& targets,
                           std::span<const SourceFile> sources, bool warnings) {
  Merged merged;
  const ReadOptions options{.error_limit = {}, .identities = false, .warnings = warnings};
  std::vector<Source> read = ReadAll(family, targets, sources, options);
  for (std::size_t file = 0; file < read.size(); ++file) {
    const Result<TunedTable>& table = *read[file].table;
    if (!table.ok()) {
      return Error{table.error().code, sources[file].name + ": " + table.error().detail};
    }
    merged.rows_read += table->rows.size() + table->rejected.size();
  }
  Resolve(family, MergeEntries(read), merged);
  for (std::size_t file = 0; file < read.size(); ++file) {
    merged.issues.push_back(IssuesOf(file, **read[file].table));
  }
  return merged;
}

}  // namespace tunehub::core

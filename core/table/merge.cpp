#include "core/table/merge.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory_resource>
#include <optional>
#include <thread>

#include "core/base/threads.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"

namespace tunehub::core {
namespace {

struct CutTable {
  TableHeader header;
  std::size_t line = 0;              // number of the first row's line
  std::vector<std::size_t> borders;  // in bytes; chunk i is borders[i] to borders[i + 1]
};

// Cuts after the header, then at line ends, every `chunk_bytes` or slightly more. If the rows
// contain a quote, a cell may contain a line end; all rows are then one chunk. Returns nullopt if
// the header is bad; ReadTunedTable reports the error.
std::optional<CutTable> CutIntoChunks(const Family& family, std::string_view csv,
                                      std::size_t chunk_bytes) {
  CsvReader reader(csv);
  CsvRecord record;
  const Result<bool> found = reader.Next(record);
  if (!found.ok() || !*found) return std::nullopt;
  Result<TableHeader> header = MapHeader(family, record.fields, record.line);
  const std::size_t rows = reader.position();
  if (!header.ok() || !CheckTableText(csv.substr(0, rows)).ok()) return std::nullopt;

  CutTable table{*std::move(header), reader.line(), {rows}};
  const bool quoted = csv.find('"', rows) != std::string_view::npos;
  for (std::size_t begin = rows; !quoted && csv.size() - begin > chunk_bytes;) {
    const std::size_t end = csv.find('\n', begin + chunk_bytes);
    if (end >= csv.size() - 1) break;  // npos, too
    begin = end + 1;
    table.borders.push_back(begin);
  }
  table.borders.push_back(csv.size());
  return table;
}

struct SortedRun;

// A row in the merge. Entries allocate nothing of their own, because a table has tens of thousands
// of rows.
struct Entry {
  // The sort key (core/row/row.h) as big-endian words, padded with zeros. No sort key is a prefix
  // of another, so comparing the words equals comparing the bytes.
  std::span<const std::uint64_t> order;
  std::string_view line;  // points into the table's text or the run's storage
  double us = 0, error = 0;
  Standing standing = Standing::kMeasured;
  std::uint32_t row_line = 0;  // relative to the chunk's first line
  const SortedRun* run = nullptr;
};

struct SortedRun {
  std::size_t file = 0;
  bool refused = false;               // the chunk cannot be read; ReadTunedTable reports the error
  std::size_t rows = 0;               // read, including rejected ones
  std::size_t lines = 0;              // number of the chunk's lines
  std::size_t first_line = 0;         // the chunk's first line in the file, by PlaceRuns
  std::vector<const Entry*> entries;  // by sort key; equal sort keys in file order
  // Lines here count from the chunk's first line. `warnings` are about realigned rows.
  std::vector<RowIssue> rejected, quarantined, warnings;
  std::pmr::monotonic_buffer_resource storage;  // owns entries, sort keys and rewritten lines
};

std::uint64_t FromBigEndian(std::uint64_t word) {
  return std::endian::native == std::endian::big ? word : __builtin_bswap64(word);
}

std::span<const std::uint64_t> StoreOrder(std::string_view key, SortedRun& run) {
  const std::size_t count = (key.size() + 7) / 8;
  auto* const words = static_cast<std::uint64_t*>(run.storage.allocate(8 * count, 8));
  words[count - 1] = 0;
  std::memcpy(words, key.data(), key.size());
  for (std::size_t i = 0; i < count; ++i) words[i] = FromBigEndian(words[i]);
  return {words, count};
}

std::string_view StoreLine(const Cells& cells, SortedRun& run) {
  const std::string line = JoinCells(cells);
  auto* const copy = static_cast<char*>(run.storage.allocate(line.size(), 1));
  line.copy(copy, line.size());
  return {copy, line.size()};
}

// Splits a standing's reason, "code: detail".
RowIssue Quarantined(std::size_t line, const std::string& reason) {
  const std::size_t colon = reason.find(':');
  return {line, "", reason.substr(0, colon), reason.substr(colon + 2)};
}

bool Before(const Entry* a, const Entry* b) {
  const std::size_t count = std::min(a->order.size(), b->order.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (a->order[i] != b->order[i]) return a->order[i] < b->order[i];
  }
  return false;
}

// Reads chunk `index` of a table into `run`. All arguments must outlive `run`.
void ReadRun(const Family& family, const Targets& targets, std::string_view csv,
             const CutTable& table, std::size_t index, SortedRun& run) {
  const std::size_t begin = table.borders[index], end = table.borders[index + 1];
  run.refused = !CheckTableText(csv.substr(begin, end - begin)).ok();
  if (run.refused) return;
  CsvReader reader(csv.substr(0, end), begin, 0);
  CsvRecord record;
  RowReader rows(family, targets, table.header, std::nullopt);
  std::string order;
  for (;;) {
    const Result<bool> more = reader.Next(record);
    if (!more.ok()) run.refused = true;
    if (!more.ok() || !*more) break;
    ++run.rows;
    if (!rows.Read(record)) {
      run.rejected.push_back(std::move(rows.rejection()));
      continue;
    }
    const TypedRow& row = rows.row();
    if (!Competes(row.judgement.standing)) {
      run.quarantined.push_back(Quarantined(record.line, row.judgement.reason));
      continue;
    }
    if (row.put_in != kNoColumn) run.warnings.push_back(PutIn(family, row));
    order.clear();
    AppendOrderKey(order, family, row.cells, row.integers);
    void* const place = run.storage.allocate(sizeof(Entry), alignof(Entry));
    run.entries.push_back(new (place) Entry{
        StoreOrder(order, run), row.line.empty() ? StoreLine(row.cells, run) : row.line, row.us,
        row.error, row.judgement.standing, static_cast<std::uint32_t>(record.line), &run});
  }
  run.lines = reader.line();
  std::ranges::stable_sort(run.entries,
                           [](const Entry* a, const Entry* b) { return Before(a, b); });
}

// With fewer bytes, starting a thread costs more than it saves.
constexpr std::size_t kBytesPerThread = std::size_t{256} << 10;

std::size_t ThreadsFor(std::span<const SourceFile> files, const MergeOptions& options) {
  if (options.threads > 0) return options.threads;
  std::size_t bytes = 0;
  for (const SourceFile& file : files) bytes += file.text.size();
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return std::clamp(bytes / kBytesPerThread, std::size_t{1}, cores);
}

struct Chunk {
  std::size_t file;
  std::size_t index;
};

using Runs = std::vector<std::unique_ptr<SortedRun>>;

Runs ReadRuns(const Family& family, const Targets& targets, std::span<const SourceFile> files,
              const std::vector<std::optional<CutTable>>& tables, std::size_t threads) {
  std::vector<Chunk> chunks;
  Runs runs;
  for (std::size_t file = 0; file < files.size(); ++file) {
    for (std::size_t i = 0; tables[file] && i + 1 < tables[file]->borders.size(); ++i) {
      chunks.push_back({file, i});
      runs.push_back(std::make_unique<SortedRun>());
      runs.back()->file = file;
    }
  }
  InParallel(chunks.size(), threads, [&](std::size_t i) {
    const auto [file, index] = chunks[i];
    ReadRun(family, targets, files[file].text, *tables[file], index, *runs[i]);
  });
  return runs;
}

void Append(std::vector<RowIssue>& to, std::vector<RowIssue>& from, std::size_t first_line) {
  for (RowIssue& issue : from) {
    issue.line += first_line;
    to.push_back(std::move(issue));
  }
}

// Sets each run's first line and collects the issues by file. Marks unreadable files in `refused`.
std::vector<FileIssues> PlaceRuns(const std::vector<std::optional<CutTable>>& tables, Runs& runs,
                                  std::vector<bool>& refused) {
  std::vector<FileIssues> issues(tables.size());
  std::vector<std::size_t> line(tables.size()), rows(tables.size());
  for (std::size_t file = 0; file < tables.size(); ++file) {
    issues[file].file = file;
    refused[file] = !tables[file];
    if (!tables[file]) continue;
    line[file] = tables[file]->line;
    issues[file].warnings = tables[file]->header.unknown;
  }
  for (const std::unique_ptr<SortedRun>& run : runs) {
    const std::size_t file = run->file;
    run->first_line = line[file];
    line[file] += run->lines;
    rows[file] += run->rows;
    refused[file] = refused[file] || run->refused || rows[file] > kMaxTableRows;
    Append(issues[file].rejected, run->rejected, run->first_line);
    Append(issues[file].quarantined, run->quarantined, run->first_line);
    Append(issues[file].warnings, run->warnings, run->first_line);
  }
  return issues;
}

using Entries = std::vector<const Entry*>;

bool Wins(const Entry* a, const Entry* b) {
  const auto contender = [](const Entry& entry) {
    return Contender{entry.standing, entry.us, entry.error, {}, 0, {}};
  };
  return Beats(contender(*a), contender(*b));
}

Duplicate Describe(Entries group) {
  std::stable_sort(group.begin(), group.end(), Wins);
  Duplicate duplicate;
  duplicate.identical = true;
  for (const Entry* entry : group) {
    duplicate.identical = duplicate.identical && entry->line == group[0]->line;
    duplicate.places.push_back(
        {entry->run->file, entry->run->first_line + entry->row_line, std::string(entry->line)});
  }
  return duplicate;
}

// Returns entries that split all rows into `count` ranges of similar size: quantiles of a sample.
Entries Splitters(const Runs& runs, std::size_t count) {
  constexpr std::size_t kSampled = 64;  // samples one of this many entries
  Entries sample, splitters;
  for (const auto& run : runs) {
    for (std::size_t i = 0; i < run->entries.size(); i += kSampled) {
      sample.push_back(run->entries[i]);
    }
  }
  std::sort(sample.begin(), sample.end(), Before);
  for (std::size_t i = 1; i < count && !sample.empty(); ++i) {
    splitters.push_back(sample[i * sample.size() / count]);
  }
  return splitters;
}

// Merges neighbours until one run is left, so that equal sort keys keep the order of the runs.
Entries MergeAll(std::vector<Entries> runs) {
  while (runs.size() > 1) {
    std::vector<Entries> merged;
    for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
      Entries& both = merged.emplace_back();
      both.reserve(runs[i].size() + runs[i + 1].size());
      std::merge(runs[i].begin(), runs[i].end(), runs[i + 1].begin(), runs[i + 1].end(),
                 std::back_inserter(both), Before);
    }
    if (runs.size() % 2 == 1) merged.push_back(std::move(runs.back()));
    runs = std::move(merged);
  }
  return runs.empty() ? Entries() : std::move(runs.front());
}

// The rows whose sort keys are between two bounds.
struct MergedRange {
  std::vector<std::string_view> lines;
  std::vector<Duplicate> duplicates;
};

MergedRange Resolve(const Entries& entries) {
  MergedRange range;
  range.lines.reserve(entries.size());
  for (auto first = entries.begin(); first != entries.end();) {
    const auto last = std::find_if(first + 1, entries.end(), [&](const Entry* entry) {
      return !std::ranges::equal(entry->order, (*first)->order);
    });
    range.lines.push_back((*std::min_element(first, last, Wins))->line);
    if (last - first > 1) range.duplicates.push_back(Describe({first, last}));
    first = last;
  }
  return range;
}

// Merges ranges of sort keys, one thread for each range. The winner rule chooses among the rows of
// one shape key. In a tie the row of the first chunk wins, as in AITER the first file's row wins.
std::vector<MergedRange> MergeRuns(const Runs& runs, std::size_t threads) {
  const Entries splitters = Splitters(runs, threads);
  std::vector<MergedRange> ranges(splitters.size() + 1);
  InParallel(ranges.size(), threads, [&](std::size_t i) {
    std::vector<Entries> parts;
    for (const auto& run : runs) {
      const Entries& all = run->entries;
      const auto border = [&](std::size_t splitter) {
        return std::lower_bound(all.begin(), all.end(), splitters[splitter], Before);
      };
      parts.emplace_back(i == 0 ? all.begin() : border(i - 1),
                         i == splitters.size() ? all.end() : border(i));
    }
    ranges[i] = Resolve(MergeAll(std::move(parts)));
  });
  return ranges;
}

}  // namespace

std::string Merged::Csv() const {
  return WriteTable(*family, lines);
}

Result<Merged> MergeTables(const Family& family, const Targets& targets,
                           std::span<const SourceFile> sources, const MergeOptions& options) {
  const std::size_t threads = ThreadsFor(sources, options);
  std::vector<std::optional<CutTable>> tables;
  for (const SourceFile& source : sources) {
    tables.push_back(CutIntoChunks(family, source.text, options.chunk_bytes));
  }
  auto runs = std::make_shared<Runs>(ReadRuns(family, targets, sources, tables, threads));
  std::vector<bool> refused(sources.size());
  Merged merged;
  merged.family = &family;
  merged.issues = PlaceRuns(tables, *runs, refused);
  const auto bad = std::ranges::find(refused, true);
  if (bad != refused.end()) {
    const SourceFile& source = sources[static_cast<std::size_t>(bad - refused.begin())];
    return ReadTunedTable(family, targets, source.text, {.error_limit = {}, .identify = nullptr})
        .error()
        .In(source.name);
  }
  for (const auto& run : *runs) merged.rows_read += run->rows;
  for (MergedRange& range : MergeRuns(*runs, threads)) {
    merged.lines.insert(merged.lines.end(), range.lines.begin(), range.lines.end());
    std::ranges::move(range.duplicates, std::back_inserter(merged.duplicates));
  }
  merged.rows_written = merged.lines.size();
  merged.storage = std::move(runs);
  return merged;
}

}  // namespace tunehub::core

#include "core/table/sorted_run.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <string>

#include "core/row/row.h"
#include "core/table/csv.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"

namespace tunehub::core {

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
    if (end >= csv.size() - 1) break;  // also npos
    begin = end + 1;
    table.borders.push_back(begin);
  }
  table.borders.push_back(csv.size());
  return table;
}

namespace {

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

// "code: detail" of a standing.
RowIssue Quarantined(std::size_t line, const std::string& reason) {
  const std::size_t colon = reason.find(':');
  return {line, "", reason.substr(0, colon), reason.substr(colon + 2)};
}

class RunReader {
 public:
  RunReader(const Family& family, const Targets& targets, const TableHeader& header, SortedRun& run)
      : family_(family), rows_(family, targets, header, std::nullopt), run_(run) {}

  void Read(const CsvRecord& record) {
    ++run_.rows;
    if (!rows_.Read(record)) return run_.rejected.push_back(std::move(rows_.rejection()));
    const TypedRow& row = rows_.row();
    if (!Competes(row.judgement.standing)) {
      return run_.quarantined.push_back(Quarantined(record.line, row.judgement.reason));
    }
    if (row.put_in != kNoColumn) run_.warnings.push_back(PutIn(family_, row));
    order_.clear();
    AppendOrderKey(order_, family_, row.cells, row.integers);
    void* const place = run_.storage.allocate(sizeof(Entry), alignof(Entry));
    run_.entries.push_back(new (place) Entry{
        StoreOrder(order_, run_), row.line.empty() ? StoreLine(row.cells, run_) : row.line, row.us,
        row.error, row.judgement.standing, static_cast<std::uint32_t>(record.line), &run_});
  }

 private:
  const Family& family_;
  RowReader rows_;
  SortedRun& run_;
  std::string order_;
};

}  // namespace

bool Precedes(const Entry& a, const Entry& b) {
  const std::size_t count = std::min(a.order.size(), b.order.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (a.order[i] != b.order[i]) return a.order[i] < b.order[i];
  }
  return false;
}

bool SameKey(const Entry& a, const Entry& b) {
  return std::ranges::equal(a.order, b.order);
}

void ReadRun(const Family& family, const Targets& targets, std::string_view csv,
             const CutTable& table, std::size_t index, SortedRun& run) {
  const std::size_t begin = table.borders[index], end = table.borders[index + 1];
  if (!CheckTableText(csv.substr(begin, end - begin)).ok()) {
    run.refused = true;
    return;
  }
  CsvReader reader(csv.substr(0, end), begin, 0);
  CsvRecord record;
  RunReader rows(family, targets, table.header, run);
  for (;;) {
    const Result<bool> more = reader.Next(record);
    if (!more.ok()) run.refused = true;
    if (!more.ok() || !*more) break;
    rows.Read(record);
  }
  run.lines = reader.line();
  std::ranges::stable_sort(run.entries,
                           [](const Entry* a, const Entry* b) { return Precedes(*a, *b); });
}

}  // namespace tunehub::core

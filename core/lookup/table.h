// Looks up shapes in a family's table as AITER does at run time. Every answer contains its reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/lookup_kinds.h"
#include "core/family/targets.h"
#include "core/row/standing.h"
#include "core/shapes/shape.h"
#include "core/table/merge.h"
#include "core/table/tuned_table.h"

namespace tunehub::lookup {

// The hash of a lookup key. It mixes the target's name, then cu_num, B (if the family has B), M, N
// and K, in this order. AITER's own hash shifts each number by only a few bits. So some shapes of
// AITER's tables collide (M=512 N=18432 and M=768 N=2240 at K=7168). This hash multiplies instead,
// which spreads each number over the whole word.
inline std::uint64_t Mix(std::uint64_t hash, std::int64_t number) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 / the golden ratio
  const std::uint64_t product = (hash ^ static_cast<std::uint64_t>(number)) * kOdd;
  return product ^ (product >> 32);
}

inline std::uint64_t HashOf(std::string_view gfx, std::span<const std::int64_t> numbers) {
  std::uint64_t hash = std::hash<std::string_view>()(gfx);
  for (const std::int64_t number : numbers) hash = Mix(hash, number);
  return hash;
}

inline std::uint64_t HashOf(std::string_view gfx, std::initializer_list<std::int64_t> numbers) {
  return HashOf(gfx, std::span(numbers.begin(), numbers.size()));
}

inline constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

// Maps a lookup key to its first row, in a flat hash table with open addressing. In this file,
// "key" means a lookup key: the numbers of the columns that the lookup compares.
class KeyIndex {
 public:
  // Keys have `width` numbers. Reserves room for `rows` keys.
  KeyIndex(std::size_t width, std::size_t rows);

  // Adds the next row's key. If several rows have equal keys, Find returns the first row.
  void Add(std::span<const std::int64_t> key);
  std::size_t Find(std::span<const std::int64_t> key) const;

  std::size_t size() const { return size_; }
  std::span<const std::int64_t> KeyOf(std::size_t row) const {
    return std::span(keys_).subspan(row * width_, width_);
  }

 private:
  // The slot of the key, or the empty slot for a new key.
  std::size_t SlotOf(std::span<const std::int64_t> key) const;

  std::size_t width_;
  std::size_t size_ = 0;
  std::vector<std::int64_t> keys_;  // one after another
  std::vector<std::uint32_t> slots_;
};

// A bucket without an upper bound: M_GEQ_..., any.
inline constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();
// "M_LEQ_64" -> 64; kNoBound for any other name.
std::int64_t BoundOf(std::string_view bucket);

// Rows, grouped by their lookup key without M.
class NearestRows {
 public:
  // `m_place`: the index of M in every key.
  explicit NearestRows(std::size_t m_place) : m_place_(m_place) {}

  void Add(std::span<const std::int64_t> key, std::size_t row);
  // Returns the row whose M is nearest to the key's M. In a tie, the smaller M wins. Returns
  // nullopt if no row has the rest of the key.
  std::optional<std::size_t> Nearest(std::span<const std::int64_t> key) const;
  // Returns the row with the least bound at or above the key's M. Never returns a row without a
  // bound, because that row is the untuned default.
  std::optional<std::size_t> SmallestBound(std::span<const std::int64_t> key) const;

 private:
  using Rows = std::map<std::int64_t, std::size_t>;  // by M; the first row for each M

  std::vector<std::int64_t> Without(std::span<const std::int64_t> key) const;
  const Rows* Of(std::span<const std::int64_t> key) const;

  std::size_t m_place_;
  std::map<std::vector<std::int64_t>, Rows> rows_;
};

// The numbers in a lookup key for an empty cell, and for a text that no row contains.
inline constexpr std::int64_t kEmptyCell = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kUnknownText = kEmptyCell + 1;

// Converts the key columns that a lookup compares into numbers. An integer stays the same. A text
// becomes its index in a list.
class KeyReader {
 public:
  explicit KeyReader(const core::Family& family);

  // The compared columns in CSV order: gfx first, the padded column at m_place().
  const std::vector<std::size_t>& columns() const { return columns_; }
  std::size_t width() const { return columns_.size(); }
  std::size_t PlaceOf(std::size_t column) const;      // kNoColumn: not compared
  std::size_t m_place() const { return m_place_; }    // kNoColumn: no column is padded
  std::size_t n_place() const { return n_place_; }    // kNoColumn: the family has no N
  std::size_t cu_place() const { return cu_place_; }  // kNoColumn: the family has no CU count

  // Learn and Read write width() numbers. Learn also adds unknown texts to its list.
  void Learn(const core::Cells& cells, std::span<std::int64_t> key);
  void Read(const core::Cells& cells, std::span<std::int64_t> key) const;

 private:
  std::int64_t Number(std::string_view cell, std::size_t column) const;
  bool IsText(std::size_t column) const;

  const core::Family& family_;
  std::vector<std::size_t> columns_;
  std::size_t m_place_ = core::kNoColumn, n_place_ = core::kNoColumn, cu_place_ = core::kNoColumn;
  std::map<std::string, std::int64_t, std::less<>> texts_;
};

using Step = core::LookupStep;

std::string_view Name(Step step);  // "exact", "gl0", ...

struct Attempt {
  Step step;
  std::int64_t m;  // the value of the padded column; unused if no column is padded

  bool operator==(const Attempt&) const = default;
};

// Returns the attempts in order, each value once. `n` decides up to which M the lookup tries gl1.
// Empty for a family without a lookup, and for M above Lookup::most_m. Step::kTiles rounds `m` up
// to tiles.
std::vector<Attempt> AttemptsFor(const core::Lookup& lookup, std::int64_t m, std::int64_t n);

// A served row. Its line must outlive the table.
struct TableRow {
  std::string_view line;  // core::Row::line
  double us = 0;          // NaN: none
  core::Standing standing = core::Standing::kMeasured;
  bool baseline = false;  // true: the hub says that only the default was measured
  bool trusted = true;    // from upstream or an admin
};

// Returns the order in which to write a table, as indices into `rows`. Precondition: `rows` are
// sorted by sort key. Of several rows that a lookup cannot distinguish, it takes the first. An
// untrusted row comes first only if it beats every trusted row. Otherwise the trusted row with the
// lowest sort key comes first.
std::vector<std::size_t> LookupOrder(const core::Family& family, std::span<const TableRow> rows);

struct Found {
  Step step;
  std::size_t row;  // index into Table::rows(); kNoRow if `step` is kDefault
};

struct LookupAnswer {
  Step step = Step::kDefault;   // kDefault: no row
  std::size_t row = kNoRow;     // index into Table::rows()
  std::vector<Attempt> tried;   // in the order of the attempts, up to the successful attempt
  std::vector<Found> also;      // the rows that later attempts would have found
  bool without_cu_num = false;  // found in the pass without the CU count

  bool found() const { return row != kNoRow; }
};

class Table {
 public:
  // Precondition: `rows` are in the order of sort keys or of LookupOrder. Drops rows with a tag
  // that the lookup skips, or with a bucket that it never uses. `family` must outlive the table.
  Table(const core::Family& family, std::vector<TableRow> rows);

  // Looks up a raw shape. cu_num 0: the family has no CU counts.
  LookupAnswer Find(const core::FamilyShape& shape, std::string_view gfx, int cu_num) const;

  // KeyOf and FindRow serve callers with many lookups. KeyOf returns the lookup key of a shape.
  // FindRow returns the first row that it finds. FindRow changes the key's number at
  // reader().m_place(). Before the next call, the caller sets this number to the raw M again.
  std::vector<std::int64_t> KeyOf(const core::FamilyShape& shape, std::string_view gfx,
                                  int cu_num) const;
  Found FindRow(std::span<std::int64_t> key) const;

  const core::Family& family() const { return *family_; }
  const std::vector<TableRow>& rows() const { return rows_; }
  const KeyReader& reader() const { return reader_; }
  const KeyIndex& index() const { return index_; }

 private:
  std::vector<Attempt> Attempts(std::span<const std::int64_t> key) const;
  Found At(const Attempt& attempt, std::span<std::int64_t> key, bool& without_cu_num) const;
  std::size_t Scan(std::span<const std::int64_t> key, bool with_cu_num) const;

  std::vector<std::int64_t> Tiled(std::span<const std::int64_t> key) const;
  bool Serves(std::size_t row, Step step) const;

  const core::Family* family_;
  std::vector<TableRow> rows_;
  KeyReader reader_;
  KeyIndex index_;
  NearestRows nearest_;           // for lookups with kNearest
  std::vector<bool> exact_only_;  // per row; empty: no row
};

// Returns the shape columns in which the row of `line` differs from `shape`, without the padded
// column. The lookup did not compare these columns.
std::vector<std::size_t> NotCompared(const core::Family& family, const core::FamilyShape& shape,
                                     std::string_view line);

// The kernel that a rule chooses from the shape if the table has no row.
struct Fallback {
  Step step = Step::kDefault;  // kHeuristic or kDefault
  std::string kernel_name;     // "": unknown
  std::string split_k;         // "": unknown
  std::string reason;          // one sentence for people
};

// Returns nullopt if the rule does not cover the shape.
using FallbackRule = std::function<std::optional<Fallback>(const core::FamilyShape& shape,
                                                           std::string_view gfx, int cu_num)>;

struct LoadedTable {
  std::unique_ptr<core::TunedTable> rows;  // viewed by the table
  Table table;
  // Rows that no lookup finds, by file: rows that cannot be parsed, and quarantined rows.
  std::vector<core::FileIssues> left_out;
};

// `family` must outlive the result. Errors: as MergeTables.
core::Result<LoadedTable> LoadTable(const core::Family& family, const core::Targets& targets,
                                    std::span<const core::SourceFile> sources);

// Marks the rows that a table of padded M needs: one flag per line (core::Row::line). The other
// rows are redundant. Without them, every lookup of every M still finds the same candidate
// (libtype, kernel name, split K) at a padded M. This is true for lookups at run time and for
// compiled tables. If the lookup does not pad M, marks all rows.
std::vector<bool> NeededRows(const core::Family& family, std::span<const std::string_view> lines);

}  // namespace tunehub::lookup

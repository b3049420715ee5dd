// A family's table with AITER's lookup at run time, and the reason of every answer.
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

// The hash of a dispatch key: the target's name, then cu_num, (B,) M, N and K are mixed in, so
// their order counts. AITER's own hash shifts by a few bits only, so some shapes of its tables
// collide (M=512 N=18432 and M=768 N=2240 at K=7168). Here a product spreads each number over the
// whole word.
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

// Maps a key, the numbers of the compared columns, to its first row: a flat hash table with open
// addressing.
class KeyIndex {
 public:
  // Keys have `width` numbers; room for `rows` keys.
  KeyIndex(std::size_t width, std::size_t rows);

  // Adds the next row's key. Find returns the first row of equal keys.
  void Add(std::span<const std::int64_t> key);
  std::size_t Find(std::span<const std::int64_t> key) const;

  std::size_t size() const { return size_; }
  std::span<const std::int64_t> KeyOf(std::size_t row) const {
    return std::span(keys_).subspan(row * width_, width_);
  }

 private:
  // The slot of the key, or the empty slot for it.
  std::size_t SlotOf(std::span<const std::int64_t> key) const;

  std::size_t width_;
  std::size_t size_ = 0;
  std::vector<std::int64_t> keys_;  // one behind the other
  std::vector<std::uint32_t> slots_;
};

// A bucket without an upper bound: M_GEQ_..., any.
inline constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();
// "M_LEQ_64" -> 64; kNoBound for any other name.
std::int64_t BoundOf(std::string_view bucket);

// Rows, grouped by their key without M.
class NearestRows {
 public:
  // `m_place`: the place of M in every key.
  explicit NearestRows(std::size_t m_place) : m_place_(m_place) {}

  void Add(std::span<const std::int64_t> key, std::size_t row);
  // The row whose M is nearest to the key's; at a tie the smaller M. nullopt: no such key.
  std::optional<std::size_t> Nearest(std::span<const std::int64_t> key) const;
  // The row with the least bound that is not below the key's M. Rows without a bound are the
  // untuned default, and are not found.
  std::optional<std::size_t> SmallestBound(std::span<const std::int64_t> key) const;

 private:
  using Rows = std::map<std::int64_t, std::size_t>;  // by M; the first row of each

  std::vector<std::int64_t> Without(std::span<const std::int64_t> key) const;
  const Rows* Of(std::span<const std::int64_t> key) const;

  std::size_t m_place_;
  std::map<std::vector<std::int64_t>, Rows> rows_;
};

// The numbers of an empty cell, and of a text that no row has.
inline constexpr std::int64_t kEmptyCell = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kUnknownText = kEmptyCell + 1;

// Turns the key columns that a lookup compares into numbers: integers as they are, texts by their
// place in a list.
class KeyReader {
 public:
  explicit KeyReader(const core::Family& family);

  // The compared columns in CSV order: gfx first, the padded one at m_place().
  const std::vector<std::size_t>& columns() const { return columns_; }
  std::size_t width() const { return columns_.size(); }
  std::size_t PlaceOf(std::size_t column) const;      // kNoColumn: it is not compared
  std::size_t m_place() const { return m_place_; }    // kNoColumn: nothing is padded
  std::size_t n_place() const { return n_place_; }    // kNoColumn: the family has no N
  std::size_t cu_place() const { return cu_place_; }  // kNoColumn: the family has no CU count

  // Both write width() numbers; Learn also adds unknown texts to its list.
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
  std::int64_t m;  // the value of the padded column; meaningless if none is padded

  bool operator==(const Attempt&) const = default;
};

// The attempts in order, no value twice. `n` decides where the coarse grid ends. Empty for a family
// without a lookup, and for M above Lookup::most_m. For Step::kTiles `m` is rounded up to tiles.
std::vector<Attempt> AttemptsFor(const core::Lookup& lookup, std::int64_t m, std::int64_t n);

// A served row. Its line must outlive the table.
struct TableRow {
  std::string_view line;  // core::Row::line
  double us = 0;          // NaN: none
  core::Standing standing = core::Standing::kMeasured;
  bool baseline = false;  // the hub says so: only the default was measured
  bool trusted = true;    // upstream's or an admin's
};

// The order in which a table is written, as places in `rows`, which are sorted by order key. A
// lookup takes the first of rows that it cannot tell apart: an untrusted row if it beats every
// trusted one, else the first trusted row by order key.
std::vector<std::size_t> LookupOrder(const core::Family& family, std::span<const TableRow> rows);

struct Found {
  Step step;
  std::size_t row;  // place in Table::rows(); kNoRow if `step` is kDefault
};

struct LookupAnswer {
  Step step = Step::kDefault;   // kDefault: no row
  std::size_t row = kNoRow;     // place in Table::rows()
  std::vector<Attempt> tried;   // in order, up to the one that found the row
  std::vector<Found> also;      // what later attempts would have found
  bool without_cu_num = false;  // found in the pass without the CU count

  bool found() const { return row != kNoRow; }
};

class Table {
 public:
  // `rows` sorted by order key or in LookupOrder. Drops rows with a tag that the lookup skips, or a
  // bucket that it never uses. `family` must outlive the table.
  Table(const core::Family& family, std::vector<TableRow> rows);

  // Looks up a raw shape. cu_num 0: the family has no CU counts.
  LookupAnswer Find(const core::FamilyShape& shape, std::string_view gfx, int cu_num) const;

  // For frequent lookups. KeyOf gives the compared columns as numbers. FindRow gives the first row
  // found; it changes the number at reader().m_place(), which must be the raw M again before
  // another FindRow.
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
  std::vector<bool> exact_only_;  // by row; empty: none is
};

// The shape columns, except the padded one, in which the row of `line` differs from `shape`: the
// lookup did not compare them.
std::vector<std::size_t> NotCompared(const core::Family& family, const core::FamilyShape& shape,
                                     std::string_view line);

// The kernel that runs if the table has no row, by a rule of the shape.
struct Fallback {
  Step step = Step::kDefault;  // kHeuristic or kDefault
  std::string kernel_name;     // "": not known here
  std::string split_k;         // "": not known here
  std::string reason;          // one sentence for people
};

// nullopt if the rule does not cover the shape.
using FallbackRule = std::function<std::optional<Fallback>(const core::FamilyShape& shape,
                                                           std::string_view gfx, int cu_num)>;

// `gfx`: a name for core::NamedTarget. cu_num 0: the product's CU count, else the gfx's default.
// The answer has 0 CUs if the family has no CU counts. Errors: bad_gfx, bad_cu_num.
core::Result<core::Target> TargetToLookUp(const core::Targets& targets, const core::Family& family,
                                          std::string_view gfx, int cu_num);

struct LoadedTable {
  std::unique_ptr<core::TunedTable> rows;  // viewed by the table
  Table table;
  // Rows that no lookup finds, by file: those that could not be typed, and quarantined ones.
  std::vector<core::FileIssues> left_out;
};

// `family` must outlive it. Errors: those of MergeTables.
core::Result<LoadedTable> LoadTable(const core::Family& family, const core::Targets& targets,
                                    std::span<const core::SourceFile> sources);

// Marks the rows that a table of padded M needs, one flag per line (core::Row::line). If the other
// rows are removed, the lookup finds their candidate at a padded M. So every lookup of every M
// still runs the same candidate (libtype, kernel name, split-K), at run time and in compiled
// tables. All rows are needed if the lookup does not pad M.
std::vector<bool> NeededRows(const core::Family& family, std::span<const std::string_view> lines);

}  // namespace tunehub::lookup

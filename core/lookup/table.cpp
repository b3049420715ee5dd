#include "core/lookup/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/row/target.h"
#include "core/table/table_writer.h"

namespace tunehub::lookup {
namespace {

constexpr std::array<std::string_view, 9> kNames = {
    "exact", "gl0", "gl1", "tier", "lower_tier", "nearest", "tiles", "heuristic", "default"};

// The last tier of tokens, and the tier below it.
constexpr std::int64_t kLastTier = 131'072;
constexpr std::int64_t kTierBelow = 32'768;

// Rounds a column's value up to whole tiles. A column without tiles keeps its value.
std::int64_t InTiles(const core::Lookup& lookup, std::size_t column, std::int64_t value) {
  for (const core::TiledColumn& it : lookup.tiles) {
    if (it.column == column) return (value + it.tile - 1) / it.tile * it.tile;
  }
  return value;
}

void TryStep(const core::Lookup& lookup, Step step, std::int64_t m, std::int64_t n,
             std::vector<Attempt>& attempts) {
  if (step == Step::kTier) {
    const std::int64_t tier = core::TokenTier(m);
    attempts.push_back({tier == m ? Step::kExact : Step::kTier, tier});
  } else if (step == Step::kLowerTier) {
    if (lookup.last_tier_falls_back && core::TokenTier(m) == kLastTier) {
      attempts.push_back({step, kTierBelow});
    }
  } else if (step == Step::kGl0 || step == Step::kGl1) {
    const std::int64_t padded = step == Step::kGl0 ? core::PaddedMGl0(m) : core::PaddedMGl1(m, n);
    const bool tried = std::any_of(attempts.begin(), attempts.end(),
                                   [=](const Attempt& it) { return it.m == padded; });
    if (!tried) attempts.push_back({step, padded});
  } else {
    attempts.push_back({step, step == Step::kTiles ? InTiles(lookup, lookup.m, m) : m});
  }
}

bool IsSkipped(const core::Family& family, const core::Cells& cells) {
  const auto& skipped = family.lookup.skipped_tags;
  return family.tag != core::kNoColumn &&
         std::ranges::find(skipped, cells[family.tag]) != skipped.end();
}

bool IsNeverAsked(const core::Lookup& lookup, std::size_t bounds, const core::Cells& cells) {
  const auto cell = [&](std::size_t column) {
    return column == core::kNoColumn ? std::string_view() : cells[column];
  };
  return !lookup.bounds.empty() && !lookup.AsksFor(cell(lookup.op), cells[lookup.m], cell(bounds));
}

std::vector<TableRow> Loaded(const core::Family& family, std::vector<TableRow> rows) {
  if (family.lookup.skipped_tags.empty() && family.lookup.bounds.empty()) return rows;
  const std::size_t bounds = family.Find(core::kBoundsColumn);
  std::string scratch;
  std::erase_if(rows, [&](const TableRow& row) {
    const core::Cells cells = core::SplitLine(row.line, scratch);
    return IsSkipped(family, cells) || IsNeverAsked(family.lookup, bounds, cells);
  });
  return rows;
}

bool IsFaster(const TableRow& a, const TableRow& b) {
  if (std::isnan(a.us) || std::isnan(b.us)) return !std::isnan(a.us) && std::isnan(b.us);
  return a.us < b.us;
}

bool IsFoundFirst(const TableRow& a, const TableRow& b) {
  if (a.standing != b.standing) return a.standing < b.standing;
  if (a.standing != core::Standing::kMeasured && a.trusted != b.trusted) return a.trusted;
  return IsFaster(a, b);
}

std::vector<TableRow> InLookupOrder(const core::Family& family, std::vector<TableRow> rows) {
  return core::Mapped(LookupOrder(family, rows), [&](std::size_t row) { return rows[row]; });
}

}  // namespace

std::string_view Name(Step step) {
  return kNames.at(static_cast<std::size_t>(step));
}

std::vector<Attempt> AttemptsFor(const core::Lookup& lookup, std::int64_t m, std::int64_t n) {
  std::vector<Attempt> attempts;
  if (lookup.most_m > 0 && m > lookup.most_m) return attempts;
  attempts.reserve(3);
  for (const auto& step : core::LookupKindOf(lookup.kind).steps) {
    if (step) TryStep(lookup, *step, m, n, attempts);
  }
  return attempts;
}

std::vector<std::size_t> LookupOrder(const core::Family& family, std::span<const TableRow> rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  KeyReader reader(family);
  if (reader.width() == family.key_columns.size()) return order;  // the lookup compares all keys
  if (std::ranges::all_of(rows, &TableRow::trusted)) return order;
  std::map<std::vector<std::int64_t>, std::vector<std::size_t>> alike;
  std::vector<std::int64_t> key(reader.width());
  std::string scratch;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    reader.Learn(core::SplitLine(rows[row].line, scratch), key);
    alike[key].push_back(row);
  }
  for (const auto& [unused, places] : alike) {
    if (std::ranges::all_of(places, [&](std::size_t i) { return rows[i].trusted; })) continue;
    const auto before = [&](std::size_t a, std::size_t b) {
      return IsFoundFirst(rows[a], rows[b]);
    };
    std::vector<std::size_t> found = places;
    const auto others =
        std::ranges::stable_partition(found, [&](std::size_t i) { return rows[i].trusted; });
    std::ranges::stable_sort(others, before);
    const std::size_t fastest = others.front();
    if (std::all_of(found.begin(), others.begin(),
                    [&](std::size_t i) { return before(fastest, i); }))
      std::rotate(found.begin(), others.begin(), others.begin() + 1);
    for (std::size_t i = 0; i < places.size(); ++i) order[places[i]] = found[i];
  }
  return order;
}

Table::Table(const core::Family& family, std::vector<TableRow> rows)
    : family_(&family),
      rows_(Loaded(family, InLookupOrder(family, std::move(rows)))),
      reader_(family),
      index_(reader_.width(), rows_.size()),
      nearest_(reader_.m_place()) {
  const auto& steps = core::LookupKindOf(family.lookup.kind).steps;
  const bool nearest = std::ranges::find(steps, Step::kNearest) != steps.end();
  const auto& exact = family.lookup.exact_libtypes;
  std::vector<std::int64_t> key(reader_.width());
  std::string scratch;
  for (const TableRow& row : rows_) {
    const core::Cells cells = core::SplitLine(row.line, scratch);
    reader_.Learn(cells, key);
    index_.Add(key);
    if (!exact.empty()) {
      exact_only_.push_back(std::ranges::find(exact, cells[family.libtype]) != exact.end());
    }
    if (nearest) nearest_.Add(key, static_cast<std::size_t>(&row - rows_.data()));
  }
}

// A row's empty cell fits every shape. The lowest time wins; in a tie, the first row.
std::size_t Table::Scan(std::span<const std::int64_t> key, bool with_cu_num) const {
  std::size_t best = kNoRow;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const auto other = index_.KeyOf(row);
    bool fits = true;
    for (std::size_t i = 0; i < key.size() && fits; ++i) {
      if (i == reader_.cu_place() && !with_cu_num) continue;
      fits = other[i] == key[i] || other[i] == kEmptyCell;
    }
    if (fits && (best == kNoRow || IsFaster(rows_[row], rows_[best]))) best = row;
  }
  return best;
}

// A row at padded M serves every M that is padded to it, unless its kernel is made for one M.
bool Table::Serves(std::size_t row, Step step) const {
  return row != kNoRow && (step == Step::kExact || exact_only_.empty() || !exact_only_[row]);
}

std::vector<std::int64_t> Table::Tiled(std::span<const std::int64_t> key) const {
  std::vector<std::int64_t> tiled(key.begin(), key.end());
  for (std::size_t i = 0; i < tiled.size(); ++i) {
    tiled[i] = InTiles(family_->lookup, reader_.columns()[i], tiled[i]);
  }
  return tiled;
}

std::vector<Attempt> Table::Attempts(std::span<const std::int64_t> key) const {
  const std::size_t m_place = reader_.m_place(), n_place = reader_.n_place();
  std::vector<Attempt> attempts =
      AttemptsFor(family_->lookup, m_place == core::kNoColumn ? 0 : key[m_place],
                  n_place == core::kNoColumn ? 0 : key[n_place]);
  const bool whole = !family_->lookup.tiles.empty() && std::ranges::equal(Tiled(key), key);
  if (whole) std::erase_if(attempts, [](const Attempt& it) { return it.step == Step::kTiles; });
  return attempts;
}

Found Table::At(const Attempt& attempt, std::span<std::int64_t> key, bool& without_cu_num) const {
  if (reader_.m_place() != core::kNoColumn) key[reader_.m_place()] = attempt.m;
  if (attempt.step == Step::kNearest) {
    const bool nearest = core::LookupKindOf(family_->lookup.kind).nearest;
    const auto row = nearest ? nearest_.Nearest(key) : nearest_.SmallestBound(key);
    return {attempt.step, row.value_or(kNoRow)};
  }
  if (!family_->lookup.empty_matches) {
    const std::size_t row =
        attempt.step == Step::kTiles ? index_.Find(Tiled(key)) : index_.Find(key);
    return {attempt.step, Serves(row, attempt.step) ? row : kNoRow};
  }
  std::size_t row = Scan(key, true);
  without_cu_num = row == kNoRow;
  if (row == kNoRow) row = Scan(key, false);
  return {attempt.step, row};
}

std::vector<std::int64_t> Table::KeyOf(const core::FamilyShape& shape, std::string_view gfx,
                                       int cu_num) const {
  const std::string cus = cu_num > 0 ? std::to_string(cu_num) : "";
  core::Cells cells(shape.cells.begin(), shape.cells.end());
  core::PutTarget(*family_, gfx, cus, cells);
  std::vector<std::int64_t> key(reader_.width());
  reader_.Read(cells, key);
  const auto& only = family_->lookup.only_gfx;
  if (!only.empty() && std::ranges::find(only, gfx) == only.end()) {
    key[reader_.PlaceOf(family_->gfx)] = kUnknownText;
  }
  return key;
}

Found Table::FindRow(std::span<std::int64_t> key) const {
  for (const Attempt& attempt : Attempts(key)) {
    bool without_cu_num = false;
    const Found found = At(attempt, key, without_cu_num);
    if (found.row != kNoRow) return found;
  }
  return {Step::kDefault, kNoRow};
}

LookupAnswer Table::Find(const core::FamilyShape& shape, std::string_view gfx, int cu_num) const {
  std::vector<std::int64_t> key = KeyOf(shape, gfx, cu_num);
  LookupAnswer answer;
  for (const Attempt& attempt : Attempts(key)) {
    bool without_cu_num = false;
    const Found found = At(attempt, key, without_cu_num);
    if (answer.found()) {
      if (found.row != kNoRow && found.row != answer.row) answer.also.push_back(found);
      continue;
    }
    answer.tried.push_back(attempt);
    if (found.row == kNoRow) continue;
    answer.step = found.step;
    answer.row = found.row;
    answer.without_cu_num = without_cu_num;
  }
  return answer;
}

std::vector<std::size_t> NotCompared(const core::Family& family, const core::FamilyShape& shape,
                                     std::string_view line) {
  std::string scratch;
  const core::Cells cells = core::SplitLine(line, scratch);
  std::vector<std::size_t> columns;
  for (const std::size_t column : family.key_columns) {
    const bool shaped = family.columns[column].is_shape();
    if (!shaped || column == family.lookup.m) continue;
    if (cells[column] != shape.cells[column]) columns.push_back(column);
  }
  return columns;
}

core::Result<LoadedTable> LoadTable(const core::Family& family, const core::Targets& targets,
                                    std::span<const core::SourceFile> sources) {
  const auto merged = core::MergeTables(family, targets, sources);
  if (!merged.ok()) return merged.error();
  auto read = core::ReadTunedTable(family, targets, merged->Csv(),
                                   {.error_limit = {}, .identify = nullptr, .warnings = false});
  if (!read.ok()) return read.error();
  auto table = std::make_unique<core::TunedTable>(*std::move(read));
  std::vector<TableRow> rows;
  for (const core::Row& row : table->rows) {
    if (!core::Competes(row.standing)) continue;
    rows.push_back({row.line, row.us, row.standing});
  }
  return LoadedTable{std::move(table), Table(family, std::move(rows)), merged->issues};
}

}  // namespace tunehub::lookup

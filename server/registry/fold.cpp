#include "server/registry/fold.h"

#include <algorithm>
#include <unordered_set>

#include "core/row/winner.h"

namespace tunehub::registry {
namespace {

// Rows of one batch share their run, so the run cannot decide between them.
core::Contender ContenderOf(const StagedRow& staged) {
  const core::Row& row = staged.row;
  return {row.standing, row.us, row.error, row.candidate, 0, {}};
}

bool Competes(const StagedRow& staged) {
  return core::Competes(staged.row.standing);
}

bool SameKey(const StagedRow& a, const StagedRow& b) {
  return a.row.key == b.row.key && a.provider == b.provider;
}

// A row's place with the beginning of its key, which decides nearly every comparison of the sort
// without a visit to the rows: they lie far apart, and the visits were a sixth of the server's own
// work on a batch of 100,000.
struct Place {
  std::uint64_t key = 0;  // big-endian: in the order of the bytes
  std::size_t row = 0;
};

Place PlaceOf(const std::vector<StagedRow>& rows, std::size_t row) {
  Place place{0, row};
  for (std::size_t i = 0; i < sizeof place.key; ++i) {
    place.key = place.key << 8 | rows[row].row.key.bytes[i];
  }
  return place;
}

bool SortsBefore(const StagedRow& a, const StagedRow& b) {
  if (a.row.key != b.row.key) return a.row.key < b.row.key;
  if (a.provider != b.provider) return a.provider < b.provider;
  return core::Beats(ContenderOf(a), ContenderOf(b));
}

// `begin`..`end`: the rows of one key and provider, best first, each candidate once.
void Mark(std::vector<StagedRow>::iterator begin, std::vector<StagedRow>::iterator end) {
  begin->best = true;
  begin->alone = std::count_if(begin, end, Competes) == 1;
}

}  // namespace

Folded Fold(std::vector<StagedRow> rows, std::size_t files) {
  Folded folded;
  folded.folded_per_file.resize(files, 0);
  folded.folded_competing_per_file.resize(files, 0);
  folded.rows.reserve(rows.size());
  std::vector<Place> order;  // rows are large: sort their places
  order.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) order.push_back(PlaceOf(rows, i));
  std::stable_sort(order.begin(), order.end(), [&](const Place& a, const Place& b) {
    return a.key != b.key ? a.key < b.key : SortsBefore(rows[a.row], rows[b.row]);
  });
  std::unordered_set<core::Hash128, core::Hash128Hasher> candidates;  // of the current key
  auto group = static_cast<std::ptrdiff_t>(0);                        // where its rows begin
  for (const Place& place : order) {
    StagedRow& staged = rows[place.row];
    if (!folded.rows.empty() && !SameKey(folded.rows.back(), staged)) {
      Mark(folded.rows.begin() + group, folded.rows.end());
      group = static_cast<std::ptrdiff_t>(folded.rows.size());
      candidates.clear();
    }
    if (candidates.insert(staged.row.candidate).second) {
      folded.rows.push_back(std::move(staged));
      continue;
    }
    ++folded.folded_per_file[staged.file];
    if (Competes(staged)) ++folded.folded_competing_per_file[staged.file];
  }
  if (!folded.rows.empty()) Mark(folded.rows.begin() + group, folded.rows.end());
  return folded;
}

}  // namespace tunehub::registry

#include "server/snapshots/dispatch_tables.h"

#include <cstddef>

namespace tunehub::server {
namespace {

constexpr std::size_t kAtOnce = 64 * 1024;  // bytes

std::string_view BytesOf(const core::Hash128& hash) {
  return {reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size()};
}

// Digests rows piece by piece, so that only few are in memory.
class Rows {
 public:
  void Add(const TunedRow& row) {
    text_ += row.line;
    text_ +=
        {'\n', static_cast<char>(row.standing), row.baseline ? '1' : '0', row.trusted ? '1' : '0'};
    if (text_.size() >= kAtOnce) text_ = BytesOf(Digest());
  }
  core::Hash128 Digest() const { return core::HashOf(text_); }

 private:
  std::string text_;  // digest of earlier pieces, then new rows
};

}  // namespace

RowDigests::RowDigests(const FamilySnapshot& snapshot) {
  std::map<std::string_view, Rows> rows;
  for (const auto& row : snapshot.rows) {
    if (row->by_default()) rows[row->gfx].Add(*row);
  }
  for (const auto& [gfx, of] : rows) by_gfx_.emplace(gfx, of.Digest());
}

core::Hash128 RowDigests::Of(std::string_view gfx) const {
  std::string text;
  for (std::string_view part : {gfx, std::string_view()}) {
    const auto found = by_gfx_.find(part);
    text += found == by_gfx_.end() ? "-" : BytesOf(found->second);
  }
  return core::HashOf(text);
}

std::shared_ptr<const DispatchTable> MakeDispatchTable(
    std::shared_ptr<const FamilySnapshot> snapshot) {
  const core::Family& family = *snapshot->family;
  std::vector<lookup::TableRow> rows;
  rows.reserve(snapshot->rows.size());
  TargetPlaces targets;
  for (const auto& row : snapshot->rows) {
    if (!row->by_default()) continue;
    rows.push_back(LookedUp(*row));
    targets.emplace(row->gfx, row->cu_num);
  }
  RowDigests digests(*snapshot);
  return std::make_shared<const DispatchTable>(
      DispatchTable{std::move(snapshot), lookup::Table(family, std::move(rows)), std::move(digests),
                    std::move(targets)});
}

std::shared_ptr<const DispatchTable> DispatchTables::Current(const core::Family& family) {
  auto snapshot = snapshots_.Current(family);
  const std::lock_guard lock(mutex_);
  auto& known = tables_[definitions_.Id(family)];
  if (known != nullptr && known->snapshot == snapshot) return known;
  known = MakeDispatchTable(std::move(snapshot));
  return known;
}

}  // namespace tunehub::server

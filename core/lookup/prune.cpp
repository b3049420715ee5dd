#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "core/lookup/table.h"
#include "core/row/row.h"
#include "core/shapes/shape.h"
#include "core/table/table_writer.h"

namespace tunehub::lookup {
namespace {

// The M that a compiled table tries if it lacks `m`: 16, powers of two, then 20,480. Above 20,480
// it tries no other M.
std::int64_t CompiledM(std::int64_t m) {
  constexpr std::int64_t kFirst = 16, kLastPower = 16'384, kLast = 20'480;
  if (m > 1 && m <= kFirst) return kFirst;
  if (m > kLastPower) return m <= kLast ? kLast : m;
  std::int64_t power = 1;
  while (power < m) power *= 2;
  return power;
}

class Pruning {
 public:
  Pruning(const core::Family& family, std::span<const std::string_view> lines)
      : family_(family), reader_(family), index_(reader_.width(), lines.size()) {
    std::vector<std::int64_t> key(reader_.width());
    std::unordered_map<std::string, std::uint32_t> candidates;
    std::string scratch, text;
    for (const std::string_view line : lines) {
      const core::Cells cells = core::SplitLine(line, scratch);
      reader_.Learn(cells, key);
      index_.Add(key);
      text.clear();
      core::AppendCandidateText(text, family, cells);
      const auto id = static_cast<std::uint32_t>(candidates.size());
      candidates_.push_back(candidates.try_emplace(text, id).first->second);
    }
    FindMixed();
  }

  bool IsNeeded(std::size_t row) const {
    const auto key = index_.KeyOf(row);
    const std::int64_t m = key[reader_.m_place()], n = key[reader_.n_place()];
    if (mixed_.contains(Group(key)) || index_.Find(key) != row) return true;
    // Rows at points of the coarse grid always stay, because no other row could replace them.
    // Another row may go if the fine grid, or else the coarse grid, finds the same candidate.
    const std::int64_t fine = core::PaddedMGl0(m), coarse = core::PaddedMGl1(m, n);
    std::size_t instead = fine == m ? kNoRow : Find(key, fine);
    if (instead == kNoRow && coarse != m) instead = Find(key, coarse);
    if (!IsSame(row, instead)) return true;
    if (!family_.lookup.compiled_pow2) return false;
    const std::int64_t compiled = CompiledM(m);
    return compiled == m || !IsSame(row, Find(key, compiled));
  }

 private:
  using Key = std::vector<std::int64_t>;

  // Returns the key without M and without the columns that a compiled table lacks.
  Key Group(std::span<const std::int64_t> key) const {
    Key group;
    for (std::size_t i = 0; i < key.size(); ++i) {
      if (i != reader_.m_place() && !IsLeftOut(i)) group.push_back(key[i]);
    }
    return group;
  }

  bool IsLeftOut(std::size_t place) const {
    const auto& without = family_.lookup.compiled_without;
    return std::find(without.begin(), without.end(), reader_.columns()[place]) != without.end();
  }

  // If a compiled table cannot distinguish rows (int8 and fp8 of one shape), the last row counts.
  // Removing a row could change which row is last, so these groups stay whole.
  void FindMixed() {
    if (family_.lookup.compiled_without.empty()) return;
    std::map<Key, Key> first;
    for (std::size_t row = 0; row < index_.size(); ++row) {
      const auto key = index_.KeyOf(row);
      Key left_out;
      for (std::size_t i = 0; i < key.size(); ++i) {
        if (IsLeftOut(i)) left_out.push_back(key[i]);
      }
      Key group = Group(key);
      const auto [it, added] = first.emplace(group, left_out);
      if (it->second != left_out) mixed_.insert(std::move(group));
    }
  }

  std::size_t Find(std::span<const std::int64_t> key, std::int64_t m) const {
    Key other(key.begin(), key.end());
    other[reader_.m_place()] = m;
    return index_.Find(other);
  }

  bool IsSame(std::size_t row, std::size_t other) const {
    return other != kNoRow && candidates_[row] == candidates_[other];
  }

  const core::Family& family_;
  KeyReader reader_;
  KeyIndex index_;
  std::vector<std::uint32_t> candidates_;  // per row: the candidate's number
  std::set<Key> mixed_;
};

}  // namespace

std::vector<bool> NeededRows(const core::Family& family, std::span<const std::string_view> lines) {
  std::vector<bool> needed(lines.size(), true);
  if (family.lookup.kind != "padded_m") return needed;
  const Pruning pruning(family, lines);
  for (std::size_t row = 0; row < lines.size(); ++row) needed[row] = pruning.IsNeeded(row);
  return needed;
}

}  // namespace tunehub::lookup

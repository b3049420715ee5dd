#include "core/lookup/nearest.h"

#include "core/family/bucket_bound.h"
#include "core/lookup/key_reader.h"

namespace tunehub::lookup {

std::int64_t BoundOf(std::string_view bucket) {
  const auto parsed = core::ParseBucket(bucket);
  return parsed && parsed->at_most ? parsed->bound : kNoBound;
}

std::vector<std::int64_t> NearestRows::Without(std::span<const std::int64_t> key) const {
  std::vector<std::int64_t> without(key.begin(), key.end());
  without.at(m_place_) = 0;
  return without;
}

// A row without M stands for a file without members: nothing is found in it.
void NearestRows::Add(std::span<const std::int64_t> key, std::size_t row) {
  if (key[m_place_] != kEmptyCell) rows_[Without(key)].emplace(key[m_place_], row);
}

const NearestRows::Rows* NearestRows::Of(std::span<const std::int64_t> key) const {
  const auto found = rows_.find(Without(key));
  return found == rows_.end() ? nullptr : &found->second;
}

std::optional<std::size_t> NearestRows::Nearest(std::span<const std::int64_t> key) const {
  const Rows* const rows = Of(key);
  if (rows == nullptr) return std::nullopt;
  const std::int64_t m = key[m_place_];
  const auto above = rows->lower_bound(m);
  if (above == rows->begin()) return above->second;
  const auto below = std::prev(above);
  if (above == rows->end() || m - below->first <= above->first - m) return below->second;
  return above->second;
}

std::optional<std::size_t> NearestRows::SmallestBound(std::span<const std::int64_t> key) const {
  const Rows* const rows = Of(key);
  if (rows == nullptr) return std::nullopt;
  const auto found = rows->lower_bound(key[m_place_]);
  if (found == rows->end() || found->first == kNoBound) return std::nullopt;
  return found->second;
}

}  // namespace tunehub::lookup

// Distinct missed shapes with their counts, in bounded memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/misses/miss_forms.h"
#include "core/misses/miss_log.h"

namespace tunehub::core {

class MissFold {
 public:
  explicit MissFold(MissLogOptions options) : options_(std::move(options)) {}

  enum class Added { kCounted, kUnread, kDropped };
  struct Addition {
    Added added = Added::kUnread;
    std::size_t shape = 0;  // kCounted: for Again
  };
  // `values` as LineTemplate::Match gave them. kUnread: some value is none of its column.
  Addition Add(const MissReading& reading, const std::vector<std::string_view>& values);
  // A shape that is known as such, with its count. Not kUnread.
  Addition AddShape(MissShape shape);
  // The same line once more.
  void Again(std::size_t shape) { ++shapes_[shape].count; }

  std::vector<MissShape> Sorted() const;
  void Clear();

 private:
  bool ReadCells(const MissReading& reading, const std::vector<std::string_view>& values);
  Addition Fold();  // of next_
  bool ReadConfig(const MissReading& reading, const std::vector<std::string_view>& values);

  MissLogOptions options_;
  std::vector<MissShape> shapes_;
  std::unordered_map<std::string, std::size_t> index_;
  MissShape next_;   // of the line at hand
  std::string key_;  // of next_
};

}  // namespace tunehub::core

// The lines of all families' files by which AITER says that it found no row, or which one it found,
// ready to match.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/family/families.h"
#include "core/family/family_misses.h"
#include "core/misses/miss_log.h"

namespace tunehub::core {

// What a matched line means for one family.
struct MissReading {
  const Family* family = nullptr;
  std::shared_ptr<const MissLine> line;
  std::vector<std::string> names;  // per place: a column, "file" or ""
};

// One text, which several families may share: only the file then says whose it is.
struct MissForm {
  LineTemplate line;
  std::vector<MissReading> readings;
};

// The forms that a mark (MissLine::mark) may announce.
struct MarkedForms {
  std::string mark;
  std::vector<MissForm> forms;
};

// `hits`: the lines of rows that were found.
std::vector<MarkedForms> MissFormsOf(const Families& families, bool hits = false);

// The reading of `form` that the searched file `path` stands for; null where it says nothing. In
// this order: the family whose token the file's name holds; the only reading there is; the family
// with the most words of its name ("a8w8", "blockscale") in the file's name and then the fewest
// outside it, as AITER_CONFIG_* may name any file; `fallback`, where it is among the readings. Of
// builds before v0.1.7, which print CKGEMM for every table, only `fallback` can tell.
const MissReading* ReadingOf(const Families& families, const MissForm& form, std::string_view path,
                             const Family* fallback);

// Distinct missed shapes with their counts, in bounded memory.
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

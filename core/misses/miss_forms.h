// The lines of all families' files by which AITER says that it found no row, or which one it found,
// ready to match.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/family/families.h"
#include "core/family/line_template.h"

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

}  // namespace tunehub::core

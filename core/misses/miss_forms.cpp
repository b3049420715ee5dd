#include "core/misses/miss_forms.h"

#include <algorithm>

#include "core/base/split.h"
#include "core/family/family_misses.h"

namespace tunehub::core {
namespace {

MarkedForms& FormsOf(std::vector<MarkedForms>& marked, const std::string& mark) {
  const auto found = std::ranges::find(marked, mark, &MarkedForms::mark);
  return found == marked.end() ? marked.emplace_back(MarkedForms{mark, {}}) : *found;
}

// Equal texts around the places are one form, whatever the families call their columns.
void AddReading(MarkedForms& marked, const LineTemplate& line, const MissReading& reading) {
  const auto found = std::ranges::find_if(
      marked.forms, [&](const MissForm& form) { return form.line.texts() == line.texts(); });
  if (found == marked.forms.end()) {
    marked.forms.push_back({line, {reading}});
  } else {
    found->readings.push_back(reading);
  }
}

// The family whose token is in the name. No token is part of another family's file names.
const Family* NamedFamily(const Families& families, std::string_view file) {
  for (const auto& family : families.all()) {
    if (file.find(family->token) != std::string_view::npos) return family.get();
  }
  return nullptr;
}

// How well a file's name fits a family's: more words found, then fewer not found.
struct Likeness {
  std::size_t found = 0, absent = 0;

  bool operator==(const Likeness&) const = default;
  bool Above(const Likeness& other) const {
    return found != other.found ? found > other.found : absent < other.absent;
  }
};

Likeness LikenessOf(const Family& family, std::string_view file) {
  Likeness likeness;
  for (const std::string_view word : SplitAfter(family.name, "_")) {
    ++(file.find(word) == std::string_view::npos ? likeness.absent : likeness.found);
  }
  return likeness;
}

// The one that is more like the file's name than every other; null where two are level or none is.
const MissReading* MostAlike(const std::vector<const MissReading*>& readings,
                             std::string_view file) {
  const MissReading* best = nullptr;
  Likeness highest;
  bool level = false;
  for (const MissReading* reading : readings) {
    const Likeness likeness = LikenessOf(*reading->family, file);
    if (likeness.found == 0) continue;
    if (best != nullptr && likeness == highest) level = true;
    if (best != nullptr && !likeness.Above(highest)) continue;
    best = reading;
    highest = likeness;
    level = false;
  }
  return level ? nullptr : best;
}

}  // namespace

std::vector<MarkedForms> MissFormsOf(const Families& families, bool hits) {
  std::vector<MarkedForms> marked;
  for (const auto& family : families.all()) {
    for (const MissLine& miss : hits ? HitLinesOf(*family) : family->misses) {
      const Result<LineTemplate> line = LineTemplate::Parse(miss.text);
      if (!line.ok()) continue;  // the loader refuses such a file
      AddReading(FormsOf(marked, miss.mark), *line,
                 {family.get(), std::make_shared<MissLine>(miss), line->names()});
    }
  }
  return marked;
}

const MissReading* ReadingOf(const Families& families, const MissForm& form, std::string_view path,
                             const Family* fallback) {
  const std::string_view file = BaseName(path);
  const Family* const named = NamedFamily(families, file);
  std::vector<const MissReading*> candidates;
  const MissReading* chosen = nullptr;
  for (const MissReading& reading : form.readings) {
    if (reading.family == named) return &reading;
    if (reading.family == fallback) chosen = &reading;
    if (!reading.line->only_named) candidates.push_back(&reading);
  }
  if (candidates.size() == 1) return candidates.front();
  const MissReading* const alike = MostAlike(candidates, file);
  return alike != nullptr ? alike : chosen;
}

}  // namespace tunehub::core

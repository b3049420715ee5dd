// One side of a comparison: what was measured, compactly, since a side may be a whole registry.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/analysis/environment.h"
#include "core/base/texts.h"

namespace tunehub::analysis {

// By column, in the family's order.
using NamedCells = std::vector<std::pair<std::string, std::string>>;

// A key: its target, and the shape's columns and cells as a line of CSV each. Views of texts that
// the side or the comparison has.
struct KeyLines {
  std::string_view target;  // "gfx942:304"; "": the side does not say
  std::string_view columns, cells;

  bool operator==(const KeyLines&) const = default;
  NamedCells shape() const;
};
struct KeyLinesHasher {
  std::size_t operator()(const KeyLines& key) const;
};

// A candidate's times on a key.
struct CandidateTimes {
  KeyLines key;
  std::string_view candidate;  // core::AppendCandidateText; "": the side does not say
  std::string_view kernel;     // for people
  std::vector<double> runs;    // microseconds; empty: it has no time
};

using NamedViews = std::vector<std::pair<std::string_view, std::string_view>>;

class Side {
 public:
  Environment environment;
  std::set<std::string> mixed;  // facts that what it was put together of does not agree on

  // In the order in which they came.
  const std::vector<CandidateTimes>& timings() const { return timings_; }

  // What there is of the candidate on the key, or new without times. Good until the next call.
  CandidateTimes& At(std::string_view target, const NamedViews& shape, std::string_view candidate,
                     std::string_view kernel);

 private:
  struct Place {
    KeyLines key;
    std::string_view candidate;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHasher {
    std::size_t operator()(const Place& place) const;
  };

  core::Texts texts_;  // what the timings view
  std::vector<CandidateTimes> timings_;
  std::unordered_map<Place, std::size_t, PlaceHasher> places_;
  std::string columns_, cells_;  // of the key that is looked for
};

}  // namespace tunehub::analysis

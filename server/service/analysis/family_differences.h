// What one family serves now against what it served at a revision, key by key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/difference.h"
#include "core/base/texts.h"
#include "core/family/family.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/lines.h"
#include "server/service/registry/snapshot.h"
#include "server/store/store.h"

namespace tunehub::service {

// What a key is served in one of the states.
struct DifferenceSide {
  bool is_there = false;     // a row
  bool is_baseline = false;  // of which nothing but what runs untuned was measured
  std::optional<double> us;  // that can be believed
  std::string kernel;
  std::int64_t run = 0;
};

// A revision that was the last to change keys.
struct LastChange {
  std::int64_t revision = 0;
  std::string kind, cause;
  std::optional<std::int64_t> run;  // that came or went with it
};

// A key whose row changed. There may be as many as there are rows, so what is served now is the row
// that is in memory anyway, and what follows from it is not said again.
struct KeyDifference {
  std::shared_ptr<const TunedRow> row;  // that is served now; where none is any more, that was
  const LastChange* change = nullptr;   // the FamilyDifferences'
  std::string_view before_kernel;       // the FamilyDifferences'
  double before = std::numeric_limits<double>::quiet_NaN();  // in us; NaN: none to be believed
  std::int64_t before_run = 0, now_run = 0;
  bool was_there = false, was_baseline = false, is_there = false;
  analysis::Difference difference = analysis::Difference::kNone;

  std::optional<double> before_us() const;
  std::optional<double> now_us() const;
  DifferenceSide Before() const;
  DifferenceSide Now(const core::Family& family) const;
};

struct FamilyDifferences {
  std::vector<KeyDifference> keys;  // in the order of the CSV; those of no difference, too
  std::map<std::int64_t, LastChange> changes;  // by revision
  core::Texts texts;
  std::size_t row_bytes = 0;  // of rows that no snapshot has
};
std::size_t SizeOf(const FamilyDifferences& differences);

// Of the rows that are served where nobody asks for a provider, as of now; `snapshot` may be a
// little older. Rows whose lines do not fit the family any more are left out. Throws Unavailable.
FamilyDifferences ReadFamilyDifferences(const FamilySnapshot& snapshot,
                                        const Definitions& definitions, store::Store& store,
                                        FamilyVersions& versions, std::int64_t since);

}  // namespace tunehub::service

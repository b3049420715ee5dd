// What one family serves now against what it served at a revision, key by key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/difference.h"
#include "core/base/hash128.h"
#include "core/base/texts.h"
#include "core/family/family.h"
#include "server/registry/provider.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/lines.h"
#include "server/store/store.h"

namespace tunehub::service {

// What a key is served in one of the states.
struct DifferenceSide {
  bool is_there = false;     // a row
  bool is_baseline = false;  // of which nothing but what runs untuned was measured
  std::optional<double> us;  // that can be believed
  std::string_view kernel;
  std::int64_t run = 0;
};

// A key whose row changed. Its texts live as long as the FamilyDifferences.
struct KeyDifference {
  const core::Family* family = nullptr;
  core::Hash128 key;
  registry::Provider provider = registry::Provider::kAiter;
  std::string_view gfx;
  int cu_num = 0;
  std::string_view line;   // of either state, in the family's columns: for the key's cells
  std::string_view shape;  // its order key without a target: what demand is known by
  DifferenceSide before, now;
  analysis::Difference difference = analysis::Difference::kNone;
  std::int64_t revision = 0;  // the last that changed it
  std::string_view kind, cause;
  std::optional<std::int64_t> run;  // that came or went with it
};

struct FamilyDifferences {
  std::vector<KeyDifference> keys;  // in the order of the CSV; those of no difference, too
  core::Texts texts;
};
std::size_t SizeOf(const FamilyDifferences& differences);

// Of the rows that are served where nobody asks for a provider, as of now. Rows whose lines do not
// fit the family any more are left out. Throws Unavailable.
FamilyDifferences ReadFamilyDifferences(const core::Family& family, const Definitions& definitions,
                                        store::Store& store, FamilyVersions& versions,
                                        std::int64_t since);

}  // namespace tunehub::service

// Which runs count where somebody asks for those of one ROCm, of one AITER, or of late.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tunehub::registry {

struct ProvenanceFilter {
  std::string rocm, aiter;                 // "": any
  std::optional<std::int64_t> since = {};  // of the run's start, microseconds since 1970

  bool empty() const { return rocm.empty() && aiter.empty() && !since; }
};

enum class Provenance {
  kOther,    // the run says so
  kMatches,  // in all that is asked
  kUnknown,  // it says nothing of something that is asked, and nothing against the rest
};

// `provenance` is the run's JSON. A run that was made up for results without one knows nothing, its
// start is only that of their receipt.
Provenance Judge(const ProvenanceFilter& filter, std::string_view provenance, std::int64_t started);

// "6.4" asks for 6.4, 6.4.1 and 6.4-rc1, not for 6.40; 7 or more hexadecimal digits ask for every
// commit that begins with them.
bool IsVersionOf(std::string_view asked, std::string_view version);

}  // namespace tunehub::registry

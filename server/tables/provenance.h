// Which runs count where somebody asks for those of one device, of one toolchain, or of late.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/family/targets.h"

namespace tunehub::server {

struct ProvenanceFilter {
  std::string rocm = {}, aiter = {};       // "": any
  std::optional<std::int64_t> since = {};  // of the run's start, microseconds since 1970
  std::string triton = {}, pytorch = {};
  std::string engine = {};                // "vllm", or with a version: "vllm@0.11"
  std::vector<std::string> devices = {};  // any of these products; empty: any device

  bool empty() const;
};

// The versions that a filter may ask for, by the member that a run says them in.
struct AskedVersion {
  std::string_view member;
  std::string ProvenanceFilter::*asked;
};
inline constexpr AskedVersion kAskedVersions[] = {{"rocm", &ProvenanceFilter::rocm},
                                                  {"aiter", &ProvenanceFilter::aiter},
                                                  {"triton", &ProvenanceFilter::triton},
                                                  {"pytorch", &ProvenanceFilter::pytorch},
                                                  {"engine", &ProvenanceFilter::engine}};

enum class Provenance {
  kOther,    // the run says so
  kMatches,  // in all that is asked
  kUnknown,  // it says nothing of something that is asked, and nothing against the rest
};

// `provenance` is the run's JSON. A run that was made up for results without one knows nothing, its
// start is only that of their receipt. A run's device is what its product, its PCI id or else its
// gpu is the name of, in `devices`.
Provenance Judge(const ProvenanceFilter& filter, std::string_view provenance, std::int64_t started,
                 const core::Devices& devices = {});

// "6.4" asks for 6.4, 6.4.1 and 6.4-rc1, not for 6.40; 7 or more hexadecimal digits ask for every
// commit that begins with them. "vllm" asks for every version of it, "vllm@0.11" for vllm@0.11.2.
bool IsVersionOf(std::string_view asked, std::string_view version);

}  // namespace tunehub::server

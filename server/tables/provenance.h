// Judges runs by device, toolchain or age.
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
  std::optional<std::int64_t> since = {};  // earliest start of the run, in microseconds since 1970
  std::string triton = {}, pytorch = {};
  std::string engine = {};                // "vllm", or with a version: "vllm@0.11"
  std::vector<std::string> devices = {};  // these products; empty: any

  bool empty() const;
};

// A version filter, and the run's member that it compares.
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
  kOther,    // the run contradicts the filter
  kMatches,  // the run meets every condition
  kUnknown,  // the run lacks a fact, and contradicts nothing
};

// `provenance` is the run's JSON. For results without a run, the hub creates a run. Its provenance
// is unknown, because its start is only the time of receipt. The device of a run is its product, or
// else its PCI id, or else its gpu, looked up in `devices`.
Provenance Judge(const ProvenanceFilter& filter, std::string_view provenance, std::int64_t started,
                 const core::Devices& devices = {});

// "6.4" matches 6.4, 6.4.1 and 6.4-rc1, not 6.40. 7 or more hexadecimal digits match commits that
// begin with these digits. "vllm" matches every version. "vllm@0.11" also matches vllm@0.11.2.
bool IsVersionOf(std::string_view asked, std::string_view version);

}  // namespace tunehub::server

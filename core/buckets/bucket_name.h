// The name of one of AITER's Triton configs: <arch>-<CONFIG>[-B=b]-N=n-K=k.json, or in a folder of
// its own DEFAULT.json and <CONFIG>-N=n-K=k.json. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace tunehub::buckets {

// In the order of the name: ("N", "128"), ("K", "512"). Without any the file is a default.
using Sizes = std::vector<std::pair<std::string, std::string>>;

struct BucketName {
  std::string arch;    // "gfx950"; "": the folder says it
  std::string config;  // "BATCHED_GEMM-A16WFP4"; "": a DEFAULT.json, whose folder says it
  Sizes sizes;

  std::string File() const;
};

// Of a file's name without its folder. Error bad_bucket_name: names the part.
core::Result<BucketName> ParseBucketName(std::string_view file);

// The kernel that a config is of, as drivers and folders write it: "batched_gemm_a16wfp4".
std::string KernelOf(std::string_view config);

// "N=128 K=512".
std::string TextOf(const Sizes& sizes, std::string_view between = " ");
// Whether every size of `some` is one of `all`.
bool AreAmong(const Sizes& some, const Sizes& all);

}  // namespace tunehub::buckets

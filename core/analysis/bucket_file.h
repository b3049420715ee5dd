// One of AITER's Triton configs: an object of buckets of M, and the lookup in it. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace tunehub::buckets {

// In the order of the name: ("N", "128"), ("K", "512"). Without any the file is a default.
using Sizes = std::vector<std::pair<std::string, std::string>>;

// The name of a config: <arch>-<CONFIG>[-B=b]-N=n-K=k.json, or in a folder of its own DEFAULT.json
// and <CONFIG>-N=n-K=k.json.
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

// Whether every size of `some` is one of `all`.
bool AreAmong(const Sizes& some, const Sizes& all);

enum class BucketKind { kAtMost, kAtLeast, kAny, kOther };

// "M_LEQ_64", "M_GEQ_4096", "any"; kOther: a note, or a bucket of another kind.
struct BucketKey {
  BucketKind kind = BucketKind::kOther;
  std::int64_t bound = 0;
};
BucketKey KeyOf(std::string_view name);

struct Bucket {
  std::string name;
  std::string config;  // compact JSON, members in the file's order

  bool operator==(const Bucket&) const = default;
};

class BucketFile {
 public:
  BucketFile() = default;
  BucketFile(std::vector<Bucket> buckets, int indent)
      : buckets_(std::move(buckets)), indent_(indent) {}

  // Error bad_bucket_file: no JSON, no object, a member twice, a bucket that is no object, or
  // M_BOUNDS at which AITER raises.
  static core::Result<BucketFile> Parse(std::string_view name, std::string_view text);

  // What the lookup takes for M: the least M_LEQ bound that holds, else the greatest M_GEQ, else
  // any. Only bounds that it tries; null: none, at which AITER stops.
  const Bucket* At(std::int64_t m, std::span<const std::int64_t> bounds) const;
  const Bucket* Find(std::string_view name) const;
  // Of its M_BOUNDS, as core::ParseBounds reads them; "": it says none.
  const std::string& bounds() const { return bounds_; }

  // Whether the lookup ever tries it.
  static bool IsTried(std::string_view name, std::span<const std::int64_t> bounds);
  // Adds every M from which on another bucket may be taken.
  void AddStarts(std::span<const std::int64_t> bounds, std::set<std::int64_t>& starts) const;

  const std::vector<Bucket>& buckets() const { return buckets_; }
  int indent() const { return indent_; }
  // As AITER's files are: indented as the text that was parsed, and with a line feed at the end.
  std::string Text() const;

 private:
  std::vector<Bucket> buckets_;
  int indent_ = 4;
  std::string bounds_;
};

// Whether two configs say the same, in whatever order.
bool IsSameConfig(const std::string& a, const std::string& b);

}  // namespace tunehub::buckets

// One of AITER's Triton configs: an object of buckets of M, and the lookup in it; two states of it
// made one that harms nobody who was measured. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/compare.h"
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

// Times of AITER's Triton kernels, with one config or the other: the CSV that any driver can write.
// docs/readers.md describes it.
struct BucketTime {
  std::string place;   // "runs.csv:5", for messages
  std::string kernel;  // as KernelOf has it
  Sizes sizes;         // B first, K last
  std::int64_t m = 0;
  std::string bucket;  // that it was read from
  bool with_new = false;
  std::optional<double> us;  // none: it did not run
  std::string arch = {};     // "gfx950"; "": nobody said
};

struct BucketRuns {
  std::vector<BucketTime> times;
  analysis::Environment old_environment, new_environment;
};

// Adds one file's rows. Columns: kernel, M, N, K (and B, or other sizes by their names), bucket,
// us, config (old, new), gfx; lines "# config: old" and "# gfx: gfx950" before the header stand for
// these columns. Errors, each with file, line and column: bad_header, bad_cell, no_config, those of
// core::CsvReader and core::CheckTableText.
core::Status AddRuns(const std::string& file, std::string_view csv, BucketRuns& runs);

// A file to begin with: the header, and what each column is.
std::string_view RunsTemplate();

struct MergeInput {
  BucketName name;  // of the old file; with its config, also where that is a DEFAULT.json
  BucketFile old_file, new_file;
  std::vector<Sizes> siblings;  // of the special files in the old file's folder, of this config
  std::string kernel;           // whose rows are meant; "": KernelOf(name.config)
  std::vector<std::int64_t> bounds = {};  // that the kernel's lookup tries, ascending
  analysis::CompareLimits limits = {};
  std::string arch = {};  // whose rows are meant; "": name.arch. Rows that name none are of any
};

enum class Reason {
  kSame,        // both files say the same
  kFaster,      // somebody gains, and nobody loses
  kNotSlower,   // nobody gains, nobody loses
  kSlower,      // kept: the new config harms somebody
  kUnsure,      // kept: the runs of a side do not agree, or the old config has no time
  kUnmeasured,  // kept
  kNoBucket,    // kept: the new file has nothing for these M, or not one config for all of them
  kNeverTried,  // kept: the lookup does not try this bound
  kNote,        // kept: no bucket
};
inline constexpr std::size_t kReasons = 9;
std::string_view Name(Reason reason);

struct BucketChoice {
  std::string name;
  bool from_new = false;
  Reason reason = Reason::kSame;
  std::string why;  // "slower at N=128 K=512 M=16: 6.1 -> 7.3 us (1 of 2 shapes)"
};

struct MergedFile {
  BucketName name;
  BucketFile file;
  std::vector<BucketChoice> choices;

  std::size_t taken() const;  // buckets of the new file that were not there already
};

struct BucketMerge {
  // Why the old file stays as it is: what one of its readers would gain harms another, or it is a
  // default and nobody gains.
  std::string left_alone;
  // The old file, merged; or, where it is left alone, a special file for each that gains.
  std::vector<MergedFile> files;
  std::vector<std::string> remarks;
  std::size_t times = 0;   // rows that were judged
  std::size_t shapes = 0;  // that read the old file
};

// A bucket is the new file's where some shape became faster, or none slower, by the rule of
// analysis::Compare; else, and where nothing was measured, it is the old file's. What the lookup
// takes for any M is then one of the two. Where a bucket would help one shape that reads this file
// and harm another, the file is left alone and each that gains has a special file: by N and K, and
// by B where it depends on that. Errors: no_measurement (no row of this kernel, or of a shape that
// reads this file), wrong_bucket (a row whose bucket neither file gives for its M).
core::Result<BucketMerge> MergeBuckets(const MergeInput& input, const BucketRuns& runs);

// The buckets that a merge of two files has, and what each file's lookup gives for their M.
struct PlannedBucket {
  std::string name;
  const Bucket* of_old = nullptr;  // what the old file's lookup gives for all its M; null: nothing
  const Bucket* of_new = nullptr;  // null: nothing, or not one config for all
};

// Every bucket of either file that the lookup tries and that some M reaches, in a file's order: by
// bound, any last. One of the new file alone is left out where the old file has several configs for
// its M. The files outlive it.
std::vector<PlannedBucket> PlanBuckets(const BucketFile& old_file, const BucketFile& new_file,
                                       std::span<const std::int64_t> bounds);

// The place of M's bucket; the plan's size where it has none.
std::size_t PlaceOf(const std::vector<PlannedBucket>& plan, std::int64_t m,
                    std::span<const std::int64_t> bounds);

// A shape at an M, with both configs.
struct Evidence {
  Sizes sizes;
  std::int64_t m = 0;
  std::size_t place = 0;        // of its bucket in the plan
  analysis::Compared compared;  // without its key

  bool is_slower() const;  // also: it does not run with the new config
  bool is_faster() const { return compared.change == analysis::Change::kFaster; }
  bool is_unsure() const;    // measured, but nothing can be said
  bool is_measured() const;  // with both
  std::string Text() const;  // "N=128 K=512 M=16: 6.1 -> 7.3 us"
};

struct Evidences {
  std::vector<Evidence> all;
  std::vector<std::string> remarks;  // on rows that were left out
  std::size_t times = 0, shapes = 0;
};

// What the measured rows say of the shapes that read the file. Errors: those of MergeBuckets.
core::Result<Evidences> Judge(const MergeInput& input, const BucketRuns& runs,
                              const std::vector<PlannedBucket>& plan);

}  // namespace tunehub::buckets

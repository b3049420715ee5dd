// AITER's Triton config files, which hold a config for each bucket of M: their lookup, and a merge
// of two versions of a file that makes no measured shape slower. Pure.
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

// The sizes in a file's name, in its order: ("N", "128"), ("K", "512"). A default file has none.
using Sizes = std::vector<std::pair<std::string, std::string>>;

// The name of a config file: <arch>-<CONFIG>[-B=b]-N=n-K=k.json, or, in a folder for the config,
// DEFAULT.json and <CONFIG>-N=n-K=k.json.
struct BucketName {
  std::string arch;    // "gfx950"; "": only the folder names it
  std::string config;  // "BATCHED_GEMM-A16WFP4"; "": a DEFAULT.json, only the folder names it
  Sizes sizes;

  std::string File() const;
};

// Parses a file's name without its folder. Error bad_bucket_name: names the part.
core::Result<BucketName> ParseBucketName(std::string_view file);

// The config's kernel, as drivers and folders write it: "batched_gemm_a16wfp4".
std::string KernelOf(std::string_view config);

bool AreAmong(const Sizes& some, const Sizes& all);

enum class BucketKind { kAtMost, kAtLeast, kAny, kOther };

// A bucket's kind and bound, by its name: "M_LEQ_64", "M_GEQ_4096", "any"; kOther: a note, or an
// unknown kind of bucket.
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

  // Error bad_bucket_file: no JSON, no object, a repeated member, a bucket that is no object, or
  // M_BOUNDS that make AITER raise.
  static core::Result<BucketFile> Parse(std::string_view name, std::string_view text);

  // The lookup's bucket for M: the least M_LEQ bound that holds, else the greatest M_GEQ, else any.
  // `bounds`: those that the lookup tries. Null if no bucket fits; AITER then stops.
  const Bucket* At(std::int64_t m, std::span<const std::int64_t> bounds) const;
  const Bucket* Find(std::string_view name) const;
  // The file's M_BOUNDS, for core::ParseBounds; "": it has none.
  const std::string& bounds() const { return bounds_; }

  // Whether the lookup ever tries the bucket `name`.
  static bool IsTried(std::string_view name, std::span<const std::int64_t> bounds);
  // Adds every M at which the lookup's bucket may change.
  void AddStarts(std::span<const std::int64_t> bounds, std::set<std::int64_t>& starts) const;

  const std::vector<Bucket>& buckets() const { return buckets_; }
  int indent() const { return indent_; }
  // As AITER writes its files: with the parsed text's indent and a line feed at the end.
  std::string Text() const;

 private:
  std::vector<Bucket> buckets_;
  int indent_ = 4;
  std::string bounds_;
};

// Compares two configs; the order of members does not matter.
bool IsSameConfig(const std::string& a, const std::string& b);

// A time of one of AITER's Triton kernels with the old or the new config, from a CSV that any
// driver can write (docs/readers.md).
struct BucketTime {
  std::string place;   // "runs.csv:5", for messages
  std::string kernel;  // as KernelOf has it
  Sizes sizes;         // B first, K last
  std::int64_t m = 0;
  std::string bucket;  // the bucket that held the config
  bool with_new = false;
  std::optional<double> us;  // none: it did not run
  std::string arch = {};     // "gfx950"; "": unknown
};

struct BucketRuns {
  std::vector<BucketTime> times;
  analysis::Environment old_environment, new_environment;
};

// Adds one file's rows. Columns: kernel, M, N, K (and B, or other sizes by their names), bucket,
// us, config (old, new), gfx; lines "# config: old" and "# gfx: gfx950" before the header may
// replace these columns. Errors, each with file, line and column: bad_header, bad_cell, no_config,
// those of core::CsvReader and core::CheckTableText.
core::Status AddRuns(const std::string& file, std::string_view csv, BucketRuns& runs);

// A template file: the header, and comments about the columns.
std::string_view RunsTemplate();

struct MergeInput {
  BucketName name;  // of the old file; it has a config even if the file is a DEFAULT.json
  BucketFile old_file, new_file;
  std::vector<Sizes> siblings;  // sizes of this config's special files in the old file's folder
  std::string kernel;           // only rows of this kernel count; "": KernelOf(name.config)
  std::vector<std::int64_t> bounds = {};  // bounds that the kernel's lookup tries, ascending
  analysis::CompareLimits limits = {};
  std::string arch = {};  // only its rows, and rows without an arch, count; "": name.arch
};

enum class Reason {
  kSame,        // both files have the same config
  kFaster,      // some shape is faster, none slower
  kNotSlower,   // no shape is faster or slower
  kSlower,      // old config stays: the new one makes a shape slower
  kUnsure,      // old config stays: the runs of a side do not agree, or it has no time
  kUnmeasured,  // old config stays: nothing was measured with both configs
  kNoBucket,    // old config stays: the new file has no config for these M, or several
  kNeverTried,  // old config stays: the lookup does not try this bound
  kNote,        // old member stays: it is no bucket
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

  std::size_t taken() const;  // number of configs from the new file
};

struct BucketMerge {
  // Why the old file stays unchanged: a bucket would make one shape faster and another slower, or
  // the file is a default and no shape gains.
  std::string left_alone;
  // The merged old file; if it stays unchanged, a special file for each shape that gains.
  std::vector<MergedFile> files;
  std::vector<std::string> remarks;
  std::size_t times = 0;   // rows that were judged
  std::size_t shapes = 0;  // shapes that read the old file
};

// Takes a bucket from the new file if it was measured and makes no shape slower, by the rule of
// analysis::Compare; else keeps the old file's. So the lookup finds the old or the new config for
// any M. If a bucket helps one shape that reads this file and harms another, the file stays
// unchanged. Each shape that gains then gets a special file: by N and K, and by B if the result
// depends on B. Errors: no_measurement (no row of this kernel, or of a shape that reads this file),
// wrong_bucket (neither file gives a row's bucket for its M).
core::Result<BucketMerge> MergeBuckets(const MergeInput& input, const BucketRuns& runs);

// A bucket of the merged file, and the config that each file gives for the bucket's M.
struct PlannedBucket {
  std::string name;
  const Bucket* of_old = nullptr;  // the old file's config for all its M; null: none
  const Bucket* of_new = nullptr;  // null: none, or several configs
};

// Every bucket of either file that the lookup tries and that some M reaches, in a file's order: by
// bound, any last. A bucket that only the new file has is left out if the old file has several
// configs for its M. The files must outlive the plan.
std::vector<PlannedBucket> PlanBuckets(const BucketFile& old_file, const BucketFile& new_file,
                                       std::span<const std::int64_t> bounds);

// The place of M's bucket in the plan; the plan's size if M has none.
std::size_t PlaceOf(const std::vector<PlannedBucket>& plan, std::int64_t m,
                    std::span<const std::int64_t> bounds);

// A shape at an M, with both configs.
struct Evidence {
  Sizes sizes;
  std::int64_t m = 0;
  std::size_t place = 0;        // of its bucket in the plan
  analysis::Compared compared;  // without its shape key

  bool is_slower() const;  // also if the new config does not run
  bool is_faster() const { return compared.change == analysis::Change::kFaster; }
  bool is_unsure() const;    // measured, without a clear result
  bool is_measured() const;  // with both configs
  std::string Text() const;  // "N=128 K=512 M=16: 6.1 -> 7.3 us"
};

struct Evidences {
  std::vector<Evidence> all;
  std::vector<std::string> remarks;  // on ignored rows
  std::size_t times = 0, shapes = 0;
};

// Compares the shapes that read the file, by their measured rows. Errors: those of MergeBuckets.
core::Result<Evidences> Judge(const MergeInput& input, const BucketRuns& runs,
                              const std::vector<PlannedBucket>& plan);

}  // namespace tunehub::buckets

// Times of AITER's Triton kernels, with one config or the other: the CSV that any driver can write.
// docs/readers.md describes it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/bucket_file.h"
#include "core/analysis/compare.h"
#include "core/base/result.h"

namespace tunehub::buckets {

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

}  // namespace tunehub::buckets

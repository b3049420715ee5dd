// The files that `tunehub-agent triton merge` is given, and what stands beside them.
#pragma once

#include "agent/base/configuration.h"
#include "agent/tables/command_triton.h"
#include "core/analysis/bucket_merge.h"
#include "core/base/result.h"

namespace tunehub::agent {

// What is merged for: the old file's readers, or, where the new file has the name of one of a
// default's special files, that one's. Errors: those of ParseBucketName, BucketFile::Parse and
// core::FileBytes, no_folder, bad_arguments (--bounds).
core::Result<buckets::MergeInput> ReadTritonInput(const Configuration& configuration,
                                                  const TritonMergeArguments& arguments);

}  // namespace tunehub::agent

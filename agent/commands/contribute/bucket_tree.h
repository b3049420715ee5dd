// The files of AITER's Triton configs in one tree, by their paths below its config folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/buckets/bucket_file.h"
#include "core/buckets/bucket_name.h"
#include "core/readers/file_name.h"
#include "core/readers/reader.h"

namespace tunehub::agent {

class BucketTree {
 public:
  // Both must outlive it. Errors: those of StoreFolders.
  static core::Result<BucketTree> Open(const core::Reader& reader, const core::ReaderStore& store,
                                       const std::filesystem::path& tree);

  bool Has(const std::string& path) const;
  core::Result<std::string> Bytes(const std::string& path) const;
  core::Result<buckets::BucketFile> Read(const std::string& path) const;

  // The file that is read for the key; "": none.
  std::string Chosen(const core::KeyCells& key) const;
  // Where the key's own file is, or would be: in the layout in which the tree has the kernel's
  // default, else in the key's. Errors: those of PathOf.
  core::Result<std::string> OwnPath(core::KeyCells key) const;
  // The key's own file in any layout of its search; "": none.
  std::string OwnFile(core::KeyCells key) const;
  // The sizes of the special files of the config that lie where `path` does.
  std::vector<buckets::Sizes> SpecialsBeside(const std::string& path,
                                             const buckets::BucketName& name) const;

  // A path as it is below the tree.
  std::string Below(const std::string& path) const;

 private:
  BucketTree(const core::Reader& reader, const core::ReaderStore& store)
      : reader_(reader), store_(store) {}

  const core::Reader& reader_;
  const core::ReaderStore& store_;
  std::filesystem::path tree_, folder_;
};

// Of a file by its path; a DEFAULT.json's config is `op`. Error bad_bucket_name.
core::Result<buckets::BucketName> BucketNameOf(const std::string& path, const std::string& op);

}  // namespace tunehub::agent

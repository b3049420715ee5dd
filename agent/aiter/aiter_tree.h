// Finds the tables that AITER reads in aiter/configs. For each family AITER merges:
//   * its default file
//   * each *TOKEN*.csv directly in model_configs/ without "untuned" in its name; TOKEN is
//     Family::token
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/family/families.h"
#include "core/readers/reader.h"
#include "core/readers/tree_reader.h"

namespace tunehub::agent {

inline constexpr std::string_view kModelConfigs = "model_configs";

struct TreeFile {
  std::string name;            // inside the configs folder: "model_configs/x_tuned_fmoe.csv"
  std::filesystem::path path;  // where the file is
  // The file's bytes if the agent has read the file already. (A pipe can be read only once.)
  std::shared_ptr<const core::FileBytes> bytes = {};
};

struct FamilyFiles {
  const core::Family* family = nullptr;
  std::vector<TreeFile> files;  // the default file, then other files by name; never empty
};

struct AiterTree {
  std::filesystem::path configs;
  std::vector<FamilyFiles> families;  // only families with a file, in the order of Families
  // Tables in `configs` and its subfolders that AITER does not read, by name. Leaves out untuned
  // tables and hidden folders.
  std::vector<TreeFile> unread;
};

// `folder` is the configs folder, or contains aiter/configs or configs. Errors: no_aiter_configs.
core::Result<std::filesystem::path> FindConfigsFolder(const core::Families& families,
                                                      const std::filesystem::path& folder);

// The CSVs of the configs folder and its model_configs/, by their names inside the configs folder.
std::map<std::string, std::filesystem::path> ListTables(const std::filesystem::path& configs);

// The files that AITER reads for each family.
std::vector<FamilyFiles> GroupByFamily(const core::Families& families,
                                       const std::map<std::string, std::filesystem::path>& tables);

// Errors: no_aiter_configs, which names the first tables that belong to no family.
core::Result<AiterTree> ReadAiterTree(const core::Families& families,
                                      const std::filesystem::path& folder);

// Like ReadAiterTree, but also reads a plain folder of tables. A table of a plain folder counts as
// its family's default file if it has that file's name. Otherwise it counts as a file of
// model_configs/.
core::Result<AiterTree> ReadTableFolder(const core::Families& families,
                                        const std::filesystem::path& folder);

// Explains from the table's name why AITER does not read it.
std::string WhyUnread(const core::Families& families, const TreeFile& file);

// The files of an AITER checkout or installed package that show which kernels this AITER contains.
class BuildTree {
 public:
  // `folder` is one of:
  //   * a checkout
  //   * a folder of packages with aiter/ and aiter_meta/
  //   * aiter/ or aiter/configs in one of these
  explicit BuildTree(const std::filesystem::path& folder);

  // Finds a file or folder by its path in a checkout ("csrc/..."). Returns an empty path if it does
  // not exist.
  std::filesystem::path Find(const std::string& place) const;
  // In aiter/jit and below: module_*.so and *_lookup.h.
  const std::vector<std::filesystem::path>& libraries() const { return libraries_; }
  const std::vector<std::filesystem::path>& headers() const { return headers_; }
  // hsa/<gfx>/**/*.co, by gfx.
  const std::multimap<std::string, std::filesystem::path>& code_objects() const {
    return code_objects_;
  }
  // Known versions: aiter, aiter-commit, rocm (of this host).
  std::map<std::string, std::string> Versions() const;

 private:
  std::vector<std::filesystem::path> roots_;
  std::vector<std::filesystem::path> libraries_, headers_;  // sorted
  std::multimap<std::string, std::filesystem::path> code_objects_;
};

struct ReaderTree {
  std::vector<core::TreeEntry> entries;  // the reader's files, by path
  std::vector<core::Finding> unread;     // files that are too large or cannot be read
};

// Returns the store's config folders below `dir` (a checkout, site-packages or the package itself).
// May return none.
std::vector<std::filesystem::path> PackageFolders(const core::ReaderStore& store,
                                                  const std::filesystem::path& dir);

// The files in the reader's config folders, or all files of `dir` if it has no such folder. For
// TunableOp `dir` may be a file. Errors: no_folder, no_files, too_many_files.
core::Result<ReaderTree> ReadReaderTree(const core::Reader& reader,
                                        const std::filesystem::path& dir);

}  // namespace tunehub::agent

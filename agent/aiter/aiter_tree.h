// What AITER would read of a folder aiter/configs, for each family: its default file and, merged
// with it, every file directly inside model_configs/ whose name matches *TOKEN*.csv and does not
// contain "untuned".
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
  std::filesystem::path path;  // where its bytes are
  // What was read of it already, if anything was: a pipe says it once.
  std::shared_ptr<const core::FileBytes> bytes = {};
};

struct FamilyFiles {
  const core::Family* family = nullptr;
  std::vector<TreeFile> files;  // the default file first, the others by name; never empty
};

struct AiterTree {
  std::filesystem::path configs;
  std::vector<FamilyFiles> families;  // those with a file, in the order of Families
  // Tables in `configs` and the folders below it that nobody reads, by name; no untuned ones, and
  // none in a folder whose name begins with a dot.
  std::vector<TreeFile> unread;
};

// `folder` is the configs folder, or holds aiter/configs or configs. Errors: no_aiter_configs.
core::Result<std::filesystem::path> FindConfigsFolder(const core::Families& families,
                                                      const std::filesystem::path& folder);

// Every CSV of the configs folder and its model_configs/, by its name inside it.
std::map<std::string, std::filesystem::path> ListTables(const std::filesystem::path& configs);

// Which of the files AITER reads for which family.
std::vector<FamilyFiles> GroupByFamily(const core::Families& families,
                                       const std::map<std::string, std::filesystem::path>& tables);

// Errors: no_aiter_configs, which names the first tables that are no family's.
core::Result<AiterTree> ReadAiterTree(const core::Families& families,
                                      const std::filesystem::path& folder);

// The same; a folder of tables that is no configs folder (another name, no model_configs/) is read
// as model_configs/ is.
core::Result<AiterTree> ReadTableFolder(const core::Families& families,
                                        const std::filesystem::path& folder);

// Why AITER reads the table for no family, by its name alone.
std::string WhyUnread(const core::Families& families, const TreeFile& file);

// Where an AITER checkout or an installed package keeps what tells of its kernels.
class BuildTree {
 public:
  // `folder`: a checkout, a folder of packages that holds aiter/ and aiter_meta/, its aiter/, or
  // its aiter/configs.
  explicit BuildTree(const std::filesystem::path& folder);

  // A file or folder by its place in a checkout ("csrc/..."); empty: not there.
  std::filesystem::path Find(const std::string& place) const;
  // Below aiter/jit: module_*.so and *_lookup.h.
  const std::vector<std::filesystem::path>& libraries() const { return libraries_; }
  const std::vector<std::filesystem::path>& headers() const { return headers_; }
  // hsa/<gfx>/**/*.co, by gfx.
  const std::multimap<std::string, std::filesystem::path>& code_objects() const {
    return code_objects_;
  }
  // What can be read of them: aiter (its version), aiter-commit, rocm (of this host).
  std::map<std::string, std::string> Versions() const;

 private:
  std::vector<std::filesystem::path> roots_;
  std::vector<std::filesystem::path> libraries_, headers_;  // sorted
  std::multimap<std::string, std::filesystem::path> code_objects_;
};

struct ReaderTree {
  std::vector<core::TreeEntry> entries;  // every file of its kind, by path
  std::vector<core::Finding> unread;     // files that are too large or cannot be read
};

// The store's config folders below `dir`, a checkout, site-packages or the package itself; empty:
// it holds none.
std::vector<std::filesystem::path> PackageFolders(const core::ReaderStore& store,
                                                  const std::filesystem::path& dir);

// The files of the reader's config folders, or, where `dir` holds none of them, all of `dir`; of
// TunableOp's `dir` may be a file. Errors: no_folder, no_files, too_many_files.
core::Result<ReaderTree> ReadReaderTree(const core::Reader& reader,
                                        const std::filesystem::path& dir);

}  // namespace tunehub::agent

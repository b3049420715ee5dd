// A stand-in for an AITER tree, made from the kernel names of given rows.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/family/family.h"
#include "core/table/tuned_table.h"

namespace tunehub::test {

class StandinTree {
 public:
  explicit StandinTree(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Adds every kernel of these rows to the tree's sources, and their code objects to hsa/.
  void List(const core::Family& family, const core::TunedTable& table);
  // Builds the modules' libraries from those rows that are for `gfx` and `cu_num`.
  void Build(const core::Family& family, const core::TunedTable& table, std::string_view gfx,
             int cu_num);
  // Writes candidate lists, lookup headers, code objects and the modules' folders.
  void Write() const;

  // The kernels in a module's list, with their numbers. Several numbers may mean the same kernel.
  const std::map<std::string, std::set<int>>& Listed(const std::string& module) {
    return listed_[module];
  }

 private:
  // The key in the module's lookup header: the row's shape or the kernel's name.
  static std::string HeaderKey(const core::Family& family, const core::Module& module,
                               const core::Cells& cells, std::string_view kernel);
  void Put(const std::string& name, const std::string& bytes) const;

  std::filesystem::path folder_;
  std::map<std::string, std::map<std::string, std::set<int>>> listed_;  // by module, by name
  std::map<std::string, std::string> lists_;                            // by module: its file
  std::map<std::string, std::set<std::string>> built_;                  // "KEY KERNEL" by module
  std::map<std::string, std::set<std::string>> code_objects_;           // by gfx
  std::set<std::string> present_;
};

}  // namespace tunehub::test

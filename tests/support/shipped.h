// The repository's families and targets, and AITER's real tables if they are present.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/family/families.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/shapes/engine_reads.h"

namespace tunehub::test {

std::filesystem::path ShippedFamilyFolder();
const core::Families& ShippedFamilies();
// The families of AITER's CSVs, without those of engines' own files and of unlisted tables.
std::vector<std::shared_ptr<const core::Family>> AiterFamilies();
const core::Family& ShippedFamily(std::string_view name);
const core::Targets& ShippedTargets();
std::vector<core::EngineReads> ShippedEngineReads();
// The shipped configs, but with only the models deepseek-v3 and qwen3-8b, because the time of an
// overview and an export grows with the number of models.
std::filesystem::path ConfigsOfTwoModels();
// The columns of a8w8_blockscale in AITER's order. Most tests use this family.
inline const std::string kBlockscaleHeader =
    "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";

// Cells by column: {{"M", "16"}, {"_tag", ""}}, or one text, "M=16 N=512". They are views of the
// argument.
class CellList {
 public:
  using Cell = std::pair<std::string_view, std::string_view>;
  CellList(std::initializer_list<Cell> cells) : cells_(cells) {}
  CellList(const char* text) : CellList(std::string_view(text)) {}
  CellList(const std::string& text) : CellList(std::string_view(text)) {}
  CellList(std::string_view text);
  auto begin() const { return cells_.begin(); }
  auto end() const { return cells_.end(); }

 private:
  std::vector<Cell> cells_;
};

// A row of `family` with these cells; all other cells are empty. Throws if a column does not exist.
core::Cells CellsOf(const core::Family& family, const CellList& cells);

// $TUNEHUB_DATA, or by default a folder beside the repository. It may be absent.
std::filesystem::path RealDataFolder();
// The files of aiter/configs in that folder, sorted by name. One function returns names with
// "tuned" but not "untuned", the next names with "untuned". Both return nothing if the folder is
// absent.
std::vector<std::filesystem::path> RealTunedFiles();
std::vector<std::filesystem::path> RealUntunedFiles();
std::string NoRealTables();  // for GTEST_SKIP: the folder and how to set it

std::string ReadText(const std::filesystem::path& file);
// All files below the folder, as paths relative to it.
std::map<std::string, std::string> FilesBelow(const std::filesystem::path& folder);
// The contents of these files, each after a line with the file's name.
std::string TextsBelow(const std::filesystem::path& folder);

}  // namespace tunehub::test

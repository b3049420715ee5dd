#include "tests/support/shipped.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "build_info.h"
#include "tests/support/temp_dir.h"

namespace tunehub::test {
namespace {

const std::filesystem::path kSource = TUNEHUB_SOURCE_DIR;

template <typename T>
T ValueOrThrow(core::Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().detail);
  return *std::move(result);
}

std::filesystem::path RealFolder() {
  return (RealDataFolder() / "aiter/configs").lexically_normal();
}

std::vector<std::filesystem::path> RealFiles(bool untuned) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(RealFolder())) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(RealFolder())) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".csv") || name.find("tuned") == std::string::npos) continue;
    if ((name.find("untuned") != std::string::npos) == untuned) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::filesystem::path ShippedFamilyFolder() {
  return kSource / "configs/families";
}

const core::Families& ShippedFamilies() {
  static const core::Families families = ValueOrThrow(core::Families::Load(ShippedFamilyFolder()));
  return families;
}

std::vector<std::shared_ptr<const core::Family>> AiterFamilies() {
  auto families = ShippedFamilies().all();
  std::erase_if(families, [](const auto& family) {
    return family->engine != core::kNoColumn || family->csv_lines;
  });
  return families;
}

const core::Family& ShippedFamily(std::string_view name) {
  const core::Family* const family = ShippedFamilies().Find(name);
  if (family == nullptr) throw std::runtime_error("no family " + std::string(name));
  return *family;
}

std::vector<core::EngineReads> ShippedEngineReads() {
  return ValueOrThrow(
      core::ParseEngineReads("engines.json", ReadText(kSource / "configs/engines.json")));
}

const core::Targets& ShippedTargets() {
  static const core::Targets targets =
      ValueOrThrow(core::Targets::Load(kSource / "configs/targets.json"));
  return targets;
}

std::filesystem::path ConfigsOfTwoModels() {
  namespace fs = std::filesystem;
  static const TempDir dir;
  static const fs::path configs = dir.path() / "configs";
  static const bool made = [] {
    fs::copy(kSource / "configs", configs, fs::copy_options::recursive);
    fs::remove_all(configs / "models");
    fs::create_directory(configs / "models");
    for (const std::string name : {"models/deepseek-v3.json", "models/qwen3-8b.json"})
      fs::copy_file(kSource / "configs" / name, configs / name);
    return true;
  }();
  return made ? configs : fs::path();
}

CellList::CellList(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t is = text.find('=', at), end = std::min(text.find(' ', is), text.size());
    cells_.emplace_back(text.substr(at, is - at), text.substr(is + 1, end - is - 1));
    at = end + 1;
  }
}

core::Cells CellsOf(const core::Family& family, const CellList& cells) {
  core::Cells row(family.columns.size());
  for (const auto& [column, text] : cells) row.at(family.Find(column)) = text;
  return row;
}

std::filesystem::path RealDataFolder() {
  const char* const data = std::getenv("TUNEHUB_DATA");
  return data == nullptr ? kSource / "../shared/data" : std::filesystem::path(data);
}

std::vector<std::filesystem::path> RealTunedFiles() {
  return RealFiles(false);
}

std::vector<std::filesystem::path> RealUntunedFiles() {
  return RealFiles(true);
}

std::string NoRealTables() {
  return "NOT CHECKED AGAINST AITER'S REAL TABLES: there are none in " + RealFolder().string() +
         "; set TUNEHUB_DATA to the folder that holds aiter/configs";
}

std::string ReadText(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::map<std::string, std::string> FilesBelow(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file())
      files[entry.path().lexically_relative(folder).string()] = ReadText(entry.path());
  }
  return files;
}

std::string TextsBelow(const std::filesystem::path& folder) {
  std::string texts;
  for (const auto& [name, text] : FilesBelow(folder)) texts.append(name).append("\n").append(text);
  return texts;
}

}  // namespace tunehub::test

#include "tests/support/readers.h"

#include <algorithm>
#include <stdexcept>

#include "build_info.h"
#include "core/readers/file_body.h"
#include "core/readers/file_name.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TUNEHUB_SOURCE_DIR;

}  // namespace

const core::Readers& ShippedReaders() {
  static const core::Readers readers = [] {
    return Must(core::Readers::Load(kRoot / "configs/readers", ShippedFamilies()));
  }();
  return readers;
}

const core::Reader& ShippedReader(std::string_view name) {
  const core::Reader* const reader = ShippedReaders().Find(name);
  if (reader == nullptr) throw std::runtime_error("no reader " + std::string(name));
  return *reader;
}

fs::path RealTree(std::string_view reader) {
  const fs::path root = RealDataFolder();
  return (reader == "aiter" ? root / "aiter/triton_configs" : root / reader).lexically_normal();
}

std::vector<core::TreeEntry> RealFiles(std::string_view reader) {
  return JsonFilesBelow(RealTree(reader));
}

std::vector<core::TreeEntry> JsonFilesBelow(const fs::path& tree) {
  std::vector<core::TreeEntry> entries;
  if (!fs::is_directory(tree)) return entries;
  for (const auto& file : fs::recursive_directory_iterator(tree)) {
    if (file.path().extension() != ".json") continue;
    const std::string name = file.path().lexically_relative(tree).string();
    entries.push_back({name, name, ReadText(file.path())});
  }
  std::ranges::sort(entries, {}, &core::TreeEntry::path);
  return entries;
}

std::map<std::string, std::string> Written(const core::Reader& reader,
                                           const core::TreeReading& reading) {
  std::map<std::string, std::string> files;
  for (const core::TreeTable& table : reading.tables) {
    const core::ReaderStore& store = *reader.StoreOf(*table.family);
    const auto read = Must(core::ReadTunedTable(*table.family, ShippedTargets(), table.csv));
    if (!read.rejected.empty()) throw std::runtime_error(read.rejected[0].detail);
    std::map<std::string, std::vector<core::BodyMember>> members;  // by path
    for (const core::Row& row : read.rows) {
      std::string scratch;
      const core::Cells cells = core::SplitLine(row.line, scratch);
      members[Must(core::PathOf(store, cells))].push_back(core::MemberOf(store, cells));
    }
    for (auto& [path, of_file] : members) files[path] = core::WriteBody(store, std::move(of_file));
  }
  return files;
}

}  // namespace tunehub::test

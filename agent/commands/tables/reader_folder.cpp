#include "agent/commands/tables/reader_folder.h"

#include "agent/readers/reader_tree.h"
#include "core/readers/file_name.h"

namespace tunehub::agent {
namespace {

std::string FolderIn(const Configuration& configuration, const std::string& path) {
  return NamesReader(configuration, path) ? path.substr(path.find(':') + 1) : path;
}

// How well the name fits: where several grammars take it, the one that is about more of the path.
std::size_t FitOf(const core::Reader& reader, const std::string& name) {
  std::string tail;
  for (const core::ReaderStore& store : reader.stores) {
    if (store.body == core::BodyKind::kTunable || !core::IsOf(store, name, tail)) continue;
    if (core::ParsePath(reader, store, tail).ok())
      return tail.find('/') == std::string::npos ? 1 : 2;
  }
  return 0;
}

}  // namespace

bool NamesReader(const Configuration& configuration, const std::string& path) {
  const std::size_t colon = path.find(':');
  return colon != std::string::npos && configuration.readers.Find(path.substr(0, colon)) != nullptr;
}

core::Result<const core::Reader*> ReaderOfFolder(const Configuration& configuration,
                                                 const std::string& path) {
  if (NamesReader(configuration, path)) {
    return configuration.readers.Find(path.substr(0, path.find(':')));
  }
  const core::Reader* best = nullptr;
  std::size_t most = 0;
  for (const core::Reader& reader : configuration.readers.all()) {
    const auto tree = ReadReaderTree(reader, path);
    if (!tree.ok()) {
      const std::string& code = tree.error().code;
      if (code == "no_files" || code == "no_folder") continue;  // none of its kind lies there
      return tree.error();
    }
    std::size_t fit = 0;
    for (const core::TreeEntry& entry : tree->entries) fit += FitOf(reader, entry.name);
    if (fit <= most) continue;
    most = fit;
    best = &reader;
  }
  if (best != nullptr) return best;
  return core::Error{"no_reader", path + ": no reader's grammar takes a file of it"};
}

core::Result<core::TreeReading> ReadReaderFolder(const Configuration& configuration,
                                                 const core::Reader& reader,
                                                 const std::string& path, core::TreeExtent extent) {
  const auto tree = ReadReaderTree(reader, FolderIn(configuration, path));
  if (!tree.ok()) return tree.error();
  return core::ReadTree(reader, configuration.targets, tree->entries, "", extent);
}

}  // namespace tunehub::agent

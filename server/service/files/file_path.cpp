#include "server/service/files/file_path.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/base/excerpt.h"
#include "core/readers/file_name.h"
#include "core/readers/tunable_path.h"

namespace tunehub::service {
namespace {

// The columns of TunableOp's family that a path of its files says.
constexpr std::string_view kDeviceColumn = "device", kValidatorsColumn = "validators";

bool HoldsTunable(const core::ReaderStore& store) {
  return store.body == core::BodyKind::kTunable;
}

core::Result<NamedFile> ParseTunable(const core::Reader& reader, const core::ReaderStore& store,
                                     std::string_view path) {
  const auto place = core::ParseTunablePath(path);
  if (!place.ok()) return core::Error{"bad_name", place.error().detail};
  const core::Family& family = *store.family;
  NamedFile named{&store, core::TunablePathOf(*place), {}};
  named.cells.emplace_back(family.engine, reader.engine);
  named.cells.emplace_back(family.Find(kDeviceColumn), place->device);
  named.cells.emplace_back(family.Find(kValidatorsColumn), place->validators);
  return named;
}

}  // namespace

core::Result<NamedFile> ParseFilePath(const core::Reader& reader, std::string_view path,
                                      std::string_view family) {
  const auto tunable = std::ranges::find_if(reader.stores, HoldsTunable);
  if (tunable != reader.stores.end()) return ParseTunable(reader, *tunable, path);
  const core::ReaderStore* const store = family.empty() ? nullptr : reader.StoreOf(family);
  if (store == nullptr && !family.empty()) {
    return core::Error{"bad_name", fmt::format("'{}' is no family of {}'s files",
                                               core::Excerpt(family), reader.name)};
  }
  const auto parsed =
      store == nullptr ? core::ParsePath(reader, path) : core::ParsePath(reader, *store, path);
  if (!parsed.ok()) return parsed.error();
  const auto own_path = core::PathOf(*parsed->store, parsed->cells);
  if (!own_path.ok()) return own_path.error();
  NamedFile named{parsed->store, *own_path, {}};
  for (const std::size_t column : parsed->store->family->key_columns) {
    const bool guessed = parsed->guessed_op && column == parsed->store->op;
    if (column == parsed->store->member || guessed) continue;
    named.cells.emplace_back(column, parsed->cells[column]);
  }
  return named;
}

std::string WholeFamilyOf(const NamedFile& named, const core::Reader& reader) {
  for (const core::ReaderStore& store : reader.stores) {
    const bool whole = store.body == core::BodyKind::kWhole && &store != named.store;
    if (whole && core::ParsePath(reader, store, named.path).ok()) return store.family->name;
  }
  return "";
}

core::Result<std::string> FilePathOf(const core::ReaderStore& store, const core::Cells& cells) {
  if (!HoldsTunable(store)) return core::PathOf(store, cells);
  const core::Family& family = *store.family;
  return core::TunablePathOf({std::string(cells[family.Find(kDeviceColumn)]),
                              std::string(cells[family.Find(kValidatorsColumn)])});
}

std::string InVersionFolder(const core::Reader& reader, std::string version,
                            std::string_view name) {
  std::ranges::replace(version, '.', '_');
  for (const core::ReaderStore& store : reader.stores) {
    if (store.names.empty()) continue;
    const core::NamePart& first = store.names.front().parts.front();
    if (first.places.size() != 1 || first.places[0].form != core::PlaceForm::kVersion) continue;
    return first.places[0].before + version + first.end + std::string(name);
  }
  return std::string(name);
}

}  // namespace tunehub::service

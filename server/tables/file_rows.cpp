#include "server/tables/file_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "core/base/text.h"
#include "core/readers/file_name.h"
#include "core/readers/tunable_file.h"
#include "core/row/cell.h"
#include "core/row/row.h"
#include "core/table/table_writer.h"

namespace tunehub::server {
namespace {

// Columns of TunableOp's family that are folders of its paths.
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

// Errors: no_name.
core::Result<std::string> FilePathOf(const core::ReaderStore& store, const core::Cells& cells) {
  if (!HoldsTunable(store)) return core::PathOf(store, cells);
  const core::Family& family = *store.family;
  return core::TunablePathOf({std::string(cells[family.Find(kDeviceColumn)]),
                              std::string(cells[family.Find(kValidatorsColumn)])});
}

// int4 packs two values in a byte. In some engines N counts bytes, in others values.
constexpr std::string_view kPackedDtype = "int4";

// A device of the form whose file may use a row, and the row's origin in this file.
struct Place {
  std::string device;
  Origin origin = Origin::kOwn;
};

class Picker {
 public:
  Picker(const FileForm& form, const core::Family& family) : form_(form), family_(family) {}

  void Add(const TunedRow& row) {
    const core::Cells cells = core::SplitLine(row.line, scratch_);
    for (const Place& place : PlacesOf(cells)) AddAt(place, row, cells);
  }

  FileSet Finish() {
    for (auto& [path, rows] : candidates_) {
      KeepNewestVersion(rows);
      TakeBest(path, rows);
    }
    return std::move(set_);
  }

 private:
  bool HasDevice() const { return family_.device != core::kNoColumn; }

  // The devices whose files may use the row.
  std::vector<Place> PlacesOf(const core::Cells& cells) const {
    const bool own = cells[family_.engine] == form_.reader->engine;
    if (!own && cells[family_.engine] != form_.from) return {};
    const std::string device(HasDevice() ? cells[family_.device] : "");
    std::vector<Place> places;
    if (form_.devices.empty() || core::Contains(form_.devices, device)) {
      places.push_back({device, own ? Origin::kOwn : Origin::kEngine});
    }
    if (core::Contains(form_.siblings, device)) {
      for (const std::string& asked : form_.devices) {
        if (asked == device) continue;
        places.push_back({asked, own ? Origin::kSibling : Origin::kEngineSibling});
      }
    }
    return places;
  }

  void AddAt(const Place& place, const TunedRow& row, core::Cells cells) {
    const bool other_engine = place.origin >= Origin::kEngine;
    FileRow file_row{{cells.begin(), cells.end()}, row.standing, row.us, place.origin, {}};
    if (HasDevice()) cells[family_.device] = place.device;
    cells[family_.engine] = form_.reader->engine;
    if (other_engine && !FitVersion(cells)) return;
    core::AppendOrderKey(file_row.order, family_, cells);
    const auto path = FilePathOf(*form_.store, cells);
    if (!path.ok() || (!form_.tree() && *path != form_.path)) return;
    const std::size_t dtype = family_.Find("dtype");
    if (other_engine && dtype != core::kNoColumn && cells[dtype].starts_with(kPackedDtype)) {
      ++set_.not_borrowed;
      return;
    }
    candidates_[*path].push_back(std::move(file_row));
  }

  bool HasVersion() const { return form_.version_column != core::kNoColumn; }

  // Puts another engine's row into the file's version folder. Returns false if the row has another
  // version than the requested one.
  bool FitVersion(core::Cells& cells) const {
    if (!HasVersion()) return true;
    std::string_view& version = cells[form_.version_column];
    if (form_.has_versions()) {
      version = form_.version;
      return true;
    }
    if (!form_.version.empty() && version != form_.version) return false;
    version = {};
    return true;
  }

  // Keeps only the newest version of the other engine's rows, because nobody has measured a mixture
  // of versions.
  void KeepNewestVersion(std::vector<FileRow>& rows) const {
    if (!HasVersion()) return;
    const auto of_engine = [&](const FileRow& row) { return row.origin >= Origin::kEngine; };
    std::vector<std::int64_t> newest;
    for (const FileRow& row : rows) {
      if (of_engine(row)) newest = std::max(newest, Numbers(row.cells[form_.version_column]));
    }
    std::erase_if(rows, [&](const FileRow& row) {
      return of_engine(row) && Numbers(row.cells[form_.version_column]) != newest;
    });
  }

  // "3.5.1" -> 3, 5, 1; other text sorts before any number.
  static std::vector<std::int64_t> Numbers(std::string_view version) {
    std::vector<std::int64_t> numbers;
    while (!version.empty()) {
      const std::size_t dot = std::min(version.find('.'), version.size());
      numbers.push_back(core::ParseInt64(version.substr(0, dot)).value_or(-1));
      version.remove_prefix(std::min(version.size(), dot + 1));
    }
    return numbers;
  }

  // One row per member: the nearest origin, then measured before declared, then the lowest time.
  void TakeBest(const std::string& path, std::vector<FileRow>& rows) {
    // In a file, all rows of one member have the same sort key.
    std::map<std::string_view, std::size_t> best;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto [held, first] = best.try_emplace(rows[i].order, i);
      if (!first && IsBetter(rows[i], rows[held->second])) held->second = i;
    }
    std::vector<FileRow>& kept = set_.files[path];
    for (const auto& [order, place] : best) {
      Count(rows[place]);
      kept.push_back(rows[place]);
    }
  }

  static bool IsBetter(const FileRow& a, const FileRow& b) {
    return std::tie(a.origin, a.standing, a.us) < std::tie(b.origin, b.standing, b.us);
  }

  void Count(const FileRow& row) {
    if (row.origin == Origin::kOwn) return;
    std::string from;
    if (row.origin >= Origin::kEngine) {
      from = "engine=" + row.cells[family_.engine];
      if (HasVersion() && !row.cells[form_.version_column].empty()) {
        from += fmt::format(";{}={}", family_.columns[form_.version_column].name,
                            row.cells[form_.version_column]);
      }
    }
    if (row.origin == Origin::kSibling || row.origin == Origin::kEngineSibling) {
      from += (from.empty() ? "device=" : ";device=") + row.cells[family_.device];
    }
    ++set_.borrowed[from];
  }

  const FileForm& form_;
  const core::Family& family_;
  std::string scratch_;
  std::map<std::string, std::vector<FileRow>> candidates_;
  FileSet set_;
};

}  // namespace

std::size_t VersionColumn(const core::ReaderStore& store) {
  for (const core::NameForm& name : store.names) {
    for (const core::NamePart& part : name.parts) {
      for (const core::NamePlace& place : part.places) {
        if (place.form == core::PlaceForm::kVersion) return place.column;
      }
    }
  }
  return core::kNoColumn;
}

std::size_t VersionColumn(const core::Readers& readers, const core::Family& family) {
  for (const core::Reader& reader : readers.all()) {
    const core::ReaderStore* const store = reader.StoreOf(family);
    if (store == nullptr) continue;
    if (const std::size_t column = VersionColumn(*store); column != core::kNoColumn) return column;
  }
  return core::kNoColumn;
}

bool FileForm::has_versions() const {
  return VersionColumn(*store) != core::kNoColumn;
}

std::string FileForm::Text() const {
  std::string text = reader->name + "\x1f" + store->family->name + "\x1f" + path + "\x1f" + from +
                     "\x1f" + version;
  for (const auto* const names : {&devices, &siblings}) {
    text += "\x1e";
    for (const std::string& name : *names) text += name + "\x1f";
  }
  return text;
}

core::Result<NamedFile> ParseFilePath(const core::Reader& reader, std::string_view path,
                                      std::string_view family) {
  const auto tunable = std::ranges::find_if(reader.stores, HoldsTunable);
  if (tunable != reader.stores.end()) return ParseTunable(reader, *tunable, path);
  const core::ReaderStore* const store = family.empty() ? nullptr : reader.StoreOf(family);
  if (store == nullptr && !family.empty()) {
    return core::Error{"bad_name", fmt::format("unknown family '{}' of the files of {}",
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

std::string FileSet::BorrowedText() const {
  return core::Joined(borrowed,
                      [](const auto& it) { return fmt::format("{};{}", it.second, it.first); });
}

FileSet PickFiles(const FileForm& form, const core::Family& family,
                  std::span<const std::shared_ptr<const TunedRow>> rows) {
  Picker picker(form, family);
  for (const auto& row : rows) picker.Add(*row);
  return picker.Finish();
}

}  // namespace tunehub::server

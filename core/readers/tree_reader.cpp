#include "core/readers/tree_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "core/readers/file_body.h"
#include "core/readers/file_name.h"
#include "core/readers/lookup.h"
#include "core/readers/name_matcher.h"
#include "core/readers/tunable_tree.h"
#include "core/row/cell.h"
#include "core/table/csv.h"
#include "core/table/table_writer.h"

namespace tunehub::core {
namespace {

// One file whose name could be read.
struct NamedFile {
  const TreeEntry* entry = nullptr;
  ParsedPath path;
  std::string name;  // below the config folder, as the reader asks for it
  FileBody body;
  bool taken = false;
};

class TreeWalk {
 public:
  TreeWalk(const Reader& reader, const Targets& targets) : reader_(reader), targets_(targets) {}

  TreeReading Read(const std::vector<TreeEntry>& entries) {
    for (const TreeEntry& entry : entries) ReadName(entry);
    for (NamedFile& file : files_) TakeOpOfNeighbours(file);
    for (NamedFile& file : files_) ReadBodyOf(file);
    CheckTwins();
    CheckDefaults();
    CheckDevices();
    WriteTables();
    std::ranges::stable_sort(reading_.findings, {}, &Finding::file);
    return std::move(reading_);
  }

 private:
  void Aside(const std::string& file, const Error& error) {
    reading_.findings.push_back({file, "", error.code, error.detail, true});
    ++reading_.files_aside;
  }
  void Aside(NamedFile& file, const char* code, std::string detail) {
    Aside(file.entry->path, {code, std::move(detail)});
    file.taken = false;
  }
  void Note(const NamedFile& file, const char* code, std::string detail) {
    reading_.findings.push_back({file.entry->path, "", code, std::move(detail), false});
  }

  void ReadName(const TreeEntry& entry) {
    std::string tail;
    for (const ReaderStore& store : reader_.stores) {
      if (!IsOf(store, entry.name, tail)) continue;
      ++reading_.files;
      auto parsed = ParsePath(reader_, store, tail);
      if (!parsed.ok()) return Aside(entry.path, parsed.error());
      if (const auto error = BadCell(store, parsed->cells)) return Aside(entry.path, *error);
      files_.push_back({&entry, *std::move(parsed), tail, {}, false});
      return;
    }
    const std::size_t slash = entry.name.rfind('/');
    ++reading_.unread[slash == std::string::npos ? "." : entry.name.substr(0, slash)];
  }

  // A number beyond what its column may have.
  static std::optional<Error> BadCell(const ReaderStore& store, const KeyCells& cells) {
    for (const std::size_t i : store.family->key_columns) {
      if (i == store.member) continue;
      // The whole table would be refused for it.
      if (const Status text = CheckTableText(cells[i]); !text.ok()) {
        return Error{"bad_name", "the name is no UTF-8 text that a table may hold"};
      }
      Scratch scratch;
      const Column& column = store.family->columns[i];
      const auto cell = CanonicalCell(column, cells[i], scratch);
      if (cell.ok()) continue;
      return Error{"bad_name", fmt::format("{}: {}", column.name, cell.error().detail)};
    }
    return std::nullopt;
  }

  // A default file's folder has its op in lower case; a special file beside it has it whole.
  void TakeOpOfNeighbours(NamedFile& file) {
    const ReaderStore& store = *file.path.store;
    if (!file.path.guessed_op || store.op == kNoColumn) return;
    std::string& op = file.path.cells[store.op];
    for (const NamedFile& other : files_) {
      if (other.path.store != &store || other.path.guessed_op) continue;
      const std::string& whole = other.path.cells[store.op];
      if (LowerName(whole) != LowerName(op)) continue;
      op = whole;
      return;
    }
  }

  void ReadBodyOf(NamedFile& file) {
    const ReaderStore& store = *file.path.store;
    const std::string_view op =
        store.op == kNoColumn ? std::string_view() : file.path.cells[store.op];
    auto body = ReadBody(store, file.entry->bytes, op);
    if (!body.ok()) return Aside(file.entry->path, body.error());
    file.body = *std::move(body);
    file.taken = true;
    for (const BodyIssue& issue : file.body.issues) {
      reading_.findings.push_back(
          {file.entry->path, issue.member, issue.code, issue.detail, issue.aside});
      if (issue.aside) ++reading_.members_aside;
    }
    if (file.body.members.empty()) {
      Aside(file, "no_member", "no member of the file can be taken");
    }
  }

  static bool SameBody(const FileBody& a, const FileBody& b) {
    const auto same = [](const BodyMember& x, const BodyMember& y) {
      return std::tie(x.name, x.config, x.place) == std::tie(y.name, y.config, y.place);
    };
    return a.made_with == b.made_with &&
           std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(), same);
  }

  // Files of one key: the same is taken once, of different ones none.
  void CheckTwins() {
    std::map<std::pair<const ReaderStore*, KeyCells>, std::vector<NamedFile*>> by_key;
    for (NamedFile& file : files_) {
      if (file.taken) by_key[{file.path.store, file.path.cells}].push_back(&file);
    }
    for (auto& [key, twins] : by_key) {
      if (twins.size() < 2) continue;
      const bool same = std::ranges::all_of(
          twins, [&](const auto* file) { return SameBody(file->body, twins.front()->body); });
      for (NamedFile* file : twins) {
        const NamedFile* const other = file == twins.front() ? twins[1] : twins.front();
        if (!same) {
          Aside(*file, "two_bodies",
                fmt::format("'{}' has the same key and says something else: neither is taken",
                            other->entry->path));
        } else if (file != twins.front()) {
          Note(*file, "same_file", fmt::format("says what '{}' says", other->entry->path));
          file->taken = false;
        }
      }
    }
  }

  bool IsSpecial(const NamedFile& file) const {
    return std::ranges::any_of(file.path.store->special, [&](std::size_t column) {
      return !file.path.cells[column].empty();
    });
  }

  // A special file is read where its folder has the default; the first folder with one is chosen.
  void CheckDefaults() {
    std::set<std::string> names;
    for (const NamedFile& file : files_) names.insert(file.name);
    const auto exists = [&](const std::string& name) { return names.contains(name); };
    for (NamedFile& file : files_) {
      const ReaderStore& store = *file.path.store;
      if (!file.taken || store.searches.empty()) continue;
      KeyCells plain = file.path.cells;
      for (const std::size_t column : store.special) plain[column].clear();
      const auto fallback = PathOf(store, plain);
      if (IsSpecial(file) && (!fallback.ok() || !exists(*fallback))) {
        Aside(file, "no_default",
              fmt::format("AITER never reads it: its folder has no default file ('{}')",
                          fallback.ok() ? *fallback : ""));
        continue;
      }
      const FileChoice choice = ChosenFile(store, file.path.cells, exists);
      if (choice.path != file.name) {
        Note(file, "other_folder_first",
             fmt::format("'{}' is found before it where no backend is asked for", choice.path));
      }
    }
  }

  // Once a device, by its first file.
  void CheckDevices() {
    std::map<std::string, std::pair<const NamedFile*, std::size_t>> devices;
    for (const NamedFile& file : files_) {
      const std::size_t column = file.path.store->family->device;
      if (!file.taken || column == kNoColumn) continue;
      auto& [first, count] = devices.try_emplace(file.path.cells[column], &file, 0).first->second;
      ++count;
    }
    for (const auto& [device, seen] : devices) {
      const auto& [file, count] = seen;
      if (targets_.devices().IsAmbiguous(device)) {
        Note(*file, "unknown_device",
             fmt::format("several devices have the name '{}' of {} files: kept under it", device,
                         count));
      } else if (targets_.FindDevice(device) == nullptr) {
        Note(*file, "unknown_device",
             fmt::format("nobody knows the device '{}' of {} files: kept under its name", device,
                         count));
      }
      if (const std::string asked = AskedDevice(reader_, device); asked != device) {
        Note(*file, "renamed_device",
             fmt::format("newer states of {} ask for '{}' on '{}': {} files", reader_.title, asked,
                         device, count));
      }
    }
  }

  void WriteTables() {
    std::vector<NamedFile*> taken;
    for (NamedFile& file : files_) {
      if (file.taken) taken.push_back(&file);
    }
    for (const NamedFile* file : taken) {
      const ReaderStore& store = *file->path.store;
      TreeTable& table = TableOf(*store.family);
      ++table.files;
      for (const BodyMember& member : file->body.members) {
        Cells cells(file->path.cells.begin(), file->path.cells.end());
        const std::string place = member.place ? std::to_string(*member.place) : "";
        cells[store.member] = member.name;
        cells[store.config] = member.config;
        if (store.place != kNoColumn) cells[store.place] = place;
        if (store.made_with != kNoColumn) cells[store.made_with] = file->body.made_with;
        table.csv += JoinCells(cells) + "\n";
        ++table.rows;
      }
    }
  }

  TreeTable& TableOf(const Family& family) {
    const auto found = std::ranges::find(reading_.tables, &family, &TreeTable::family);
    if (found != reading_.tables.end()) return *found;
    return reading_.tables.emplace_back(TreeTable{&family, family.Header(true) + "\n"});
  }

  const Reader& reader_;
  const Targets& targets_;
  std::vector<NamedFile> files_;
  TreeReading reading_;
};

}  // namespace

TreeReading ReadTree(const Reader& reader, const Targets& targets,
                     const std::vector<TreeEntry>& entries, std::string_view device) {
  const ReaderStore& first = reader.stores.front();
  if (first.body == BodyKind::kTunable) return ReadTunableTree(first, targets, entries, device);
  return TreeWalk(reader, targets).Read(entries);
}

}  // namespace tunehub::core

#include "core/readers/tree_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/text.h"
#include "core/readers/file_body.h"
#include "core/readers/file_name.h"
#include "core/row/cell.h"
#include "core/table/csv.h"
#include "core/table/table_writer.h"

namespace tunehub::core {
namespace {

// A file with a valid name.
struct TreeFile {
  const TreeEntry* entry = nullptr;
  ParsedPath path;
  std::string name;  // below the config folder, as the reader searches for it
  FileBody body;
  bool taken = false;
};

class TreeWalk {
 public:
  TreeWalk(const Reader& reader, const Targets& targets) : reader_(reader), targets_(targets) {}

  TreeReading Read(const std::vector<TreeEntry>& entries, TreeExtent extent) {
    for (const TreeEntry& entry : entries) ReadName(entry);
    for (TreeFile& file : files_) TakeOpOfNeighbours(file);
    for (TreeFile& file : files_) ReadBodyOf(file);
    CheckTwins();
    if (extent == TreeExtent::kWhole) CheckDefaults();
    CheckLayouts();
    CheckDevices();
    WriteTables();
    std::ranges::stable_sort(reading_.findings, {}, &Finding::file);
    return std::move(reading_);
  }

 private:
  void ReadName(const TreeEntry& entry) {
    std::string tail;
    for (const ReaderStore& store : reader_.stores) {
      if (!IsOf(store, entry.name, tail)) continue;
      ++reading_.files;
      auto parsed = ParsePath(reader_, store, tail);
      if (!parsed.ok()) return Aside(entry.path, parsed.error());
      if (const auto error = BadCell(store, parsed->cells)) return Aside(entry.path, *error);
      if (!CheckWords(entry.path, *parsed)) return;
      files_.push_back({&entry, *std::move(parsed), tail, {}, false});
      return;
    }
    for (const UnsupportedFiles& files : reader_.unsupported) {
      const auto holds = [&](const std::string& part) {
        return entry.name.find(part) != std::string::npos;
      };
      if (std::ranges::none_of(files.parts, holds)) continue;
      ++reading_.files;
      return Aside(entry.path, {"not_supported", fmt::format("{}: {}", files.title, files.why)});
    }
    const std::size_t slash = entry.name.rfind('/');
    ++reading_.unread[slash == std::string::npos ? "." : entry.name.substr(0, slash)];
  }

  // Returns bad_name if a cell does not fit its column.
  static std::optional<Error> BadCell(const ReaderStore& store, const KeyCells& cells) {
    for (const std::size_t i : store.family->key_columns) {
      if (i == store.member) continue;
      // This cell would make the whole table invalid.
      if (const Status text = CheckTableText(cells[i]); !text.ok()) {
        return Error{"bad_name", "the name must be UTF-8 text that a table can store"};
      }
      Scratch scratch;
      const Column& column = store.family->columns[i];
      const auto cell = CanonicalCell(column, cells[i], scratch);
      if (cell.ok()) continue;
      return Error{"bad_name", fmt::format("{}: {}", column.name, cell.error().detail)};
    }
    return std::nullopt;
  }

  // A default file's folder has the op in lower case. A special file of the same op shows the op's
  // case.
  void TakeOpOfNeighbours(TreeFile& file) {
    const ReaderStore& store = *file.path.store;
    if (!file.path.guessed_op || store.op == kNoColumn) return;
    std::string& op = file.path.cells[store.op];
    for (const TreeFile& other : files_) {
      if (other.path.store != &store || other.path.guessed_op) continue;
      const std::string& whole = other.path.cells[store.op];
      if (LowerName(whole) != LowerName(op)) continue;
      op = whole;
      return;
    }
  }

  void ReadBodyOf(TreeFile& file) {
    const ReaderStore& store = *file.path.store;
    const std::string_view op =
        store.op == kNoColumn ? std::string_view() : file.path.cells[store.op];
    auto body = ReadBody(store, file.entry->bytes, op);
    if (body.ok() && body->other_schema) {
      if (auto whole = WholeOf(file)) {
        file.path = *std::move(whole);
        body = ReadBody(*file.path.store, file.entry->bytes);
      }
    }
    if (!body.ok()) return Aside(file.entry->path, body.error());
    file.body = *std::move(body);
    file.taken = true;
    for (const BodyIssue& issue : file.body.issues) {
      reading_.findings.push_back(
          {file.entry->path, issue.member, issue.code, issue.detail, issue.aside});
      if (issue.aside) ++reading_.members_aside;
    }
    if (file.body.members.empty())
      Aside(file, "no_member", "the hub can store no member of this file");
  }

  // Returns the file's path in the store for whole files; nullopt if that store cannot name it.
  std::optional<ParsedPath> WholeOf(const TreeFile& file) const {
    for (const ReaderStore& store : reader_.stores) {
      if (store.body != BodyKind::kWhole) continue;
      auto parsed = ParsePath(reader_, store, file.name);
      if (parsed.ok() && !BadCell(store, parsed->cells)) return *std::move(parsed);
    }
    return std::nullopt;
  }

  static std::string LineOf(const TreeFile& file, const BodyMember& member) {
    const ReaderStore& store = *file.path.store;
    Cells cells(file.path.cells.begin(), file.path.cells.end());
    const std::string place = member.place ? std::to_string(*member.place) : "";
    if (store.member != kNoColumn) cells[store.member] = member.name;
    cells[store.config] = member.config;
    if (store.place != kNoColumn) cells[store.place] = place;
    if (store.made_with != kNoColumn) cells[store.made_with] = file.body.made_with;
    if (store.bounds != kNoColumn) cells[store.bounds] = member.bounds;
    return JoinCells(cells);
  }

  // Skips a whole file, with a finding.
  void Aside(const std::string& file, const Error& error) {
    reading_.findings.push_back({file, "", error.code, error.detail, true});
    ++reading_.files_aside;
  }

  void Aside(TreeFile& file, const char* code, std::string detail) {
    Aside(file.entry->path, {code, std::move(detail)});
    file.taken = false;
  }

  void Note(const TreeFile& file, const char* code, std::string detail) {
    reading_.findings.push_back({file.entry->path, "", code, std::move(detail), false});
  }

  // Returns the distinct layouts of the store's files.
  std::vector<std::string> LayoutsOf(const ReaderStore& store) const {
    std::set<std::string> layouts;
    for (const TreeFile& file : files_) {
      if (file.path.store == &store) layouts.insert(file.path.cells[store.layout]);
    }
    return {layouts.begin(), layouts.end()};
  }

  // Older versions of the engine ignore a folder without a default file, so the reader skips its
  // files. The newest version raises an exception for each lookup of the op. Then a note is enough,
  // because a larger tree may contain a default.
  void NoDefault(TreeFile& file, const std::string& fallback) {
    const ReaderStore& store = *file.path.store;
    if (store.states.front().Reads(file.path.cells[store.layout])) {
      Note(file, "no_default",
           fmt::format("its folder has no default file, so AITER raises an error for the op "
                       "(AssertionError: Required config file doesn't exist: {})",
                       fallback));
      return;
    }
    Aside(file, "no_default",
          fmt::format("AITER never reads this file, because its folder has no default file ('{}')",
                      fallback));
  }

  // Returns false and skips the file if no state of the engine searches for a word in the name.
  bool CheckWords(const std::string& file, const ParsedPath& path) {
    for (const NameWords& words : path.store->words) {
      const std::string& column = path.store->family->columns[words.column].name;
      const std::string& word = path.cells[words.column];
      const auto never = words.never.find(word);
      const bool asked = words.asked.empty() || std::ranges::count(words.asked, word) > 0;
      if (never == words.never.end() && (asked || word.empty())) {
        if (const auto note = words.noted.find(word); note != words.noted.end()) {
          reading_.findings.push_back({file, "", "noted_word",
                                       fmt::format("{}={}: {}", column, word, note->second),
                                       false});
        }
        continue;
      }
      const std::string why =
          never != words.never.end()
              ? never->second
              : fmt::format("it searches only for {}", fmt::join(words.asked, ", "));
      Aside(file, {"never_asked", fmt::format("{} never searches for {}={}: {}", reader_.title,
                                              column, Excerpt(word), why)});
      return false;
    }
    return true;
  }

  // Handles files with the same shape key. Equal files count once. If they differ, the reader skips
  // all of them.
  void CheckTwins() {
    std::map<std::pair<const ReaderStore*, KeyCells>, std::vector<TreeFile*>> by_key;
    for (TreeFile& file : files_) {
      if (file.taken) by_key[{file.path.store, file.path.cells}].push_back(&file);
    }
    for (auto& [key, twins] : by_key) {
      if (twins.size() < 2) continue;
      const bool same = std::ranges::all_of(twins, [&](const auto* file) {
        return file->body.members == twins.front()->body.members &&
               file->body.made_with == twins.front()->body.made_with;
      });
      for (TreeFile* file : twins) {
        const TreeFile* const other = file == twins.front() ? twins[1] : twins.front();
        if (!same) {
          Aside(*file, "two_bodies",
                fmt::format(
                    "'{}' has the same shape key but other content, so neither file is imported",
                    other->entry->path));
        } else if (file != twins.front()) {
          Note(*file, "same_file", fmt::format("has the same content as '{}'", other->entry->path));
          file->taken = false;
        }
      }
    }
  }

  // The engine reads a special file only if its folder contains the default. Older states use the
  // first folder with a default.
  void CheckDefaults() {
    std::set<std::string> names;
    // The hub cannot serve a skipped default.
    for (const TreeFile& file : files_) {
      if (file.taken) names.insert(file.name);
    }
    const Exists exists = [&](const std::string& name) { return names.contains(name); };
    for (TreeFile& file : files_) {
      const ReaderStore& store = *file.path.store;
      if (!file.taken || store.states.empty()) continue;
      const auto fallback = DefaultOf(store, file.path.cells);
      const bool special = std::ranges::any_of(
          store.special, [&](std::size_t column) { return !file.path.cells[column].empty(); });
      if (special && (!fallback.ok() || !exists(*fallback))) {
        NoDefault(file, fallback.ok() ? *fallback : "");
        continue;
      }
      const LookupState* const state = StateOf(store, LayoutsOf(store));
      const FileChoice choice = ChosenFile(store, state, file.path.cells, exists);
      if (choice.path != file.name) {
        Note(file, "other_folder_first",
             fmt::format("a lookup without a backend finds '{}' before this file", choice.path));
      }
    }
  }

  // Counts layouts. Notes each layout that the newest state does not read.
  void CheckLayouts() {
    // The key says whether the newest state reads the layout.
    std::map<bool, std::pair<const TreeFile*, std::size_t>> sides;
    for (const TreeFile& file : files_) {
      const ReaderStore& store = *file.path.store;
      if (!file.taken || store.states.empty()) continue;
      const std::string& layout = file.path.cells[store.layout];
      ++reading_.layouts[layout];
      ++sides.try_emplace(store.states.front().Reads(layout), &file, 0).first->second.second;
    }
    if (sides.size() < 2) return;
    const auto& [flat, count] = sides[false];
    const auto& states = flat->path.store->states;
    Note(*flat, "two_layouts",
         fmt::format(
             "the tree has {} files in this layout and {} in the nested layout. AITER since {} "
             "searches both layouts, nested files first; AITER since {} reads only nested files",
             count, sides[true].second, states.back().name, states.front().name));
  }

  // Notes unknown devices and devices that newer states rename, once each, at their first file.
  void CheckDevices() {
    std::map<std::string, std::pair<const TreeFile*, std::size_t>> devices;
    for (const TreeFile& file : files_) {
      const std::size_t column = file.path.store->family->device;
      if (!file.taken || column == kNoColumn) continue;
      auto& [first, count] = devices.try_emplace(file.path.cells[column], &file, 0).first->second;
      ++count;
    }
    for (const auto& [device, seen] : devices) {
      const auto& [file, count] = seen;
      if (targets_.devices().IsAmbiguous(device)) {
        Note(*file, "unknown_device",
             fmt::format("several devices share the name '{}' of {} files; the hub keeps that name",
                         device, count));
      } else if (targets_.FindDevice(device) == nullptr) {
        Note(*file, "unknown_device",
             fmt::format("the device '{}' of {} files is unknown; the hub keeps that name", device,
                         count));
      }
      if (const std::string asked = AskedDevice(reader_, device); asked != device) {
        Note(*file, "renamed_device",
             fmt::format("newer states of {} search for '{}' on '{}': {} files", reader_.title,
                         asked, device, count));
      }
    }
  }

  void WriteTables() {
    for (const TreeFile& file : files_) {
      if (!file.taken) continue;
      const Family* const family = file.path.store->family;
      auto table = std::ranges::find(reading_.tables, family, &TreeTable::family);
      if (table == reading_.tables.end()) {
        table = reading_.tables.insert(table, {family, family->Header(true) + "\n"});
      }
      ++table->files;
      for (const BodyMember& member : file.body.members) {
        table->csv += LineOf(file, member) + "\n";
        ++table->rows;
      }
    }
  }

  const Reader& reader_;
  const Targets& targets_;
  std::vector<TreeFile> files_;
  TreeReading reading_;
};

}  // namespace

TreeReading ReadTree(const Reader& reader, const Targets& targets,
                     const std::vector<TreeEntry>& entries, std::string_view device,
                     TreeExtent extent) {
  const ReaderStore& first = reader.stores.front();
  if (first.body == BodyKind::kTunable) return ReadTunableTree(first, targets, entries, device);
  return TreeWalk(reader, targets).Read(entries, extent);
}

}  // namespace tunehub::core

#include "core/readers/tree_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "core/readers/lookup.h"

namespace tunehub::core {
namespace {

void Note(const TreeFile& file, const char* code, std::string detail, TreeReading& reading) {
  reading.findings.push_back({file.entry->path, "", code, std::move(detail), false});
}

bool SameBody(const FileBody& a, const FileBody& b) {
  const auto same = [](const BodyMember& x, const BodyMember& y) {
    return std::tie(x.name, x.config, x.place, x.bounds) ==
           std::tie(y.name, y.config, y.place, y.bounds);
  };
  return a.made_with == b.made_with &&
         std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(), same);
}

bool IsSpecial(const TreeFile& file) {
  return std::ranges::any_of(file.path.store->special,
                             [&](std::size_t column) { return !file.path.cells[column].empty(); });
}

// Of every file of the store, each once.
std::vector<std::string> LayoutsOf(const ReaderStore& store, const std::vector<TreeFile>& files) {
  std::set<std::string> layouts;
  for (const TreeFile& file : files) {
    if (file.path.store == &store) layouts.insert(file.path.cells[store.layout]);
  }
  return {layouts.begin(), layouts.end()};
}

// Older states pass over such a folder; the newest raise for each lookup of its op, and the default
// may lie in a tree that this one is a part of.
void NoDefault(TreeFile& file, const std::string& fallback, TreeReading& reading) {
  const ReaderStore& store = *file.path.store;
  if (store.states.front().Reads(file.path.cells[store.layout])) {
    Note(
        file, "no_default",
        fmt::format("without a default beside it AITER raises for the op: AssertionError: Required "
                    "config file doesn't exist: {}",
                    fallback),
        reading);
    return;
  }
  Aside(file, "no_default",
        fmt::format("it is never read: its folder has no default file ('{}')", fallback), reading);
}

}  // namespace

void Aside(const std::string& file, const Error& error, TreeReading& reading) {
  reading.findings.push_back({file, "", error.code, error.detail, true});
  ++reading.files_aside;
}

void Aside(TreeFile& file, const char* code, std::string detail, TreeReading& reading) {
  Aside(file.entry->path, {code, std::move(detail)}, reading);
  file.taken = false;
}

bool CheckWords(const Reader& reader, const std::string& file, const ParsedPath& path,
                TreeReading& reading) {
  for (const NameWords& words : path.store->words) {
    const std::string& column = path.store->family->columns[words.column].name;
    const std::string& word = path.cells[words.column];
    const auto never = words.never.find(word);
    const bool asked = words.asked.empty() || std::ranges::count(words.asked, word) > 0;
    if (never == words.never.end() && (asked || word.empty())) {
      if (const auto note = words.noted.find(word); note != words.noted.end()) {
        reading.findings.push_back(
            {file, "", "noted_word", fmt::format("{}={}: {}", column, word, note->second), false});
      }
      continue;
    }
    const std::string why = never != words.never.end()
                                ? never->second
                                : fmt::format("it knows {}", fmt::join(words.asked, ", "));
    Aside(file,
          {"never_asked",
           fmt::format("{} never asks for {}={}: {}", reader.title, column, Excerpt(word), why)},
          reading);
    return false;
  }
  return true;
}

std::optional<Error> WhyUnsupported(const Reader& reader, std::string_view name) {
  for (const UnsupportedFiles& files : reader.unsupported) {
    for (const std::string& part : files.parts) {
      if (name.find(part) == std::string_view::npos) continue;
      return Error{"not_supported", fmt::format("{}: {}", files.title, files.why)};
    }
  }
  return std::nullopt;
}

void CheckTwins(std::vector<TreeFile>& files, TreeReading& reading) {
  std::map<std::pair<const ReaderStore*, KeyCells>, std::vector<TreeFile*>> by_key;
  for (TreeFile& file : files) {
    if (file.taken) by_key[{file.path.store, file.path.cells}].push_back(&file);
  }
  for (auto& [key, twins] : by_key) {
    if (twins.size() < 2) continue;
    const bool same = std::ranges::all_of(
        twins, [&](const auto* file) { return SameBody(file->body, twins.front()->body); });
    for (TreeFile* file : twins) {
      const TreeFile* const other = file == twins.front() ? twins[1] : twins.front();
      if (!same) {
        Aside(*file, "two_bodies",
              fmt::format("'{}' has the same key and says something else: neither is taken",
                          other->entry->path),
              reading);
      } else if (file != twins.front()) {
        Note(*file, "same_file", fmt::format("says what '{}' says", other->entry->path), reading);
        file->taken = false;
      }
    }
  }
}

void CheckDefaults(std::vector<TreeFile>& files, TreeReading& reading) {
  std::set<std::string> names;
  // One that is kept aside is no default that could be served.
  for (const TreeFile& file : files) {
    if (file.taken) names.insert(file.name);
  }
  const Exists exists = [&](const std::string& name) { return names.contains(name); };
  for (TreeFile& file : files) {
    const ReaderStore& store = *file.path.store;
    if (!file.taken || store.states.empty()) continue;
    const auto fallback = DefaultOf(store, file.path.cells);
    if (IsSpecial(file) && (!fallback.ok() || !exists(*fallback))) {
      NoDefault(file, fallback.ok() ? *fallback : "", reading);
      continue;
    }
    const LookupState* const state = StateOf(store, LayoutsOf(store, files));
    const FileChoice choice = ChosenFile(store, state, file.path.cells, exists);
    if (choice.path != file.name) {
      Note(file, "other_folder_first",
           fmt::format("'{}' is found before it where no backend is asked for", choice.path),
           reading);
    }
  }
}

void CheckLayouts(const std::vector<TreeFile>& files, TreeReading& reading) {
  std::map<bool, std::pair<const TreeFile*, std::size_t>>
      sides;  // whether the newest state reads it
  for (const TreeFile& file : files) {
    const ReaderStore& store = *file.path.store;
    if (!file.taken || store.states.empty()) continue;
    const std::string& layout = file.path.cells[store.layout];
    ++reading.layouts[layout];
    ++sides.try_emplace(store.states.front().Reads(layout), &file, 0).first->second.second;
  }
  if (sides.size() < 2) return;
  const auto& [flat, count] = sides[false];
  const auto& states = flat->path.store->states;
  Note(*flat, "two_layouts",
       fmt::format("the tree has {} files in this layout and {} nested ones: AITER since {} looks "
                   "for both, the nested first; since {} it reads the nested alone",
                   count, sides[true].second, states.back().name, states.front().name),
       reading);
}

void CheckDevices(const Reader& reader, const Targets& targets, const std::vector<TreeFile>& files,
                  TreeReading& reading) {
  std::map<std::string, std::pair<const TreeFile*, std::size_t>> devices;
  for (const TreeFile& file : files) {
    const std::size_t column = file.path.store->family->device;
    if (!file.taken || column == kNoColumn) continue;
    auto& [first, count] = devices.try_emplace(file.path.cells[column], &file, 0).first->second;
    ++count;
  }
  for (const auto& [device, seen] : devices) {
    const auto& [file, count] = seen;
    if (targets.devices().IsAmbiguous(device)) {
      Note(*file, "unknown_device",
           fmt::format("several devices have the name '{}' of {} files: kept under it", device,
                       count),
           reading);
    } else if (targets.FindDevice(device) == nullptr) {
      Note(*file, "unknown_device",
           fmt::format("nobody knows the device '{}' of {} files: kept under its name", device,
                       count),
           reading);
    }
    if (const std::string asked = AskedDevice(reader, device); asked != device) {
      Note(*file, "renamed_device",
           fmt::format("newer states of {} ask for '{}' on '{}': {} files", reader.title, asked,
                       device, count),
           reading);
    }
  }
}

}  // namespace tunehub::core

#include "core/readers/tree_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "core/readers/file_body.h"
#include "core/readers/file_name.h"
#include "core/readers/name_matcher.h"
#include "core/readers/tree_checks.h"
#include "core/row/cell.h"
#include "core/table/csv.h"
#include "core/table/table_writer.h"

namespace tunehub::core {
namespace {

class TreeWalk {
 public:
  TreeWalk(const Reader& reader, const Targets& targets) : reader_(reader), targets_(targets) {}

  TreeReading Read(const std::vector<TreeEntry>& entries, TreeExtent extent) {
    for (const TreeEntry& entry : entries) ReadName(entry);
    for (TreeFile& file : files_) TakeOpOfNeighbours(file);
    for (TreeFile& file : files_) ReadBodyOf(file);
    CheckTwins(files_, reading_);
    if (extent == TreeExtent::kWhole) CheckDefaults(files_, reading_);
    CheckLayouts(files_, reading_);
    CheckDevices(reader_, targets_, files_, reading_);
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
      if (!parsed.ok()) return Aside(entry.path, parsed.error(), reading_);
      if (const auto error = BadCell(store, parsed->cells))
        return Aside(entry.path, *error, reading_);
      if (!CheckWords(reader_, entry.path, *parsed, reading_)) return;
      files_.push_back({&entry, *std::move(parsed), tail, {}, false});
      return;
    }
    if (const auto error = WhyUnsupported(reader_, entry.name)) {
      ++reading_.files;
      return Aside(entry.path, *error, reading_);
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
    if (!body.ok()) return Aside(file.entry->path, body.error(), reading_);
    file.body = *std::move(body);
    file.taken = true;
    for (const BodyIssue& issue : file.body.issues) {
      reading_.findings.push_back(
          {file.entry->path, issue.member, issue.code, issue.detail, issue.aside});
      if (issue.aside) ++reading_.members_aside;
    }
    if (file.body.members.empty()) {
      Aside(file, "no_member", "no member of the file can be taken", reading_);
    }
  }

  // The file as one of the store that takes whatever an object holds; nothing: none can name it.
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

  void WriteTables() {
    std::vector<TreeFile*> taken;
    for (TreeFile& file : files_) {
      if (file.taken) taken.push_back(&file);
    }
    for (const TreeFile* file : taken) {
      TreeTable& table = TableOf(*file->path.store->family);
      ++table.files;
      for (const BodyMember& member : file->body.members) {
        table.csv += LineOf(*file, member) + "\n";
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

// Recognises lines of vLLM's and SGLang's logs that name a config file. The patterns are "misses"
// and "hits" in the readers' files (configs/readers).
#include "core/misses/engine_lines.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "core/base/text.h"
#include "core/family/family_misses.h"
#include "core/misses/miss_log.h"
#include "core/readers/file_name.h"
#include "core/row/cell.h"

namespace tunehub::core {
namespace {

constexpr std::string_view kPathEnd = ".json";
// Python and loggers write these characters around the strings of a list.
constexpr std::string_view kAroundPath = "'\"[ ";

// Returns the path at the beginning of `text`, up to its suffix; nullopt if there is none.
std::optional<std::string_view> PathAt(std::string_view text) {
  const std::size_t end = text.substr(0, kMaxPlaceBytes + kPathEnd.size()).find(kPathEnd);
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  return text.substr(0, end + kPathEnd.size());
}

std::string_view WithoutOpening(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kAroundPath), text.size()));
}

// Skips the separator between two paths of a list: "', '" or ", ".
std::optional<std::string_view> AfterComma(std::string_view text) {
  if (text.starts_with('\'') || text.starts_with('"')) text.remove_prefix(1);
  if (!text.starts_with(", ")) return std::nullopt;
  text = WithoutOpening(text.substr(2));
  // "..., you can create them": no path follows.
  const auto next = PathAt(text);
  const bool path = next && next->find('/') != std::string_view::npos &&
                    next->substr(0, next->find('/')).find(' ') == std::string_view::npos;
  if (!path) return std::nullopt;
  return text;
}

// Each function removes its item from the beginning of `text`. If `text` begins otherwise, it
// returns false or nullopt.

bool TakeWord(std::string_view next, std::string_view& text) {
  const std::size_t end = text.substr(0, kMaxPlaceBytes).find(next);
  if (end == std::string_view::npos) return false;
  text.remove_prefix(end);
  return true;
}

std::optional<std::string_view> TakePath(std::string_view& text) {
  const auto path = PathAt(text);
  if (path) text.remove_prefix(path->size());
  return path;
}

bool TakePaths(std::string_view& text, std::vector<std::string_view>& paths) {
  for (;;) {
    const auto path = TakePath(text);
    if (!path) return false;
    paths.push_back(*path);
    const auto next = AfterComma(text);
    if (!next) return true;
    text = *next;
  }
}

bool HoldsPackage(const FileLine& line, std::string_view path) {
  return std::ranges::any_of(line.packages, [path](const std::string& package) {
    return path.find(package + "/") != std::string_view::npos;
  });
}

constexpr std::size_t kMostAsked = 8;  // paths kept of one line

// If several readers print the same line, the package's folder decides, then the grammar. A found
// file may have an invalid name, because somebody may have changed the engine.
Result<NamedFile> NameOf(const std::vector<const FileLine*>& owners, std::string_view path) {
  std::vector<const FileLine*> ordered = owners;
  std::ranges::stable_partition(ordered,
                                [path](const FileLine* it) { return HoldsPackage(*it, path); });
  std::optional<Error> first;
  for (const FileLine* const owner : ordered) {
    if (!owner->name) break;
    Result<NamedFile> named = owner->name(path);
    if (named.ok()) return named;
    if (!first) first = named.error();
  }
  const FileLine& owner = *ordered.front();
  if (first && !owner.hit) return *first;
  return NamedFile{owner.reader, "", std::string(path), {}, "", {}};
}

Result<NamedFile> NamedBy(const Reader& reader, const ReaderStore& store, std::string_view path) {
  std::string tail;
  // If the path does not begin like the store's paths, parse only its name. The error then says
  // where the name is wrong.
  if (!IsOf(store, path, tail)) tail = BaseName(path);
  const auto parsed = ParsePath(reader, store, tail);
  if (!parsed.ok()) return parsed.error();
  const Family& family = *store.family;
  NamedFile file{reader.name, family.name, tail, {}, "", store.ladder};
  if (store.member != kNoColumn) file.member = family.columns[store.member].name;
  for (const std::size_t column : family.key_columns) {
    if (column == store.member) continue;
    file.key.emplace_back(family.columns[column].name, parsed->cells[column]);
  }
  return file;
}

std::string CellOfFile(const NamedFile& file, std::string_view column) {
  const auto cell = std::ranges::find(
      file.key, column, [](const auto& it) -> const auto& { return it.first; });
  return cell == file.key.end() ? "" : cell->second;
}

void TakeTarget(const Targets& targets, std::string_view device_name, MissShape& shape) {
  const Device* const device = targets.FindDevice(device_name);
  if (device == nullptr) return;
  shape.gfx = device->gfx;
  if (device->cu_num > 0) shape.cu_num = std::to_string(device->cu_num);
}

void AddLegacyGfx(const Targets& targets, std::vector<MissShape>& shapes) {
  for (MissShape& shape : shapes) {
    const auto cu_num = ParseInt(shape.cu_num);
    if (!shape.gfx.empty() || !cu_num) continue;
    if (const auto gfx = targets.LegacyGfx(*cu_num)) shape.gfx = *gfx;
  }
}

}  // namespace

Result<PathLine> PathLine::Parse(std::string_view text) {
  const auto fail = [](std::string detail) { return Error{"bad_template", std::move(detail)}; };
  constexpr std::string_view kNames[] = {"path", "paths", "used", ""};
  PathLine line;
  for (;;) {
    const std::size_t open = text.find('{');
    line.texts_.emplace_back(text.substr(0, open));
    if (open == std::string_view::npos) break;
    if (line.texts_.back().empty()) return fail("needs text before each place");
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return fail("has a brace without its closing brace");
    const std::string_view name = text.substr(open + 1, close - open - 1);
    const auto found = std::ranges::find(kNames, name);
    if (found == std::end(kNames)) return fail("has a place {" + std::string(name) + "}");
    line.places_.push_back(static_cast<Place>(found - std::begin(kNames)));
    text.remove_prefix(close + 1);
  }
  const bool names_a_path = std::ranges::any_of(
      line.places_, [](Place it) { return it == Place::kPath || it == Place::kPaths; });
  if (!names_a_path) return fail("needs a place for the path");
  return line;
}

bool PathLine::Match(std::string_view text, Paths& paths) const {
  paths = {};
  if (!text.starts_with(texts_.front())) return false;
  text.remove_prefix(texts_.front().size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::string& next = texts_[i + 1];
    const bool taken =
        places_[i] == Place::kWord ? TakeWord(next, text) : TakePlace(places_[i], text, paths);
    if (!taken || !text.starts_with(next)) return false;
    text.remove_prefix(next.size());
  }
  return true;
}

bool PathLine::TakePlace(Place place, std::string_view& text, Paths& paths) {
  text = WithoutOpening(text);
  if (place == Place::kPaths) return TakePaths(text, paths.missed);
  const auto path = TakePath(text);
  if (!path) return false;
  if (place == Place::kUsed) {
    paths.used = *path;
  } else {
    paths.missed.push_back(*path);
  }
  return true;
}

FileMisses::FileMisses(const std::vector<FileLine>& lines, bool hits) : lines_(lines), hits_(hits) {
  for (const FileLine& it : lines_) {
    const auto line = PathLine::Parse(it.line);
    if (!line.ok()) continue;
    auto marked = std::ranges::find(marked_, it.mark, &Marked::mark);
    if (marked == marked_.end()) marked = marked_.insert(marked_.end(), {it.mark, {}});
    auto form = std::ranges::find_if(
        marked->forms, [&](const Form& known) { return known.line.texts() == line->texts(); });
    if (form == marked->forms.end()) form = marked->forms.insert(form, {*line, {}});
    form->owners.push_back(&it);
  }
}

std::vector<std::string> FileMisses::Marks() const {
  return Mapped(marked_, &Marked::mark);
}

// A message begins at the last head before the mark, because another process may have written into
// the line before that. If a head equals the mark, any program may have written it, so it is not
// kUnread.
FileMisses::Read FileMisses::ReadLine(std::size_t mark, std::string_view line, std::size_t at) {
  Read read = Read::kOther;
  PathLine::Paths paths;
  for (const Form& form : marked_[mark].forms) {
    const std::string& head = form.line.head();
    const std::size_t begin = line.rfind(head, at);
    if (begin == std::string_view::npos) continue;
    if (form.line.Match(line.substr(begin), paths)) return Take(form, paths);
    if (Trim(head) != marked_[mark].mark) read = Read::kUnread;
  }
  return read;
}

// All paths of a line have the same name in different folders. Count the line once.
FileMisses::Read FileMisses::Take(const Form& form, const PathLine::Paths& paths) {
  Read read = Read::kMisnamed;
  for (const std::string_view path : paths.missed) {
    const bool last = path == paths.missed.back();
    if (!last && !NameOf(form.owners, path).ok()) continue;
    read = Add(form, path, paths);
    break;
  }
  return form.owners.front()->hit == hits_ ? read : Read::kKnown;
}

FileMisses::Read FileMisses::Add(const Form& form, std::string_view path,
                                 const PathLine::Paths& paths) {
  if (const auto found = misnamed_places_.find(path); found != misnamed_places_.end()) {
    ++misnamed_[found->second].count;
    return Read::kMisnamed;
  }
  auto named = NameOf(form.owners, path);
  const std::size_t known = missed_.size() + misnamed_.size();
  if (!named.ok()) {
    if (known >= kMaxMissedFiles) return Read::kDropped;
    misnamed_places_.emplace(path, misnamed_.size());
    misnamed_.push_back({std::string(path), named.error(), 1});
    return Read::kMisnamed;
  }
  // Found files of one name in different folders count separately.
  const bool hit = form.owners.front()->hit;
  const std::string key = named->reader + ":" + (hit ? std::string(path) : named->path);
  if (const auto found = files_.find(key); found != files_.end()) {
    ++missed_[found->second].count;
    return Read::kCounted;
  }
  if (known >= kMaxMissedFiles) return Read::kDropped;
  files_.emplace(key, missed_.size());
  missed_.push_back({*std::move(named), std::string(paths.used), 1, {}, hit});
  for (const std::string_view asked : paths.missed) {
    if (missed_.back().asked.size() < kMostAsked) missed_.back().asked.emplace_back(asked);
  }
  return Read::kCounted;
}

std::vector<MissedFile> FileMisses::Sorted(bool others) const {
  std::vector<MissedFile> sorted = missed_;
  std::erase_if(sorted, [&](const MissedFile& it) { return (it.found == hits_) == others; });
  std::ranges::stable_sort(sorted, [](const MissedFile& a, const MissedFile& b) {
    if (a.count != b.count) return a.count > b.count;
    return std::tie(a.file.reader, a.file.path) < std::tie(b.file.reader, b.file.path);
  });
  return sorted;
}

void FileMisses::Clear() {
  files_.clear();
  missed_.clear();
}

std::vector<FileLine> FileLinesOf(const Readers& readers) {
  std::vector<FileLine> lines;
  for (const Reader& reader : readers.all()) {
    const auto add = [&](const auto& of, const std::vector<std::string>& packages,
                         const auto& name) {
      for (const ReaderLine& it : of.misses)
        lines.push_back({it.mark, it.line, reader.name, false, packages, name});
      for (const ReaderLine& it : of.hits)
        lines.push_back({it.mark, it.line, reader.name, true, packages, name});
    };
    for (const ReaderStore& store : reader.stores) {
      add(store, store.packages,
          [&reader, &store](std::string_view path) { return NamedBy(reader, store, path); });
    }
    for (const UnsupportedFiles& files : reader.unsupported) add(files, {}, nullptr);
  }
  return lines;
}

std::vector<RemarkedLines> RemarksOf(const Readers& readers) {
  std::vector<RemarkedLines> remarks;
  for (const Reader& reader : readers.all()) {
    for (const LogRemark& it : reader.remarks)
      remarks.push_back({reader.name, it.mark, it.says, 0, ""});
  }
  return remarks;
}

std::vector<MissShape> AllMissShapes(const Families& families, const Targets& targets,
                                     std::vector<MissShape> shapes,
                                     std::span<const MissedFile> files) {
  AddLegacyGfx(targets, shapes);
  for (const MissedFile& missed : files) {
    const Family* const family = families.Find(missed.file.family);
    if (family == nullptr) continue;  // no grammar parsed the name
    MissShape shape;
    shape.family = family;
    shape.count = missed.count;
    std::size_t member = family->untuned_columns.size();
    for (std::size_t i = 0; i < family->untuned_columns.size(); ++i) {
      const std::string& name = family->untuned_columns[i];
      if (name == missed.file.member) member = i;
      shape.cells.push_back(CellOfFile(missed.file, name));
    }
    if (member == shape.cells.size()) continue;
    if (family->device != kNoColumn) {
      TakeTarget(targets, CellOfFile(missed.file, family->columns[family->device].name), shape);
    }
    for (const std::int64_t m : missed.file.ladder) {
      shape.cells[member] = std::to_string(m);
      shapes.push_back(shape);
    }
  }
  return shapes;
}

}  // namespace tunehub::core

#include <fmt/core.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/misses/miss_log.h"
#include "core/readers/file_name.h"

namespace tunehub::core {
namespace {

using namespace std::string_view_literals;

struct Sign {
  std::string_view begin, what, command;  // the command writes text to standard output
};
constexpr Sign kSigns[] = {
    {"\x1f\x8b"sv, "packed by gzip", "zcat"},
    {"\x28\xb5\x2f\xfd"sv, "packed by zstd", "zstdcat"},
    {"\xfd"
     "7zXZ\0"sv,
     "packed by xz", "xzcat"},
    {"\xff\xfe"sv, "UTF-16 text", "iconv -f UTF-16 -t UTF-8"},
    {"\xfe\xff"sv, "UTF-16 text", "iconv -f UTF-16 -t UTF-8"},
};

Result<NamedFile> NamedBy(const Reader& reader, const ReaderStore& store, std::string_view path) {
  std::string tail;
  // Where the path does not even begin like one of the store's, its name says where it goes wrong.
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

}  // namespace

Status CheckLogBytes(std::string_view bytes, bool first, std::string_view place) {
  for (const Sign& sign : kSigns) {
    if (!first || !bytes.starts_with(sign.begin)) continue;
    return Error{kBadLog, fmt::format("{}: {}, which is not read as a log. Pass it as UTF-8 text, "
                                      "for example: {} FILE | tunehub-agent explain -",
                                      place, sign.what, sign.command)};
  }
  const std::size_t nul = bytes.find('\0');
  if (nul == std::string_view::npos) return Ok();
  return Error{kBadLog,
               fmt::format("{}: line {} of the part read holds a NUL byte; a log is UTF-8 text. "
                           "Of UTF-16: iconv -f UTF-16LE -t UTF-8 FILE | tunehub-agent explain -. "
                           "Of stray NUL bytes: tr -d '\\000' < FILE | tunehub-agent explain -",
                           place, LineNumber(bytes, nul))};
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

std::vector<MissShape> ShapesOfFiles(const Families& families, const Targets& targets,
                                     std::span<const MissedFile> files) {
  std::vector<MissShape> shapes;
  for (const MissedFile& missed : files) {
    const Family* const family = families.Find(missed.file.family);
    if (family == nullptr) continue;  // a reader is loaded beside its families
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

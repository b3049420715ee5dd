#include "core/misses/reader_lines.h"

#include "core/readers/file_name.h"

namespace tunehub::core {
namespace {

Result<NamedFile> NamedBy(const Reader& reader, const ReaderStore& store, std::string_view path) {
  std::string tail;
  // Where the path does not even begin like one of the store's, its name says where it goes wrong.
  if (!IsOf(store, path, tail)) tail = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
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

}  // namespace

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

}  // namespace tunehub::core

#include "server/service/tables/table_files.h"

#include <fmt/core.h>

#include "server/service/files/file_bytes.h"
#include "server/service/files/file_rows.h"

namespace tunehub::service {
namespace {

core::Error NoFile(const FileForm& form, const FileSet& files) {
  if (files.not_borrowed > 0) {
    return {"not_borrowed",
            fmt::format("from={}: its int4 rows count N in another way than {}, so none of {} is "
                        "taken",
                        form.from, form.reader->name, files.not_borrowed)};
  }
  if (form.tree()) {
    return {"no_rows", fmt::format("no row of {} matches; an empty tree would untune an engine",
                                   form.store->family->name)};
  }
  return {"no_rows", fmt::format("no row is known for {} of {}", form.path, form.reader->name)};
}

}  // namespace

core::Result<TableBytes> MakeFiles(const RowSet& set, const TunedQuery& query) {
  const FileForm& form = *query.form;
  if (set.family->source != form.store->family->source) {
    return core::Error{"other_columns",
                       fmt::format("{} has other columns since that revision: as files it is there "
                                   "from the next one on",
                                   set.family->name)};
  }
  const RowSet selected = Select(set, query);
  const FileSet files = PickFiles(form, *set.family, selected.rows);
  if (files.files.empty()) return NoFile(form, files);
  auto bytes = form.tree() ? TreeBytes(form, *set.family, files)
                           : FileBytes(form, *set.family, files.files.begin()->second);
  if (!bytes.ok()) return bytes.error();
  TableBytes table;
  for (const auto& [path, rows] : files.files) table.rows += rows.size();
  table.content_type = form.tree()                                    ? "application/gzip"
                       : form.store->body == core::BodyKind::kTunable ? "text/csv; charset=utf-8"
                                                                      : "application/json";
  table.headers = set.notes.headers;
  if (form.tree()) table.headers.emplace_back("Tunehub-Files", std::to_string(files.files.size()));
  if (const std::string borrowed = files.BorrowedText(); !borrowed.empty()) {
    table.headers.emplace_back("Tunehub-Borrowed-Rows", borrowed);
  }
  if (files.not_borrowed > 0) {
    table.headers.emplace_back("Tunehub-Not-Borrowed-Rows", std::to_string(files.not_borrowed));
  }
  SetBody(*std::move(bytes), table);
  return table;
}

}  // namespace tunehub::service

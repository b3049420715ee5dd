// The bytes of a reader's file or tree.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/archive.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/readers/file_body.h"
#include "core/readers/tunable_file.h"
#include "core/row/tunable_line.h"
#include "server/tables/file_rows.h"
#include "server/tables/table_bytes.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

// PyTorch reads its file only if TunableOp is enabled, and overwrites it if tuning is enabled.
constexpr std::string_view kTunableEnv =
    "export PYTORCH_TUNABLEOP_ENABLED=1\nexport PYTORCH_TUNABLEOP_TUNING=0\n";
constexpr std::string_view kTreeFormat = "tunehub-tree";
constexpr int kTreeVersion = 1;

// True if the places are 0 to n - 1, each once, and all rows are the reader's own.
bool ArePlacesOfOneFile(const std::vector<core::BodyMember>& members,
                        const std::vector<FileRow>& rows) {
  std::set<std::int64_t> places;
  for (const core::BodyMember& member : members) {
    if (member.place) places.insert(*member.place);
  }
  return places.size() == members.size() && *places.begin() == 0 &&
         *places.rbegin() == static_cast<std::int64_t>(places.size()) - 1 &&
         std::ranges::all_of(rows, [](const FileRow& row) { return row.origin == Origin::kOwn; });
}

std::string MemberBody(const FileForm& form, const std::vector<FileRow>& rows) {
  std::vector<core::BodyMember> members;
  for (const FileRow& row : rows) {
    const core::Cells cells(row.cells.begin(), row.cells.end());
    members.push_back(core::MemberOf(*form.store, cells));
  }
  // A member without a name means that the file had no members. It is outdated if there are other
  // members now.
  if (members.size() > 1) {
    std::erase_if(members, [](const core::BodyMember& member) { return member.name.empty(); });
  }
  if (!ArePlacesOfOneFile(members, rows)) {
    for (core::BodyMember& member : members) member.place.reset();
  }
  return core::WriteBody(*form.store, std::move(members));
}

core::Result<std::string> TunableBody(const core::Family& family,
                                      const std::vector<FileRow>& rows) {
  const auto cell = [&](const FileRow& row, std::string_view column) {
    const std::size_t place = family.Find(column);
    return place == core::kNoColumn ? std::string() : row.cells[place];
  };
  const auto validators = core::ParseValidators(cell(rows.front(), "validators"));
  if (!validators.ok()) return validators.error();
  std::vector<core::TunableRow> body;
  for (const FileRow& row : rows) {
    std::string ms = cell(row, "ms");  // imports have milliseconds, agents' rows microseconds
    if (ms.empty()) ms = core::MillisecondsOf(cell(row, "us"));
    body.push_back({{cell(row, "op"), cell(row, "params")},
                    cell(row, "solution"),
                    std::move(ms),
                    cell(row, "blas_params"),
                    0});
  }
  return core::WriteTunableFile(*validators, body);
}

bool IsTunable(const FileForm& form) {
  return form.store->body == core::BodyKind::kTunable;
}

// The bytes of one file. Errors: bad_validators.
core::Result<std::string> FileBytes(const FileForm& form, const core::Family& family,
                                    const std::vector<FileRow>& rows) {
  if (IsTunable(form)) return TunableBody(family, rows);
  return MemberBody(form, rows);
}

// The text that follows the folder in the variable's value.
std::string ValueOf(const FileForm& form) {
  return IsTunable(form) ? fmt::format("/{}", core::kTunableFileName) : "";
}

std::string EnvText(const FileForm& form) {
  const core::Reader& reader = *form.reader;
  if (!form.store->variable) {
    return fmt::format(
        "# {} has no variable for these files: tunehub-agent install --reader {} --tree FILE "
        "SITE_PACKAGES\n# puts them where it looks.\n",
        reader.name, reader.name);
  }
  std::string exports = fmt::format("export {}=\"$TUNEHUB_TREE/{}{}\"\n", reader.variable,
                                    reader.name, ValueOf(form));
  if (IsTunable(form)) exports += kTunableEnv;
  return SourcedEnv("TUNEHUB_TREE", "tree.json", exports);
}

// Names are relative to the folder that the variable names.
core::Result<std::vector<core::TarFile>> FilesOf(const FileForm& form, const core::Family& family,
                                                 const FileSet& set) {
  std::vector<core::TarFile> files;
  const std::string& folder = form.reader->variable_folder;
  const std::string inside = form.store->variable && !folder.empty() ? folder + "/" : "";
  if (IsTunable(form) && set.files.size() > 1) {
    const std::string sets = core::Joined(
        set.files, [](const auto& it) { return it.first.substr(0, it.first.rfind('/')); });
    return core::Error{
        "bad_parameter",
        fmt::format("device, validators: PyTorch reads one file, but {} files match: {}",
                    set.files.size(), sets)};
  }
  for (const auto& [path, rows] : set.files) {
    auto bytes = FileBytes(form, family, rows);
    if (!bytes.ok()) return core::Error{bytes.error().code, path + ": " + bytes.error().detail};
    if (!IsTunable(form)) {
      files.push_back({inside + path, *std::move(bytes)});
      continue;
    }
    for (int gpu = 0; gpu < core::kTunableDevices; ++gpu) {
      files.push_back({core::TunableFileName(core::kTunableFileName, gpu), *bytes});
    }
  }
  return files;
}

// A tar.gz with reproducible bytes: NAME/... with the reader's files, env.sh, SHA256SUMS with its
// signature, and tree.json (agent/hub/tree.h). Errors: those of FileBytes, with the file's name;
// bad_parameter if several files would have one name.
core::Result<std::string> TreeBytes(const TunedQuery& query, const core::Family& family,
                                    const FileSet& set, const core::SecretKey& key) {
  const FileForm& form = *query.form;
  auto files = FilesOf(form, family, set);
  if (!files.ok()) return files.error();
  for (core::TarFile& file : *files) file.name = fmt::format("{}/{}", form.reader->name, file.name);
  std::map<std::string, std::size_t> layouts;
  for (const auto& [path, rows] : set.files) {
    if (form.store->layout != core::kNoColumn) ++layouts[rows.front().cells[form.store->layout]];
  }
  const Json tree = {{"format", kTreeFormat},
                     {"version", kTreeVersion},
                     {"reader", form.reader->name},
                     {"family", family.name},
                     {"variable", form.store->variable ? form.reader->variable : ""},
                     {"value", ValueOf(form)},
                     {"packages", form.store->packages},
                     {"layouts", layouts}};
  files->push_back({"env.sh", EnvText(form)});
  files->push_back({"tree.json", tree.dump(2) + "\n"});
  core::AddSums(*files, key, query.at, query.asked);
  return core::WriteTarGz(*files);
}

core::Error NoFile(const FileForm& form, const FileSet& files) {
  if (files.not_borrowed > 0) {
    return {"not_borrowed", fmt::format("from={}: the N of its int4 rows has another meaning than "
                                        "in {}, so none of {} rows is used",
                                        form.from, form.reader->name, files.not_borrowed)};
  }
  if (form.tree()) {
    return {"no_rows",
            fmt::format("no row of {} matches{}\nAn empty tree would remove an engine's tuned rows",
                        form.store->family->name,
                        form.devices.empty() ? "" : " the device " + form.devices.front())};
  }
  return {"no_rows", fmt::format("the hub has no row for {} of {}", form.path, form.reader->name)};
}

}  // namespace

std::string SourcedEnv(std::string_view variable, std::string_view beside,
                       std::string_view exports) {
  constexpr const char* kScript = R"(# Only bash tells a sourced file its folder.
[ -z "${{BASH_SOURCE:-}}" ] || {0}=$(dirname "$BASH_SOURCE")
if [ ! -e "${{{0}:-.}}/{1}" ]; then
  echo "env.sh: set {0} to the folder of env.sh, or change into it" >&2
  return 1
fi
{0}=$(cd "${{{0}:-.}}" && pwd)
{2}unset {0}
)";
  return fmt::format(kScript, variable, beside, exports);
}

core::Result<TableBytes> MakeFiles(const RowSet& set, const TunedQuery& query,
                                   const core::SecretKey& key) {
  const FileForm& form = *query.form;
  if (set.family->source != form.store->family->source) {
    return core::Error{
        "other_columns",
        fmt::format(
            "the columns of {} changed after that revision, so only later revisions have files",
            set.family->name)};
  }
  const RowSet selected = Select(set, query);
  const FileSet files = PickFiles(form, *set.family, selected.rows);
  if (files.files.empty()) return NoFile(form, files);
  auto bytes = form.tree() ? TreeBytes(query, *set.family, files, key)
                           : FileBytes(form, *set.family, files.files.begin()->second);
  if (!bytes.ok()) return bytes.error();
  TableBytes table;
  for (const auto& [path, rows] : files.files) table.rows += rows.size();
  table.content_type = form.tree()       ? "application/gzip"
                       : IsTunable(form) ? "text/csv; charset=utf-8"
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

}  // namespace tunehub::server

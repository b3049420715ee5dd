#include "server/service/tables/file_query.h"

#include <fmt/core.h>

#include <algorithm>

#include "server/service/files/file_path.h"
#include "server/service/tables/file_query_parts.h"
#include "server/service/tables/tuned_options.h"

namespace tunehub::service {
namespace {

// '+' is a blank where the name with it is none.
core::Result<NamedFile> ParseName(const core::Reader& reader, std::string_view path,
                                  std::string_view family) {
  auto name = ParseFilePath(reader, path, family);
  if (name.ok() || path.find('+') == std::string_view::npos) return name;
  std::string blanks(path);
  std::ranges::replace(blanks, '+', ' ');
  auto again = ParseFilePath(reader, blanks, family);
  return again.ok() ? again : name;
}

// A bare name with what its folders would say: SGLang's line has the Triton version behind it,
// TunableOp's name says neither device nor validators.
core::Result<std::string> WholePath(const core::Reader& reader, std::string_view path,
                                    const std::string& version, Parameters& parameters) {
  if (path.find('/') != std::string_view::npos) return std::string(path);
  if (!version.empty()) return InVersionFolder(reader, version, path);
  const auto validators = Take(parameters, "validators");
  if (!validators.ok()) return validators.error();
  if (validators->empty()) return std::string(path);
  const auto device = Take(parameters, "device");
  if (!device.ok()) return device.error();
  return fmt::format("{}{}{}/{}", *device, device->empty() ? "" : "/", *validators, path);
}

// Of the one file. Parameters: what is left goes on to the rows' filters. `other`:
// FileQuery::other.
core::Result<FileForm> FormOf(const Definitions& definitions, const core::Reader& reader,
                              std::string_view path, Parameters& parameters, std::string& other) {
  const auto family_name = Take(parameters, "family");
  if (!family_name.ok()) return family_name.error();
  const auto version = Take(parameters, "triton");
  if (!version.ok()) return version.error();
  const auto whole = WholePath(reader, path, *version, parameters);
  if (!whole.ok()) return whole.error();
  auto name = ParseName(reader, *whole, *family_name);
  if (!name.ok()) return name.error();
  if (family_name->empty()) other = WholeFamilyOf(*name, reader);
  const core::Family& family = *name->store->family;
  const auto loan = TakeLoan(reader, family, parameters);
  if (!loan.ok()) return loan.error();
  FileForm form{.reader = &reader, .store = name->store};
  form.path = std::move(name->path);
  form.cells = std::move(name->cells);
  form.from = loan->from;
  form.version_column = VersionColumn(definitions.readers, family);
  form.version = *version;
  for (const auto& [column, value] : form.cells) {
    if (column == form.version_column && form.has_versions()) form.version = value;
    if (column != family.device) continue;
    NameDevices(definitions.targets.devices(), value, loan->siblings, form);
    form.devices = {value};
  }
  // Of the folder, or of what is borrowed; else it is what a run was made with.
  const bool taken = whole->size() != path.size() || !form.from.empty();
  if (!version->empty() && !taken)
    parameters.emplace_back(fmt::format("{}triton", kOfRuns), *version);
  return form;
}

}  // namespace

core::Result<FileQuery> ParseFileQuery(const Definitions& definitions, std::string_view reader_name,
                                       std::string_view path, const Parameters& given) {
  const auto reader = definitions.readers.Named(reader_name);
  if (!reader.ok()) return reader.error();
  Parameters parameters = given;
  std::string other;
  auto form = FormOf(definitions, **reader, path, parameters, other);
  if (!form.ok()) return form.error();
  auto query = QueryOfForm(definitions, *std::move(form), parameters);
  if (query.ok()) query->other = std::move(other);
  return query;
}

}  // namespace tunehub::service

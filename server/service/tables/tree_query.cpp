#include <fmt/core.h>

#include <algorithm>

#include "core/readers/file_name.h"
#include "server/service/registry/bad_parameter.h"
#include "server/service/tables/file_query_parts.h"

namespace tunehub::service {
namespace {

// Of a family's stores the one that is asked for, else the variable's, else the first. Error
// bad_parameter.
core::Result<const core::ReaderStore*> StoreFor(const core::Reader& reader,
                                                std::string_view family) {
  std::string names;
  const core::ReaderStore* found = nullptr;
  for (const core::ReaderStore& store : reader.stores) {
    names += (names.empty() ? "" : " or ") + store.family->name;
    const bool fits = family.empty() ? store.variable : store.family->name == family;
    if (fits && found == nullptr) found = &store;
  }
  if (found != nullptr) return found;
  if (family.empty()) return &reader.stores.front();
  return NotAllowed("family", family, names);
}

core::Status TakeTreeDevice(const Definitions& definitions, const Loan& loan,
                            Parameters& parameters, FileForm& form) {
  const core::Family& family = *form.store->family;
  if (family.device == core::kNoColumn) return core::Ok();
  const bool asked = std::ranges::any_of(
      parameters, [](const auto& parameter) { return parameter.first == "device"; });
  const auto device = Take(parameters, "device");
  if (!device.ok()) return device.error();
  if (asked) NameDevices(definitions.targets.devices(), *device, loan.siblings, form);
  for (const std::string& name : std::vector<std::string>(form.devices)) {
    const std::string looked_up = core::AskedDevice(*form.reader, name);
    if (std::ranges::find(form.devices, looked_up) == form.devices.end()) {
      form.devices.push_back(looked_up);
    }
  }
  if (asked || !loan.siblings) return core::Ok();
  return core::Error{"bad_parameter", "borrow: needs device=, of whose siblings"};
}

// triton= beside from=: the version of the other engine's rows, or the reader's own folder that
// they go to.
core::Status TakeTreeVersion(Parameters& parameters, FileForm& form) {
  if (form.from.empty() || form.version_column == core::kNoColumn) return core::Ok();
  const std::string& name = form.store->family->columns[form.version_column].name;
  auto version = Take(parameters, name);
  if (!version.ok()) return version.error();
  form.version = *std::move(version);
  if (!form.has_versions() || !form.version.empty()) return core::Ok();
  return core::Error{"bad_parameter",
                     fmt::format("from: needs {}=, the version whose folder of {} rows of {} go to",
                                 name, form.reader->name, form.from)};
}

}  // namespace

core::Result<FileQuery> ParseTreeQuery(const Definitions& definitions, std::string_view reader_name,
                                       const Parameters& given) {
  const auto reader = definitions.readers.Named(reader_name);
  if (!reader.ok()) return reader.error();
  Parameters parameters = given;
  const auto family_name = Take(parameters, "family");
  if (!family_name.ok()) return family_name.error();
  const auto store = StoreFor(**reader, *family_name);
  if (!store.ok()) return store.error();
  const core::Family& family = *(*store)->family;
  const auto loan = TakeLoan(**reader, family, parameters);
  if (!loan.ok()) return loan.error();
  FileForm form{.reader = *reader, .store = *store};
  form.cells.emplace_back(family.engine, (*reader)->engine);
  form.from = loan->from;
  form.version_column = VersionColumn(definitions.readers, family);
  core::Status status = TakeTreeDevice(definitions, *loan, parameters, form);
  if (status.ok()) status = TakeTreeVersion(parameters, form);
  if (!status.ok()) return status.error();
  return QueryOfForm(definitions, std::move(form), parameters);
}

}  // namespace tunehub::service

#include "server/tables/file_query.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "core/base/text.h"
#include "core/readers/file_name.h"
#include "server/answers/issues.h"
#include "server/tables/tuned_options.h"

namespace tunehub::server {
namespace {

// Removes the parameter and returns its value; "": absent. Errors: bad_parameter (the parameter
// occurs twice).
core::Result<std::string> Take(Parameters& parameters, std::string_view name) {
  const auto named = [&](const auto& it) { return it.first == name; };
  const auto found = std::ranges::find_if(parameters, named);
  if (found == parameters.end()) return std::string();
  if (std::ranges::count_if(parameters, named) > 1) return ComesTwice(name);
  std::string value = std::move(found->second);
  parameters.erase(found);
  return value;
}

// The sources of borrowed rows.
struct Loan {
  std::string from;  // an engine; "": none
  bool siblings = false;
};

// Reads from= and borrow=. Errors: bad_parameter, with the allowed values.
core::Result<Loan> TakeLoan(const core::Reader& reader, const core::Family& family,
                            Parameters& parameters) {
  auto from = Take(parameters, "from");
  if (!from.ok()) return from.error();
  const auto borrow = Take(parameters, "borrow");
  if (!borrow.ok()) return borrow.error();
  if (!borrow->empty() && *borrow != "sibling") return NotAllowed("borrow", *borrow, "sibling");
  if (!borrow->empty() && family.device == core::kNoColumn) {
    return core::Error{"bad_parameter", fmt::format("borrow: not possible for {}, because its rows "
                                                    "are for an architecture, not for a device",
                                                    family.name)};
  }
  const auto& engines = family.columns[family.engine].values;
  if (!from->empty() &&
      (*from == reader.engine || std::ranges::find(engines, *from) == engines.end())) {
    std::string others;
    for (const std::string& engine : engines) {
      if (engine != reader.engine) others += (others.empty() ? "" : " or ") + engine;
    }
    return others.empty() ? core::Error{"bad_parameter", fmt::format("from: only {} has rows of {}",
                                                                     reader.engine, family.name)}
                          : NotAllowed("from", *from, others);
  }
  return Loan{*std::move(from), !borrow->empty()};
}

// Adds the device names that `name` means to `form`. With `siblings`, also adds the siblings'
// names.
void NameDevices(const core::Devices& devices, std::string_view name, bool siblings,
                 FileForm& form) {
  const core::Device* const device = devices.Find(name);
  if (device == nullptr || !devices.IsProduct(name)) form.devices.emplace_back(name);
  if (device == nullptr) return;
  if (devices.IsProduct(name)) {
    for (const core::DeviceName& alias : device->aliases) form.devices.push_back(alias.name);
    if (form.devices.empty()) form.devices.emplace_back(name);
  }
  if (!siblings) return;
  const auto add = [&](const core::Device& of) {
    for (const core::DeviceName& alias : of.aliases) form.siblings.push_back(alias.name);
  };
  add(*device);  // the device's other names
  for (const core::Device* const sibling : devices.Siblings(*device)) add(*sibling);
}

// Options that files do not have, because they belong to other forms of tables or to AITER's
// builds.
constexpr std::string_view kOfTables[] = {"columns", "format", "allow_empty", "libtype",
                                          "prune",   "model",  "tp",          "require",
                                          "build",   "fill",   "provider",    "max_err"};

// Files take options that choose among rows, and their own options.
core::Status CheckNames(const core::Family& family, const Parameters& parameters) {
  std::vector<std::string> allowed = {"from", "borrow"};
  for (const TunedOption& option : TunedOptions()) {
    const bool of_tables = std::ranges::find(kOfTables, option.name) != std::end(kOfTables);
    if (!of_tables) allowed.emplace_back(option.name);
    if (option.of_runs) allowed.push_back(fmt::format("{}{}", kOfRuns, option.name));
  }
  if (family.gfx != core::kNoColumn) allowed.insert(allowed.end(), {"gfx", "gpu_archs"});
  for (const std::size_t column : family.key_columns) {
    if (family.columns[column].is_shape() && column != family.engine) {
      allowed.push_back(family.columns[column].name);
    }
  }
  for (const auto& [name, value] : parameters) {
    if (std::ranges::find(allowed, name) != allowed.end()) continue;
    return core::Error{
        "unknown_parameter",
        fmt::format("unknown parameter '{}' of the files of {}; known parameters: {}",
                    core::Excerpt(name), family.name, fmt::join(allowed, ", "))};
  }
  return core::Ok();
}

// Filters by the file's own cells, except in columns where borrowed rows may differ.
void AddFilters(const core::Family& family, const FileForm& form, TunedQuery& query) {
  for (const auto& [column, value] : form.cells) {
    const bool open = (column == family.engine && !form.from.empty()) ||
                      (column == family.device && !form.siblings.empty()) ||
                      (column == form.version_column && !form.from.empty());
    if (open) continue;
    if (family.columns[column].role == core::Role::kTarget) {
      query.targets.push_back({value, 0});
    } else {
      query.columns.push_back({column, {value}});
    }
  }
}

// The query of a form, with the remaining parameters. Errors: those of ParseTunedQuery;
// unknown_parameter, also for options of other table forms.
core::Result<ParsedQuery> QueryOfForm(const Definitions& definitions, FileForm form,
                                      const Parameters& parameters) {
  const core::Family& family = *form.store->family;
  if (core::Status status = CheckNames(family, parameters); !status.ok()) return status.error();
  auto query = ParseTunedQuery(family, definitions.targets, parameters);
  if (!query.ok()) return query.error();
  AddFilters(family, form, *query);
  const bool tree = form.tree();
  query->form = std::make_shared<const FileForm>(std::move(form));
  query->canonical = CanonicalText(*query);
  return ParsedQuery{&family, *std::move(query), tree};
}

// Tries the name as it is, then with '+' as blanks.
core::Result<NamedFile> ParseName(const core::Reader& reader, std::string_view path,
                                  std::string_view family) {
  auto name = ParseFilePath(reader, path, family);
  if (name.ok() || path.find('+') == std::string_view::npos) return name;
  std::string blanks(path);
  std::ranges::replace(blanks, '+', ' ');
  auto again = ParseFilePath(reader, blanks, family);
  return again.ok() ? again : name;
}

// Adds folders to a bare name: SGLang's Triton version, or TunableOp's device and validators. The
// engine's own lookup names only the file.
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

// The form of one file. Leaves the row filters in `parameters`. `other`: see ParsedQuery::other.
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
  // If triton= gave neither the folder nor the version of borrowed rows, it filters runs.
  const bool taken = whole->size() != path.size() || !form.from.empty();
  if (!version->empty() && !taken)
    parameters.emplace_back(fmt::format("{}triton", kOfRuns), *version);
  return form;
}

// Returns the store of the requested family. The default is the store of the reader's environment
// variable, or else the first store. Errors: bad_parameter.
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
  return core::Error{"bad_parameter",
                     "borrow: pass device=, too; the rows come from GPUs like that device"};
}

// Reads triton= if from= is given: the version of the other engine's rows, or the reader's own
// folder for them.
core::Status TakeTreeVersion(Parameters& parameters, FileForm& form) {
  if (form.from.empty() || form.version_column == core::kNoColumn) return core::Ok();
  const std::string& name = form.store->family->columns[form.version_column].name;
  auto version = Take(parameters, name);
  if (!version.ok()) return version.error();
  form.version = *std::move(version);
  if (!form.has_versions() || !form.version.empty()) return core::Ok();
  return core::Error{"bad_parameter",
                     fmt::format("from: pass {}=, too, the version folder of {} for the rows of {}",
                                 name, form.reader->name, form.from)};
}

}  // namespace

core::Result<ParsedQuery> ParseFileQuery(const Definitions& definitions,
                                         std::string_view reader_name, std::string_view path,
                                         const Parameters& given) {
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

core::Result<ParsedQuery> ParseTreeQuery(const Definitions& definitions,
                                         std::string_view reader_name, const Parameters& given) {
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

}  // namespace tunehub::server

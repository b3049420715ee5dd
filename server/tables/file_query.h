// What a request for a reader's file, or for its tree, asks for.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/family/devices.h"
#include "core/readers/reader.h"
#include "server/snapshots/definitions.h"
#include "server/tables/file_rows.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

struct FileQuery {
  const core::Family* family = nullptr;
  TunedQuery query;  // with `form`
  bool tree = false;
  // Of a file: the family that may hold it where `family` has no row of it; "": none.
  std::string other = {};
};

// `path` is the file's below the reader's folder; a blank in it may be a '+'. Parameters: those
// options of TunedQuery that choose among rows, family= (where the name is of several stores),
// triton= (of a path that names no folder, and of what from= takes; else of the runs), from= and
// borrow=. Errors: unknown_reader, and those of ParseFilePath and QueryOfForm.
core::Result<FileQuery> ParseFileQuery(const Definitions& definitions, std::string_view reader,
                                       std::string_view path, const Parameters& parameters);

// Of all files of one store: family= says which, the reader's variable otherwise. device= is a
// product, which stands for all its names, or one name; other key columns filter, too.
core::Result<FileQuery> ParseTreeQuery(const Definitions& definitions, std::string_view reader,
                                       const Parameters& parameters);

// What the requests for a file and for a tree have in common.

// Taken out of the parameters, "" where it is not there. Error bad_parameter: it comes twice.
core::Result<std::string> Take(Parameters& parameters, std::string_view name);

// Whose rows may fill what the reader's own lack.
struct Loan {
  std::string from;  // an engine; "": none
  bool siblings = false;
};
// from= and borrow=. Errors: bad_parameter, with what is allowed.
core::Result<Loan> TakeLoan(const core::Reader& reader, const core::Family& family,
                            Parameters& parameters);

// The names of the devices that `name` stands for and, where they are asked for, of its siblings.
void NameDevices(const core::Devices& devices, std::string_view name, bool siblings,
                 FileForm& form);

// The query of a form, with what is left of the parameters. Errors: those of ParseTunedQuery,
// unknown_parameter also for an option that makes another table.
core::Result<FileQuery> QueryOfForm(const Definitions& definitions, FileForm form,
                                    const Parameters& parameters);

}  // namespace tunehub::server

// What the requests for a file and for a tree have in common.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/family/devices.h"
#include "core/readers/reader.h"
#include "server/service/files/file_form.h"
#include "server/service/tables/file_query.h"

namespace tunehub::service {

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

}  // namespace tunehub::service

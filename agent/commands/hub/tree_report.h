// What was read in a reader's tree, as JSON: for who asks for it, and for the hub to keep, so that
// the same tree need not be read again to say so.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"
#include "core/family/families.h"
#include "core/readers/tree_reader.h"

namespace tunehub::agent {

nlohmann::ordered_json ReportOf(const core::Reader& reader, const core::TreeReading& reading);

// The text that the hub is to keep; "": it is too long for that, or holds what is no UTF-8.
std::string KeptReport(const nlohmann::ordered_json& report);

// Such a report back: a reading whose tables have no rows to send. Error bad_answer.
core::Result<core::TreeReading> ReadReport(const core::Families& families,
                                           const nlohmann::json& report);

}  // namespace tunehub::agent

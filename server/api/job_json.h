// Jobs as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "server/api/services.h"
#include "server/service/queue/records.h"

namespace tunehub::api {

// Null for "".
nlohmann::ordered_json TextOrNull(const std::string& text);

// With its shapes, or with their number.
nlohmann::ordered_json JobJson(const Services& services, const service::JobRecord& job,
                               bool with_shapes = true);
// {"epoch","expires","seconds"}; null where nobody holds it. `seconds` is a lease's whole length: a
// client's clock is not compared with the server's.
nlohmann::ordered_json LeaseJson(const Services& services, const service::JobRecord& job);

// The family's name, by its number in the database.
std::string FamilyName(const Services& services, std::int16_t id);

}  // namespace tunehub::api

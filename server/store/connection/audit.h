// Who wrote what: noted in the transaction of the write itself.
#pragma once

#include <pqxx/pqxx>
#include <string>

#include "server/store/connection/writer.h"

namespace tunehub::store {

// `action`: two words at most, for programs; `detail`: for people.
void Audit(pqxx::work& transaction, const Writer& writer, const std::string& action,
           const std::string& detail);

}  // namespace tunehub::store

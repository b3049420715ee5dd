// A receipt that is another one's but for some members.
#pragma once

#include <pqxx/pqxx>
#include <string>

namespace tunehub::store {

// `patch`: a JSON merge patch (RFC 7386).
std::string PatchReceipt(const std::string& receipt, const std::string& patch);

// Of the columns `receipt` and `repeated` of a row of find_batch.sql or list_batches.sql;
// `otherwise` where there is none yet.
std::string ReadReceipt(const pqxx::row& row, const std::string& otherwise);

}  // namespace tunehub::store

#include "server/store/connection/audit.h"

#include <optional>

#include "sql.h"

namespace tunehub::store {

void Audit(pqxx::work& transaction, const Writer& writer, const std::string& action,
           const std::string& detail) {
  std::optional<std::string> owner, request;
  if (writer.api_key != 0) owner = writer.owner;
  if (!writer.request.empty()) request = writer.request;
  transaction.exec_params0(sql::audit, writer.api_key, action, detail, owner, request);
}

}  // namespace tunehub::store

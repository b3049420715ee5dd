#include "tests/support/sql.h"

#include <pqxx/pqxx>

namespace tunehub::test {

void Execute(const std::string& connection_string, const std::string& sql) {
  pqxx::connection connection(connection_string);
  pqxx::work work(connection);
  work.exec(sql);
  work.commit();
}

std::string QueryText(const std::string& connection_string, const std::string& sql) {
  pqxx::connection connection(connection_string);
  pqxx::nontransaction work(connection);
  return work.exec1(sql)[0].as<std::string>("");
}

}  // namespace tunehub::test

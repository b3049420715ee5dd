#include "tests/support/backup.h"

#include <pqxx/pqxx>

#include "tests/support/test_cluster.h"

namespace tunehub::test {
namespace {

// PostgreSQL creates and drops databases only outside of a transaction.
void Do(const std::string& sql) {
  pqxx::connection connection(SharedCluster().cluster().ConnectionString());
  pqxx::nontransaction(connection).exec(sql);
}

void CloseTo(const std::string& name) {
  Do("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false");
  Do("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '" + name +
     "'");
}

}  // namespace

Backup::Backup(const std::string& url) : name_(DatabaseName(url)) {
  CloseTo(name_);
  copy_ = DatabaseName(SharedCluster().NewDatabase(name_));
  Do("ALTER DATABASE " + name_ + " ALLOW_CONNECTIONS true");
}

void Backup::Restore() const {
  CloseTo(name_);
  Do("DROP DATABASE " + name_);
  Do("CREATE DATABASE " + name_ + " TEMPLATE " + copy_ + " STRATEGY file_copy");
}

}  // namespace tunehub::test

#include "tests/support/test_cluster.h"

#include <pqxx/pqxx>
#include <stdexcept>

namespace tunehub::test {

TestCluster::TestCluster() {
  auto started = embedded::Cluster::Start(
      {.data_dir = dir_.path(),
       .extra_settings = {{"fsync", "off"}, {"full_page_writes", "off"}, {"autovacuum", "off"}}});
  if (!started) {
    throw std::runtime_error("no PostgreSQL for the tests: " + started.error().detail +
                             ". deploy/packages lists what they need.");
  }
  cluster_ = *std::move(started);
}

std::string TestCluster::NewDatabase() {
  const std::string name = "test_" + std::to_string(++databases_);
  pqxx::connection connection(cluster_->ConnectionString());
  pqxx::nontransaction work(connection);
  work.exec("CREATE DATABASE " + name + " TEMPLATE template0");
  std::string target = cluster_->ConnectionString();
  const std::string database = "dbname=";
  target.erase(target.find(database) + database.size());
  return target + name;
}

TestCluster& SharedCluster() {
  static TestCluster cluster;
  return cluster;
}

std::string NewDatabase() {
  return SharedCluster().NewDatabase();
}

}  // namespace tunehub::test

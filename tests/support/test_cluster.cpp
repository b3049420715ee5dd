#include "tests/support/test_cluster.h"

#include <pqxx/pqxx>
#include <stdexcept>

namespace tunehub::test {
namespace {

const std::string kDatabase = "dbname=";  // the last word of the cluster's connection string

}  // namespace

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

std::string TestCluster::NewDatabase(const std::string& base) {
  const std::string name = "test_" + std::to_string(++databases_);
  pqxx::connection connection(cluster_->ConnectionString());
  pqxx::nontransaction work(connection);
  // PostgreSQL runs without fsync here, so copying files is faster than logging every block.
  work.exec("CREATE DATABASE " + name + " TEMPLATE " + base + " STRATEGY file_copy");
  std::string target = cluster_->ConnectionString();
  target.erase(target.find(kDatabase) + kDatabase.size());
  return target + name;
}

TestCluster& SharedCluster() {
  static TestCluster cluster;
  return cluster;
}

std::string NewDatabase() {
  return SharedCluster().NewDatabase();
}

std::string DatabaseName(const std::string& connection_string) {
  return connection_string.substr(connection_string.find(kDatabase) + kDatabase.size());
}

}  // namespace tunehub::test

#include "server/store/health/health.h"

#include "server/store/connection/several_hosts.h"
#include "server/store/connection/transaction.h"

namespace tunehub::store {
namespace {

// A connection that was just made answers at once, or something is wrong with its host.
HostHealth LookAtHost(const OneHost& host) {
  HostHealth health;
  health.name = host.name;
  health.url = host.url;
  try {
    Override(health.url, "target_session_attrs", "any");  // a standby is no host that is down
    const ConnectionPool pool(health.url, {.size = 1});
    const auto connection = pool.Open();
    pqxx::nontransaction statement(*connection);
    const auto answer = statement.exec1("SELECT current_setting('transaction_read_only')");
    health.read_only = answer[0].as<std::string>() == "on";
  } catch (const std::exception& error) {
    health.reason = error.what();
    while (health.reason.ends_with('\n')) health.reason.pop_back();
  }
  return health;
}

}  // namespace

std::vector<HostHealth> LookAtHosts(const std::string& url) {
  std::vector<HostHealth> hosts;
  for (const OneHost& host : HostsOf(url)) hosts.push_back(LookAtHost(host));
  return hosts;
}

}  // namespace tunehub::store

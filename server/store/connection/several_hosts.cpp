#include "server/store/connection/several_hosts.h"

#include <libpq-fe.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace tunehub::store {
namespace {

// libpq reads the URL, the environment and service files for a connection alone. One with a wrong
// setting behind them all is given up before a host is looked for, and can be asked what was read.
using HalfMade = std::unique_ptr<PGconn, decltype(&PQfinish)>;

HalfMade ReadOnlyItsOptions(const std::string& url) {
  const char* const names[] = {"dbname", "sslmode", nullptr};
  const char* const values[] = {url.c_str(), "no such mode", nullptr};
  return {PQconnectStartParams(names, values, 1), &PQfinish};
}

}  // namespace

bool MeansAnyOfSeveral(const std::string& url) {
  if (std::getenv("PGTARGETSESSIONATTRS") != nullptr) return false;
  const HalfMade half_made = ReadOnlyItsOptions(url);
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfo(half_made.get()), &PQconninfoFree);
  if (options == nullptr) return false;  // as connecting will say
  bool several = false, any = true;
  for (const PQconninfoOption* it = options.get(); it->keyword != nullptr; ++it) {
    if (it->val == nullptr) continue;
    const std::string_view name = it->keyword, value = it->val;
    if (name == "host" || name == "hostaddr")
      several = several || value.find(',') != std::string_view::npos;
    if (name == "target_session_attrs") any = value == "any";
  }
  return several && any;
}

}  // namespace tunehub::store

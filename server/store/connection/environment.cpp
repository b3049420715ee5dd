#include "server/store/connection/environment.h"

#include <libpq-fe.h>

#include <memory>

#include "server/store/connection/several_hosts.h"

namespace tunehub::store {

core::Result<std::map<std::string, std::string>> ConnectionEnvironment(const std::string& url) {
  char* wrong = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(url.c_str(), &wrong), &PQconninfoFree);
  const std::unique_ptr<char, decltype(&PQfreemem)> reason(wrong, &PQfreemem);
  if (options == nullptr) {
    return core::Error{"bad_setting",
                       std::string("database: ") + (wrong == nullptr ? "no memory" : wrong)};
  }
  std::map<std::string, std::string> environment;
  for (const PQconninfoOption* it = options.get(); it->keyword != nullptr; ++it) {
    if (it->val != nullptr && it->envvar != nullptr) environment[it->envvar] = it->val;
  }
  // As the connection pool has it: of several hosts the hub's is the one that takes writes.
  if (MeansAnyOfSeveral(url)) environment["PGTARGETSESSIONATTRS"] = "read-write";
  std::erase_if(environment, [](const auto& it) { return it.second.empty(); });
  return environment;
}

}  // namespace tunehub::store

#include "server/command.h"

#include <cstdio>

#include "server/database.h"
#include "server/definitions.h"

namespace tunehub::server {

int Fail(const core::Error& error) {
  std::fprintf(stderr, "%s: %s: %s\n", kProgram, error.code.c_str(), error.detail.c_str());
  return 1;
}

int WithStore(const Settings& settings, const std::function<int(store::Store&)>& work) {
  auto database = AnyDatabase(settings, WhereAbsent::kRefused);
  if (!database.ok()) return Fail(database.error());
  store::Store store(database->url, {.connections = 2});
  if (const auto status = PrepareSchema(store, database->cluster != nullptr); !status.ok())
    return Fail(status.error());
  return work(store);
}

}  // namespace tunehub::server

// A registry on its own database, as `serve` makes it, but without HTTP.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "server/db/connection_pool.h"
#include "server/ingest/ingest.h"
#include "server/ingest/revert_store.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/revision_store.h"
#include "server/snapshots/snapshots.h"
#include "server/tables/tuned_tables.h"
#include "tests/support/shipped.h"

namespace tunehub::test {

struct Line {
  int m = 16;
  std::string kernel = "a";
  std::string us = "10.0";
  std::string error = "0.0";
  std::string gfx = "gfx942";
  std::string libtype = "ck";
  int cu_num = 304;
};
std::string Csv(const std::vector<Line>& lines);

// The table's file name in AITER's tree.
inline const std::string kTreeFile = "a8w8_blockscale_tuned_gemm.csv";

// True if the database answers a statement.
bool Reachable(server::ConnectionPool& pool);

// A new copy of a migrated database with the shipped families. The first call makes the original.
std::string RegistryDatabase();

struct Post {
  std::optional<std::int64_t> run = {};
  std::optional<std::string> idempotency_key = {};
  std::string digest = "digest";  // the request's
  bool atomic = false;
  bool dry_run = false;
  server::Writer by = {};    // no key
  std::int64_t bytes = 0;    // of the body
  bool allow_shrink = true;  // because most tests need imports that withdraw rows
};

struct Registry {
  // Starts the first or another server on `url`, or migrates it to other definitions.
  explicit Registry(std::string url = RegistryDatabase(),
                    const core::Families& families = ShippedFamilies(),
                    const core::Targets& targets = ShippedTargets());

  std::int64_t NewRun(const std::string& started, std::optional<server::Provider> provider = {},
                      std::optional<double> error_limit = {});
  server::WriteAnswer Send(const std::string& csv, const Post& post = {},
                           std::string_view family = "a8w8_blockscale");
  server::WriteAnswer SendJson(const std::string& body, const Post& post = {});
  server::WriteAnswer Import(const std::string& source, const std::vector<core::TarFile>& files,
                             const Post& post = {},
                             const std::optional<server::RunContent>& about = {});

  const core::Family& family(std::string_view name = "a8w8_blockscale") const;
  // Reads the rows in memory or an old revision.
  core::Result<server::Served> Get(const server::Parameters& parameters = {},
                                   std::string_view name = "a8w8_blockscale");
  // The table for a query such as "gfx=gfx942&revision=3", or the error's code.
  std::string Table(const std::string& query = "", std::string_view family = "a8w8_blockscale");
  // The tuned rows of a8w8_blockscale, each as "16 a 10.0 only_candidate". If the target is not
  // gfx942:304 or the provider is not aiter, the row begins with it.
  std::string Winners();
  std::int64_t Revision() { return server::RevisionStore(pool).ReadHeads().revision.number; }
  std::int64_t Count(const std::string& table);

  std::string url;
  server::ConnectionPool pool;
  server::Definitions definitions;
  server::FamilyVersions versions;
  server::Snapshots snapshots;  // has no thread here, because Table() refreshes it
  server::TunedTables tables;
  server::Ingest ingest;
};

struct RegistryTest : testing::Test {
  Registry registry;
};

// The receipt. Fails the test if the hub refused the write.
nlohmann::json Receipt(const server::WriteAnswer& answer);
// The receipt's run.
std::int64_t RunOf(const server::WriteAnswer& answer);
// The refusal's code; "" if the hub accepted the write.
std::string Refusal(const server::WriteAnswer& answer);
// A receipt's counts "accepted won kept unchanged folded quarantined rejected".
std::string Counts(const server::WriteAnswer& answer);

// The shipped families, with an edit of one file's JSON.
core::Families FamiliesWith(std::string_view name,
                            const std::function<void(nlohmann::ordered_json&)>& edit);
// The shipped targets, with an edit of their JSON.
core::Targets TargetsWith(const std::function<void(nlohmann::ordered_json&)>& edit);

}  // namespace tunehub::test

// A registry on a database of its own, as `serve` makes it, without HTTP.
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

// The file's name in AITER's tree.
inline const std::string kTreeFile = "a8w8_blockscale_tuned_gemm.csv";

// True if the database answers a statement.
bool Reachable(server::ConnectionPool& pool);

// A migrated database with the shipped families, copied from one that was made once.
std::string RegistryDatabase();

struct Post {
  std::optional<std::int64_t> run = {};
  std::optional<std::string> idempotency_key = {};
  std::string digest = "digest";  // of the request
  bool atomic = false;
  bool dry_run = false;
  server::Writer by = {};    // without a key
  std::int64_t bytes = 0;    // of the body
  bool allow_shrink = true;  // most tests need imports that withdraw rows
};

struct Registry {
  // Starts a first or a further server on `url`, or upgrades it to other definitions.
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
  // From the rows in memory, or from an old revision.
  core::Result<server::Served> Get(const server::Parameters& parameters = {},
                                   std::string_view name = "a8w8_blockscale");
  // The table of the query "gfx=gfx942&revision=3", or the error's code.
  std::string Table(const std::string& query = "", std::string_view family = "a8w8_blockscale");
  // The tuned rows of a8w8_blockscale, each as "16 a 10.0 only_candidate". A target other than
  // gfx942:304 or a provider other than aiter stands before its row.
  std::string Winners();
  std::int64_t Revision() { return server::RevisionStore(pool).ReadHeads().revision.number; }
  std::int64_t Count(const std::string& table);

  std::string url;
  server::ConnectionPool pool;
  server::Definitions definitions;
  server::FamilyVersions versions;
  server::Snapshots snapshots;  // not started, because Table() refreshes it
  server::TunedTables tables;
  server::Ingest ingest;
};

struct RegistryTest : testing::Test {
  Registry registry;
};

// The receipt; fails the test if the write was refused.
nlohmann::json Receipt(const server::WriteAnswer& answer);
// The receipt's run.
std::int64_t RunOf(const server::WriteAnswer& answer);
// The refusal's code; "": accepted.
std::string Refusal(const server::WriteAnswer& answer);
// "accepted won kept unchanged folded quarantined rejected" of a receipt, as numbers.
std::string Counts(const server::WriteAnswer& answer);

// The shipped families with one file's JSON edited.
core::Families FamiliesWith(std::string_view name,
                            const std::function<void(nlohmann::ordered_json&)>& edit);
// The shipped targets with their JSON edited.
core::Targets TargetsWith(const std::function<void(nlohmann::ordered_json&)>& edit);

}  // namespace tunehub::test

#include "server/tables/bundle.h"

#include "core/base/hash.h"
#include "server/snapshots/revision_store.h"
#include "tests/support/archive.h"
#include "tests/support/registry.h"
#include "tests/support/result.h"

namespace tunehub::server {
namespace {

using test::Csv;
using test::Registry;
using Bundles = test::RegistryTest;

core::Result<Bundle> Make(Registry& registry, std::int64_t revision,
                          const Parameters& parameters = {}) {
  registry.snapshots.Refresh();
  const auto pin = RevisionStore(registry.pool).Find({revision, ""});
  if (!pin.ok()) return pin.error();
  return MakeBundle(registry.definitions, registry.tables, {.pin = *pin}, parameters);
}

TEST_F(Bundles, hold_the_tables_as_aiter_lays_them_out_with_their_digests) {
  registry.Send(Csv({{}}));
  registry.Send(Csv({{.m = 32}}), {}, "a8w8_blockscale_bpreshuffle");
  const auto bundle = Must(Make(registry, 2));
  EXPECT_EQ(bundle.tables, 2u);
  const auto files = test::Unpacked(bundle.archive);
  const std::string table = "aiter/configs/a8w8_blockscale_tuned_gemm.csv",
                    other = "aiter/configs/a8w8_blockscale_bpreshuffle_tuned_gemm.csv";
  EXPECT_EQ(files.at(table), Csv({{}}));
  EXPECT_EQ(files.at(other), Csv({{.m = 32}}));
  std::string sums;
  for (const std::string& name : {table, other, std::string("env.sh"), std::string("tunehub.lock")})
    sums += core::Sha256Hex(files.at(name)) + "  " + name + "\n";
  EXPECT_EQ(files.at("SHA256SUMS"), sums);
  EXPECT_NE(files.at("env.sh").find("export AITER_CONFIG_GEMM_A8W8_BLOCKSCALE=\"$TUNEHUB_BUNDLE/" +
                                    table + "\"\n"),
            std::string::npos);
  const auto lock = nlohmann::json::parse(files.at("tunehub.lock"));
  EXPECT_EQ(lock["revision"], 2);
  EXPECT_EQ(lock["token"], bundle.revision.token);
  EXPECT_EQ(lock["tables"][0]["token"], bundle.revision.token);
  EXPECT_EQ(lock["tables"][0]["sha256"], core::Sha256Hex(files.at(table)));
}

TEST_F(Bundles, of_one_revision_are_the_same_bytes_also_after_later_batches) {
  registry.Send(Csv({{}}));
  const auto first = Make(registry, 1);
  EXPECT_EQ(Make(registry, 1)->archive, first->archive);
  registry.Send(Csv({{.us = "5"}}));
  registry.Send(Csv({{}}), {}, "a8w8_blockscale_bpreshuffle");
  Registry later(registry.url);
  EXPECT_EQ(Make(later, 1)->archive, first->archive);
  EXPECT_NE(Make(later, 3)->archive, first->archive);
}

TEST_F(Bundles, hold_only_what_the_query_asks_for) {
  registry.Send(Csv({{}, {.gfx = "gfx950", .cu_num = 256}}));
  const auto files = test::Unpacked(Make(registry, 1, {{"gfx", "gfx950"}})->archive);
  EXPECT_EQ(files.at("aiter/configs/a8w8_blockscale_tuned_gemm.csv"),
            Csv({{.gfx = "gfx950", .cu_num = 256}}));
  EXPECT_EQ(Make(registry, 1, {{"gfx", "gfx90a"}}).error().code, "no_rows");
  EXPECT_EQ(Make(registry, 9).error().code, "unknown_revision");
  EXPECT_EQ(Make(registry, 1, {{"colour", "red"}}).error().code, "unknown_parameter");
}

TEST_F(Bundles, refuse_a_choice_among_candidates) {
  registry.Send(Csv({{}}));
  EXPECT_EQ(Make(registry, 1, {{"libtype", "ck"}}).error().code, "bad_parameter");
}

}  // namespace
}  // namespace tunehub::server

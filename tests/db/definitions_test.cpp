// Changes of family files and of targets.json, in a registry that has rows.
#include <algorithm>

#include "server/db/schema.h"
#include "server/ingest/definition_store.h"
#include "tests/support/registry.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using Definitions = RegistryTest;

nlohmann::ordered_json& Column(nlohmann::ordered_json& family, std::string_view name) {
  return *std::find_if(family["columns"].begin(), family["columns"].end(),
                       [&](const auto& column) { return column["name"] == name; });
}

core::Families WithErrorLimit(double limit) {
  return FamiliesWith("a8w8_blockscale", [&](auto& json) { json["error_limit"] = limit; });
}

TEST_F(Definitions, a_lower_error_limit_takes_rows_out_and_keeps_old_revisions) {
  registry.Send(Csv({{.kernel = "b", .us = "20"}, {.error = "0.15"}, {.m = 32, .error = "0.15"}}));
  const std::string before = registry.Table();
  Registry upgraded(registry.url, WithErrorLimit(0.1));
  EXPECT_EQ(upgraded.Winners(), "16 b 20 only_candidate");
  EXPECT_EQ(upgraded.Table(), Csv({{.kernel = "b", .us = "20"}}));
  EXPECT_EQ(upgraded.Table("revision=1"), before);
  EXPECT_EQ(QueryText(registry.url,
                      "SELECT count(*) FROM measurement WHERE reason LIKE 'error_above_limit%'"),
            "2");
  // The first version's file returns as version 3.
  Registry back(registry.url);
  EXPECT_EQ(back.Table(), before);
  EXPECT_EQ(back.Table("revision=1"), before);
  EXPECT_EQ(back.Table("revision=2"), Csv({{.kernel = "b", .us = "20"}}));
}

// The server finds a cached comparison by a stamp of the compared runs.
TEST_F(Definitions, judging_again_changes_the_stamp_of_every_run_and_a_batch_that_of_its_own) {
  const std::int64_t run = registry.NewRun("2026-01-01T00:00:00Z");
  const std::int64_t other = registry.NewRun("2026-01-02T00:00:00Z");
  server::MeasurementStore measurements(registry.pool);
  const auto is_seen = [&](const std::string& before) {
    return measurements.RunStamp({run}) != before;
  };
  std::string stamp = measurements.RunStamp({run});
  registry.Send(Csv({{.error = "0.15"}}), {.run = run, .digest = "first"});
  EXPECT_TRUE(is_seen(stamp));
  stamp = measurements.RunStamp({run});
  registry.Send(Csv({{.us = "9"}}), {.run = other, .digest = "another run"});
  EXPECT_FALSE(is_seen(stamp));
  registry.Send(Csv({{.m = 32}}), {.run = run, .digest = "second"});
  EXPECT_TRUE(is_seen(stamp));
  stamp = measurements.RunStamp({run});
  const Registry upgraded(registry.url, WithErrorLimit(0.1));
  EXPECT_TRUE(is_seen(stamp));
  // A new batch can get the number of a lost batch, but not its time of receipt and digest.
  stamp = measurements.RunStamp({run});
  Execute(registry.url,
          "UPDATE batch SET received = received + interval '1 us' WHERE digest = 'second'");
  EXPECT_TRUE(is_seen(stamp));
}

TEST_F(Definitions, the_error_limit_of_a_run_outlives_that_of_the_family) {
  registry.Send(Csv({{.error = "0.03"}}),
                {.run = registry.NewRun("2026-01-01T00:00:00Z", {}, 0.04)});
  Registry upgraded(registry.url, WithErrorLimit(0.02));
  EXPECT_EQ(upgraded.Winners(), "16 a 10.0 only_candidate");
}

TEST_F(Definitions, a_new_optional_column_leaves_old_revisions_and_keys_as_they_were) {
  registry.Send(Csv({{}, {.m = 32}}));
  const std::string before = registry.Table();
  const auto families = FamiliesWith("a8w8_blockscale", [](auto& json) {
    json["columns"].push_back(
        {{"name", "note"}, {"role", "derived"}, {"type", "text"}, {"missing", ""}});
  });
  Registry upgraded(registry.url, families);
  std::string with_note = before;
  for (auto at = with_note.find('\n'); at != std::string::npos; at = with_note.find('\n', at + 2)) {
    with_note.insert(at, at == before.find('\n') ? ",note" : ",");
    at += at == before.find('\n') ? 5 : 1;
  }
  EXPECT_EQ(upgraded.Table(), with_note);
  EXPECT_EQ(upgraded.Table("revision=1"), before);
  // The table now contains rows of both versions.
  upgraded.Send(
      "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio,note\n"
      "gfx942,304,64,1536,7168,ck,1,0,10.0,a,9,9,0.0,hello\n");
  const std::string mixed = upgraded.Table();
  EXPECT_NE(mixed.find("0.0,hello\n"), std::string::npos) << mixed;
  EXPECT_EQ(upgraded.Table("revision=3"), mixed);
  EXPECT_EQ(upgraded.Table("revision=2"), with_note);
  EXPECT_EQ(upgraded.Table("libtype=ck"), mixed);
}

std::string Int8AndFp8() {
  return "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
         "gfx942,304,16,1536,7168,torch.int8,1,0,10.0,a,9,9,0.0\n"
         "gfx942,304,16,1536,7168,torch.float8_e4m3fnuz,1,0,10.0,a,9,9,0.0\n";
}

TEST_F(Definitions, another_order_of_an_enum_reorders_the_table_and_not_its_past) {
  registry.Send(Int8AndFp8(), {}, "a8w8");
  EXPECT_EQ(registry.Table("", "a8w8"), Int8AndFp8());
  const auto families = FamiliesWith("a8w8", [](auto& json) {
    auto& values = Column(json, "q_dtype_w")["values"];
    std::swap(values[0], values[1]);
  });
  Registry upgraded(registry.url, families);
  const std::string swapped = upgraded.Table("", "a8w8");
  EXPECT_LT(swapped.find("fnuz"), swapped.find("int8"));
  EXPECT_EQ(upgraded.Table("revision=2", "a8w8"), swapped);
  EXPECT_EQ(upgraded.Table("revision=1", "a8w8"), Int8AndFp8());
  // The upgrade also changed the stored order of old rows, so the same rows cause no conflict.
  EXPECT_EQ(Refusal(upgraded.Send(Int8AndFp8(), {}, "a8w8")), "");
}

TEST_F(Definitions, another_peak_judges_every_family_again) {
  const Line believed{.us = "1.5", .cu_num = 80};  // the hub knows no peaks of this product
  registry.Send(Csv({believed}));
  const auto slower = TargetsWith([](auto& json) { json["archs"]["gfx942"]["clock_mhz"] = 21; });
  Registry upgraded(registry.url, ShippedFamilies(), slower);
  EXPECT_EQ(upgraded.Winners(), "");
  EXPECT_EQ(upgraded.Table("measured=only"), "no_rows");
  EXPECT_EQ(upgraded.Table("measured=only&revision=1"), Csv({believed}));
}

// If the hub recorded a refused file, it would accept the second attempt.
TEST_F(Definitions, a_file_that_would_change_keys_is_refused_whole_and_again) {
  registry.Send(Csv({{}}));
  const auto families = FamiliesWith("a8w8_blockscale", [](auto& json) {
    const nlohmann::ordered_json layout = {
        {"name", "layout"},
        {"role", "shape"},
        {"type", "enum"},
        {"values", {"row", "column"}},
        {"missing", {{{"gfx", "gfx942"}, {"value", "row"}}, {{"value", "column"}}}}};
    json["columns"].insert(json["columns"].begin() + 5, layout);
  });
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_EQ(server::DefinitionStore(registry.pool)
                  .SyncDefinitions(families, ShippedTargets(), server::OtherFile::kTaken)
                  .error()
                  .code,
              "keys_would_change");
    EXPECT_EQ(server::DefinitionStore(registry.pool)
                  .SyncDefinitions(families, ShippedTargets(), server::OtherFile::kRefused)
                  .error()
                  .code,
              "definitions_changed");
  }
  EXPECT_EQ(registry.Revision(), 1);
  EXPECT_EQ(registry.Table(), Csv({{}}));
}

TEST_F(Definitions, a_shifted_row_does_not_stand_in_the_way) {
  registry.Send(Csv({{}}));
  // This line has a shifted header of its own. By the family's header it would get another shape
  // key.
  Execute(registry.url,
          "UPDATE measurement SET line = replace(line, ',16,', ',17,'), standing = 3,"
          " reason = 'shifted_columns: one field is missing before the last column'");
  Registry upgraded(registry.url, WithErrorLimit(0.1));
  EXPECT_EQ(QueryText(registry.url, "SELECT standing FROM measurement"), "3");
}

}  // namespace
}  // namespace tunehub::test

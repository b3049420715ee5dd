#include "server/tables/table_bytes.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/archive.h"
#include "core/table/tuned_table.h"
#include "server/answers/encoding.h"
#include "tests/support/shipped.h"

namespace tunehub::server {
namespace {

std::string Line(const std::string& gfx, int cu_num, int m) {
  return gfx + "," + std::to_string(cu_num) + "," + std::to_string(m) +
         ",1536,7168,ck,1,0,10.0,a,9,9,0.0\n";
}

RowSet RowsOf(const std::string& csv, std::string_view name = "a8w8_blockscale") {
  RowSet set{&test::ShippedFamily(name), {}};
  const auto table = core::ReadTunedTable(*set.family, test::ShippedTargets(), csv);
  for (const core::Row& row : table->rows) {
    auto tuned = std::make_shared<TunedRow>();
    tuned->line = row.line;
    tuned->gfx = row.gfx;
    tuned->cu_num = row.cu_num;
    tuned->provider = server::RowProvider({}, row);
    tuned->standing = row.standing;
    tuned->us = row.us;
    set.rows.push_back(std::move(tuned));
  }
  return set;
}

core::Result<TableBytes> Make(const RowSet& set, const Parameters& parameters) {
  const auto query = ParseTunedQuery(*set.family, test::ShippedTargets(), parameters);
  return MakeTable(set, *query);
}

TEST(TableBytes, targets_without_a_row_beside_others_are_named) {
  const RowSet set = RowsOf(test::kBlockscaleHeader + Line("gfx942", 304, 16));
  EXPECT_EQ(Make(set, {{"gfx", "gfx942"}})->missing_targets, "");
  EXPECT_EQ(Make(set, {{"target", "gfx942:80,gfx942:304,gfx950:256"}})->missing_targets,
            "gfx942:80, gfx950:256");
}

TEST(TableBytes, legacy_columns_are_refused_where_aiter_cannot_read_them) {
  RowSet set = RowsOf(test::kBlockscaleHeader + Line("gfx942", 304, 16));
  set.family = &test::ShippedFamily("bf16");
  EXPECT_EQ(Make({set.family, {}}, {{"columns", "legacy"}, {"allow_empty", "1"}}).error().code,
            "legacy_unsupported");
}

TEST(TableBytes, json_has_numbers_as_numbers_and_nothing_as_null) {
  const RowSet set = RowsOf(test::kBlockscaleHeader + "gfx942,304,16,1536,7168,ck,1,0,inf,a,,9,\n");
  const auto table = Make(set, {{"format", "json"}});
  EXPECT_EQ(table->content_type, "application/json");
  EXPECT_EQ(*table->body,
            "{\"family\":\"a8w8_blockscale\",\"rows\":[{\"gfx\":\"gfx942\",\"cu_num\":304,\"M\":16,"
            "\"N\":1536,\"K\":7168,\"libtype\":\"ck\",\"kernelId\":1,\"splitK\":0,\"us\":\"inf\","
            "\"kernelName\":\"a\",\"tflops\":null,\"bw\":9.0,\"errRatio\":null,"
            "\"standing\":\"unmeasured\",\"baseline\":false,\"provider\":\"aiter\"}]}\n");
}

TEST(TableBytes, what_was_done_to_the_rows_stands_behind_them_in_json) {
  RowSet set = RowsOf(test::kBlockscaleHeader + Line("gfx942", 304, 16));
  const std::string rows = *Make(set, {{"format", "json"}})->body;
  set.notes.AddMember("unknown_provenance", 3);
  const RowSet copy = set;
  set.notes.AddMember("build", {{"name", "a\"b"}, {"rows", nlohmann::ordered_json::array()}});
  const auto front = rows.substr(0, rows.size() - 2);
  EXPECT_EQ(*Make(set, {{"format", "json"}})->body,
            front + ",\"unknown_provenance\":3,\"build\":{\"name\":\"a\\\"b\",\"rows\":[]}}\n");
  EXPECT_EQ(*Make(copy, {{"format", "json"}})->body, front + ",\"unknown_provenance\":3}\n");
  EXPECT_EQ(*Make(set, {})->body, test::kBlockscaleHeader + Line("gfx942", 304, 16));
}

// A client that accepts gzip and zstd gets zstd, so zstd must not be larger.
TEST(TableBytes, zstd_is_no_larger_than_gzip) {
  std::string table = test::kBlockscaleHeader;
  unsigned random = 1;
  const auto next = [&](unsigned below) {
    return (random = random * 1664525 + 1013904223) / 7 % below;
  };
  for (const int n : {1280, 5120, 6400, 12800, 25600}) {
    for (int m = 16; m <= 16'000; m += 16) {
      const unsigned id = next(19), us = 20'000 + static_cast<unsigned>(m) * 97 + next(9000);
      table += "gfx942,304," + std::to_string(m) + "," + std::to_string(n) + ",5120,ck," +
               std::to_string(id) + ",0," + std::to_string(us / 1000) + "." +
               std::to_string(1000 + us % 1000).substr(1) + ",a8w8_blockscale_1x128x128_256x" +
               std::to_string(16 << id % 4) + "x" + std::to_string(64 << id / 8) +
               "x256_16x16_16x16_1x1_16x16x1_16x16x1_1x16x1x16_" + std::to_string(4 + id % 3) +
               "_1x1_intrawave_v1," + std::to_string(next(90'000)) + ".5," +
               std::to_string(next(9000)) + ".25,0.0\n";
    }
  }
  const std::string gzip = core::Gzip(table), zstd = Zstd(table);
  EXPECT_LE(zstd.size(), gzip.size()) << "of " << table.size() << " bytes";
}

TEST(Negotiate, takes_the_best_that_is_accepted) {
  const std::pair<const char*, Encoding> rows[] = {
      {"", Encoding::kIdentity},
      {"gzip", Encoding::kGzip},
      {"GZIP", Encoding::kGzip},
      {"gzip, deflate, br", Encoding::kGzip},
      {"gzip, deflate, br, zstd", Encoding::kZstd},
      {"zstd;q=0.5, gzip;q=0.8", Encoding::kGzip},
      {"*", Encoding::kZstd},
      {"*, zstd;q=0", Encoding::kGzip},
      {"gzip;q=0, *;q=0", Encoding::kIdentity},
      {"gzip;q=0", Encoding::kIdentity},
      {"gzip;q=0.000", Encoding::kIdentity},
      {"gzip ; q=0.3", Encoding::kGzip},
      {"gzip;q=broken", Encoding::kIdentity},
      {"br", Encoding::kIdentity},
      {"identity;q=1, gzip;q=0.5", Encoding::kIdentity},  // the higher q wins
      {"identity, gzip", Encoding::kGzip},
      {",,;=,", Encoding::kIdentity},
  };
  for (const auto& [header, encoding] : rows) EXPECT_EQ(Negotiate(header), encoding) << header;
}

}  // namespace
}  // namespace tunehub::server

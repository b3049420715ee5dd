#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "server/ingest/staged_rows.h"
#include "tests/support/shipped.h"

namespace tunehub::server {
namespace {

using core::Standing;

StagedRow Staged(char key, char candidate, double us, Standing standing = Standing::kMeasured) {
  StagedRow staged;
  staged.row.key.bytes[0] = static_cast<unsigned char>(key);
  staged.row.candidate.bytes[0] = static_cast<unsigned char>(candidate);
  staged.row.us = us;
  staged.row.standing = standing;
  return staged;
}

// Prints "Ax1.5*! " for each row: shape key, candidate, time; * if best, ! if alone, t if
// tunehub's.
std::string Told(const Folded& folded) {
  std::string out;
  for (const StagedRow& staged : folded.rows) {
    out.push_back(static_cast<char>(staged.row.key.bytes[0]));
    out.push_back(static_cast<char>(staged.row.candidate.bytes[0]));
    out += std::to_string(staged.row.us).substr(0, 3);
    out += staged.provider == Provider::kTunehub ? "t" : "";
    out += staged.best ? "*" : "";
    out += staged.alone ? "! " : " ";
  }
  return out;
}

TEST(Fold, rows_are_sorted_by_key_folded_by_candidate_and_the_best_is_marked) {
  EXPECT_EQ(Told(Fold({Staged('B', 'x', 5), Staged('A', 'y', 3), Staged('A', 'x', 2)}, 1)),
            "Ax2.0* Ay3.0 Bx5.0*! ");
  EXPECT_EQ(Told(Fold({Staged('A', 'x', 3), Staged('A', 'x', 2), Staged('A', 'x', 4)}, 1)),
            "Ax2.0*! ");
  EXPECT_EQ(Told(Fold({Staged('A', 'x', 0, Standing::kUnmeasured), Staged('A', 'x', 9)}, 1)),
            "Ax9.0*! ")
      << "a measured row ranks before an unmeasured row";
  EXPECT_EQ(
      Told(Fold(
          {Staged('A', 'x', 1), Staged('A', 'y', 2), Staged('A', 'x', 3), Staged('B', 'x', 4)}, 1)),
      "Ax1.0* Ay2.0 Bx4.0*! ");
  EXPECT_EQ(Told(Fold({Staged('A', 'x', 1, Standing::kWrong), Staged('A', 'y', 2)}, 1)),
            "Ay2.0*! Ax1.0 ");
  EXPECT_EQ(Told(Fold({Staged('A', 'x', 1, Standing::kWrong)}, 1)), "Ax1.0* ")
      << "the row is alone but does not compete";
}

TEST(Fold, providers_never_compete_and_of_equal_times_the_first_stays) {
  StagedRow own = Staged('A', 'x', 1);
  own.provider = Provider::kTunehub;
  EXPECT_EQ(Told(Fold({own, Staged('A', 'x', 9)}, 1)), "Ax9.0*! Ax1.0t*! ");
  std::vector<StagedRow> rows = {Staged('A', 'x', 3), Staged('A', 'x', 3)};
  rows[0].row.line = "first";
  rows[1].row.line = "second";
  EXPECT_EQ(Fold(std::move(rows), 1).rows.at(0).row.line, "first");
}

TEST(Fold, what_is_folded_away_is_counted_for_its_file) {
  std::vector<StagedRow> rows = {Staged('A', 'x', 3), Staged('A', 'x', 2), Staged('A', 'x', 4),
                                 Staged('B', 'x', 4)};
  rows[0].file = 0;
  rows[1].file = 1;
  rows[2].file = rows[3].file = 2;
  const Folded folded = Fold(std::move(rows), 4);
  EXPECT_EQ(folded.folded_per_file, (std::vector<std::size_t>{1, 0, 1, 0}));
  EXPECT_EQ(Told(Fold({}, 2)), "");
}

TEST(Fold, any_order_of_arrival_gives_the_same_rows) {
  std::mt19937 random(7);
  std::vector<StagedRow> rows;
  for (int i = 0; i < 200; ++i) {
    const auto standing = static_cast<Standing>(random() % 4);
    // A declared row has no time.
    const double us = standing == Standing::kDeclared ? 0 : static_cast<double>(random() % 7);
    rows.push_back(Staged(static_cast<char>('A' + random() % 9),
                          static_cast<char>('a' + random() % 5), us, standing));
    rows.back().provider = static_cast<Provider>(random() % 2);
  }
  const std::string expected = Told(Fold(rows, 1));
  for (int order = 0; order < 20; ++order) {
    std::shuffle(rows.begin(), rows.end(), random);
    ASSERT_EQ(Told(Fold(rows, 1)), expected);
  }
}

TEST(Provider, follows_from_run_target_and_kernel) {
  const auto row = [](const char* gfx, bool own_kernel, const char* engine = "") {
    core::Row made;
    made.gfx = gfx;
    made.own_kernel = own_kernel;
    made.engine = engine;
    return made;
  };
  EXPECT_EQ(RowProvider(std::nullopt, row("gfx942", false)), Provider::kAiter);
  EXPECT_EQ(RowProvider(std::nullopt, row("sm_90a", false)), Provider::kTunehub);
  EXPECT_EQ(RowProvider(std::nullopt, row("cpu-x86-64-v4", false)), Provider::kTunehub);
  EXPECT_EQ(RowProvider(Provider::kTunehub, row("gfx942", false)), Provider::kTunehub);
  EXPECT_EQ(RowProvider(Provider::kAiter, row("sm_90a", false)), Provider::kAiter);
  EXPECT_EQ(RowProvider(Provider::kAiter, row("gfx942", true)), Provider::kTunehub)
      << "a kernel of tunehub's catalog is tunehub's, even if the run names AITER";
  EXPECT_EQ(RowProvider(Provider::kTunehub, row("gfx942", false, "vllm")), Provider::kVllm)
      << "the family names the engine";
}

TEST(Provider, names_are_read_as_they_are_written_and_every_engine_is_one) {
  for (const auto& family : test::ShippedFamilies().all()) {
    if (family->engine == core::kNoColumn) continue;
    for (const std::string& engine : family->columns[family->engine].values) {
      EXPECT_NE(ParseProvider(engine), std::nullopt) << family->name << " " << engine;
    }
  }
  for (const Provider provider : {Provider::kAiter, Provider::kTunehub, Provider::kVllm,
                                  Provider::kSglang, Provider::kRocm}) {
    EXPECT_EQ(ParseProvider(Name(provider)), provider);
  }
  EXPECT_EQ(ParseProvider("AITER"), std::nullopt);
  EXPECT_EQ(ParseProvider(""), std::nullopt);
}

}  // namespace
}  // namespace tunehub::server

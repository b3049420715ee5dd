// Reverts, and imports that supersede the one before.
#include "tests/db/days.h"
#include "tests/support/registry.h"

namespace tunehub::test {
namespace {

using Revert = RegistryTest;
using Import = RegistryTest;

const std::string kFile = "a8w8_blockscale_tuned_gemm.csv";

std::int64_t RunOf(const server::WriteAnswer& answer) {
  return Receipt(answer)["run"].get<std::int64_t>();
}

TEST_F(Revert, brings_the_incumbents_back_in_one_revision) {
  registry.Send(Csv({{}, {.m = 32, .us = "20"}}), {.run = registry.NewRun(kDay1)});
  const std::string before = registry.Table();
  const auto run = registry.NewRun(kDay2);
  registry.Send(Csv({{.kernel = "b", .us = "5"}, {.m = 32, .us = "30"}, {.m = 64}}), {.run = run});
  const auto reverted = Must(server::RevertRun(registry.pool, run, {}));
  EXPECT_EQ(reverted.revision.number, 3);
  EXPECT_EQ(reverted.changed, 3u);
  EXPECT_EQ(registry.Table(), before);
  EXPECT_EQ(registry.Winners(), "16 a 10.0 only_candidate\n32 a 20 only_candidate");
}

TEST_F(Revert, of_a_run_that_won_nothing_makes_no_revision) {
  registry.Send(Csv({{}}));
  const auto run = registry.NewRun(kDay1);
  registry.Send(Csv({{.kernel = "b", .us = "20"}}), {.run = run});
  EXPECT_EQ(server::RevertRun(registry.pool, run, {})->revision.number, 1);
  EXPECT_EQ(registry.Revision(), 1);
  EXPECT_EQ(registry.Winners(), "16 a 10.0 only_candidate");
}

TEST_F(Revert, twice_or_of_an_unknown_run_is_refused) {
  const auto run = registry.NewRun(kDay1);
  ASSERT_TRUE(server::RevertRun(registry.pool, run, {}).ok());
  EXPECT_EQ(server::RevertRun(registry.pool, run, {}).error().code, "already_reverted");
  EXPECT_EQ(server::RevertRun(registry.pool, 99, {}).error().code, "unknown_run");
}

TEST_F(Revert, a_late_batch_of_the_run_is_stored_and_never_competes) {
  registry.Send(Csv({{}}));
  const auto run = registry.NewRun(kDay2);
  ASSERT_TRUE(server::RevertRun(registry.pool, run, {}).ok());
  registry.Send(Csv({{.kernel = "b", .us = "5"}, {.m = 32, .us = "5"}}), {.run = run});
  EXPECT_EQ(registry.Count("measurement"), 3);
  EXPECT_EQ(registry.Winners(), "16 a 10.0 only_candidate");
  EXPECT_EQ(registry.Revision(), 1);
  // Nor when the keys are chosen for again.
  registry.Send(Csv({{.us = "20"}, {.m = 32, .us = "30"}}));
  EXPECT_EQ(registry.Winners(), "16 a 20 only_candidate\n32 a 30 only_candidate");
}

TEST_F(Import, another_source_and_none_supersede_nothing) {
  registry.Import("tree", {{kTreeFile, Csv({{}})}});
  registry.Import("fork", {{kTreeFile, Csv({{.m = 32}})}});
  registry.Import("", {{kTreeFile, Csv({{.m = 48}})}});
  registry.Import("", {{kTreeFile, Csv({{.m = 64}})}});
  EXPECT_EQ(registry.Winners(),
            "16 a 10.0 only_candidate\n32 a 10.0 only_candidate\n"
            "48 a 10.0 only_candidate\n64 a 10.0 only_candidate");
}

TEST_F(Import, the_same_again_makes_no_revision) {
  const std::vector<core::TarFile> files = {
      {kFile, Csv({{}, {.m = 32, .us = "0"}, {.kernel = "b"}})}};
  registry.Import("tree", files);
  const std::string before = registry.Winners();
  EXPECT_FALSE(Receipt(registry.Import("tree", files)).contains("revision"));
  EXPECT_EQ(registry.Revision(), 1);
  EXPECT_EQ(registry.Winners(), before);
  EXPECT_EQ(registry.Table("revision=1"), registry.Table());
}

TEST_F(Import, a_revert_brings_the_previous_one_of_its_source_back) {
  registry.Import("tree", {{kFile, Csv({{}, {.m = 32}})}});
  const std::string first = registry.Table();
  const auto run2 = RunOf(registry.Import("tree", {{kFile, Csv({{.us = "12"}})}}));
  const auto run3 = RunOf(registry.Import("tree", {{kFile, Csv({{.us = "13"}, {.m = 64}})}}));
  // One that is superseded: nothing served stands on it.
  ASSERT_TRUE(server::RevertRun(registry.pool, run2, {}).ok());
  EXPECT_EQ(registry.Revision(), 3);
  ASSERT_TRUE(server::RevertRun(registry.pool, run3, {}).ok());
  EXPECT_EQ(registry.Table(), first);
  EXPECT_EQ(registry.Revision(), 4);
}

TEST_F(Import, a_refused_file_refuses_all_where_the_import_would_supersede_another) {
  const std::string other = "a8w8_blockscale_bpreshuffle_tuned_gemm.csv";
  const std::vector<core::TarFile> broken = {{kTreeFile, Csv({{.us = "5"}})},
                                             {other, "<<<<<<< HEAD\n"}};
  const auto first = Receipt(registry.Import("tree", broken));
  EXPECT_EQ(first["files"][1]["status"], "refused");
  EXPECT_EQ(Refusal(registry.Import("tree", broken)), "refused_files");
  EXPECT_EQ(Refusal(registry.Import("other", broken, {.atomic = true})), "refused_files");
  EXPECT_EQ(registry.Count("batch"), 1);
  EXPECT_EQ(registry.Winners(), "16 a 5 only_candidate");
}

TEST_F(Import, several_files_of_several_families_are_one_revision) {
  const auto receipt = Receipt(
      registry.Import("tree", {{"a8w8_blockscale_bpreshuffle_tuned_gemm.csv", Csv({{}})},
                               {"model_configs/a8w8_blockscale_tuned_gemm_x.csv", Csv({{.m = 32}})},
                               {kTreeFile, Csv({{.m = 32, .us = "12"}, {}})},
                               {"README.md", "no table"},
                               {"configs/a new a8w8_blockscale_tuned_gemm.csv", Csv({{}})},
                               {"configs/new_a8w8_blockscale_tuned_gemm.csv", Csv({{.m = 64}})},
                               {"a8w8_blockscale_wide_tuned_gemm.csv", Csv({{.m = 64}})}}));
  EXPECT_EQ(receipt["revision"], 1);
  EXPECT_EQ(receipt["accepted"], 5);
  EXPECT_EQ(receipt["files"][2]["folded"], 1) << "the faster of one candidate's two rows stays";
  EXPECT_EQ(receipt["files"][3]["status"], "skipped");
  ASSERT_EQ(receipt["files"][4]["status"], "skipped") << "no table has a blank in its name";
  EXPECT_EQ(receipt["files"][4]["detail"],
            "directly in configs/ AITER reads only a8w8_blockscale_tuned_gemm.csv for "
            "a8w8_blockscale");
  EXPECT_EQ(receipt["files"][5]["family"], "unlisted") << "no family's file in configs/";
  EXPECT_EQ(receipt["files"][6]["family"], "unlisted") << "no family's token";
  EXPECT_EQ(registry.Winners(), "16 a 10.0 only_candidate\n32 a 10.0 only_candidate");
  EXPECT_EQ(Refusal(registry.Import("", {{"README.md", "no table"}})), "nothing_to_import");
}

}  // namespace
}  // namespace tunehub::test

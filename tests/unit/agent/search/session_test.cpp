// A session over a list of shapes. The tests check the spool after each shape and after a kill.
#include "agent/search/session.h"

#include <nlohmann/json.hpp>

#include "agent/search/tuning_bench.h"
#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"
#include "tests/unit/agent/search/tuning_support.h"

namespace tunehub::agent {
namespace {

using agent::test::FakeHub;
using agent::test::ReadText;
using agent::test::RealConfiguration;
using agent::test::TempFolder;
using test::FakeDevice;
using test::Kernel;
using test::Shape;
using testing::HasSubstr;

struct Silent : Observer {
  void Begin(std::size_t, std::size_t, const std::string&, std::size_t) override {}
  void Screened(const Measurement&) override {}
  void Finished(const DoneShape& done) override { finished.push_back(TextOf(done.shape)); }
  void Note(const std::string& text) override { notes.push_back(text); }
  core::Status status() const override { return wrote; }
  std::vector<std::string> finished, notes;
  core::Status wrote = core::Ok();
};

class TuningSession : public testing::Test {
 protected:
  TuningSession() {
    device_.kernels = {{Kernel("tk_a"), 90}, {Kernel("tk_b"), 40}, {Kernel("tk_c"), 60}};
    options_.family = configuration_.families.Find("a8w8");
    options_.target = {"cpu-x86-64-v3", 2};
    options_.journal = folder_ / "state/a8w8.journal";
    options_.spool = folder_.path() / "spool";
  }
  core::Result<Summary> Run(const std::vector<Columns>& shapes, HubClient* hub = nullptr,
                            const Incumbents& incumbents = {}) {
    auto spool = Must(Spool::Open(options_.spool));
    Outbox outbox(spool, hub, {});
    Neighbours neighbours;
    Session session(device_, outbox, neighbours, observer_, options_);
    const NewRun run{"run-" + std::to_string(++starts_), {{"gfx", options_.target.gfx}}};
    return session.Run(shapes, incumbents, run);
  }
  std::vector<Batch> Batches() const {
    std::vector<Batch> batches;
    for (const auto& path : Spool::Open(options_.spool)->Waiting()) {
      batches.push_back(*ParseBatch(ReadText(path)));
    }
    return batches;
  }

  TempFolder folder_;
  Configuration configuration_ = RealConfiguration();
  FakeDevice device_;
  SessionOptions options_;
  Silent observer_;
  int starts_ = 0;
};

TEST_F(TuningSession, each_shape_is_one_batch_with_its_samples_and_its_run) {
  EXPECT_EQ(Must(Run({Shape(16), Shape(32)})).tuned, 2U);
  const auto batches = Batches();
  ASSERT_EQ(batches.size(), 2U);
  EXPECT_EQ(batches[0].header.content_type, kJsonType);
  EXPECT_EQ(batches[0].header.new_run->key, "run-1");
  const auto rows = nlohmann::json::parse(batches[0].body)["rows"];
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1]["kernelName"], "tk_b");
  EXPECT_EQ(rows[1]["us"], "40.0");
  EXPECT_EQ(rows[1]["samples"].size(), 20U);
  EXPECT_EQ(rows[1]["gfx"], "cpu-x86-64-v3");
  EXPECT_EQ(rows[0]["is_default"], true);
  EXPECT_FALSE(rows[1].contains("is_default"));
  EXPECT_EQ(rows[1]["searched"], true);
  EXPECT_EQ(rows[0]["status"], "ok");
  EXPECT_FALSE(std::filesystem::exists(options_.journal)) << "no work is left";
}

TEST_F(TuningSession, on_a_gpu_the_rows_carry_the_times_hot_and_cold_also_after_a_kill) {
  options_.target = {"sm_90", 132};
  device_.on_gpu = true;
  ASSERT_TRUE(Run({Shape(16)}).ok());
  const auto row = nlohmann::json::parse(Batches()[0].body)["rows"][1];
  EXPECT_EQ(row["us_hot"], 20.0);
  EXPECT_EQ(row["us_cold"], 80.0);
  EXPECT_EQ(row["timing"], "graph");
  EXPECT_EQ(row["us_low"], 39.6);
  EXPECT_EQ(row["us_high"], 40.4);
  EXPECT_EQ(row["us_reference"], 1000.0);
  EXPECT_EQ(row["ended"], "interval; bounds: 1 %, default");
  EXPECT_EQ(row["clock"], "steady");
  EXPECT_FALSE(row.contains("clocks")) << "this device reports no clocks";
  Measurement measurement;
  measurement.us_hot = 20.5;
  measurement.ended = "limit";
  EXPECT_EQ(MeasurementOf(ToJson(measurement))->ended, "limit");
  EXPECT_EQ(MeasurementOf(ToJson(measurement))->us_hot, 20.5) << "the journal keeps the hot time";
  EXPECT_FALSE(ToJson(measurement).contains("us_cold")) << "no cold time was measured";
}

TEST_F(TuningSession, a_failed_candidate_is_stored_as_one_that_cannot_win) {
  device_.on_verify = [](std::size_t candidate) {
    return candidate == 1 ? core::Error{kCandidateFailed, "signal 11"} : core::Error{};
  };
  ASSERT_TRUE(Run({Shape(16)}).ok());
  const auto row = nlohmann::json::parse(Batches()[0].body)["rows"][1];
  EXPECT_EQ(row["us"], "-1");
  EXPECT_EQ(row["status"], "failed");
  EXPECT_EQ(row["reason"], "signal 11");
}

TEST_F(TuningSession, a_kill_in_the_middle_loses_nothing_and_doubles_nothing) {
  const std::vector<Columns> shapes = {Shape(16), Shape(32), Shape(64)};
  // Simulates a kill during the screening of the second shape's last candidate. The error is
  // kNoDevice, because it does not count as a kernel's failure.
  device_.on_verify = [this](std::size_t) {
    return device_.verified.size() == 5 ? core::Error{kNoDevice, "killed"} : core::Error{};
  };
  ASSERT_FALSE(Run(shapes).ok());
  const std::size_t verified = device_.verified.size();
  ASSERT_EQ(verified, 5U);
  device_.on_verify = nullptr;
  EXPECT_EQ(Must(Run(shapes)).tuned, 3U);
  EXPECT_EQ(device_.verified.size() - verified, 1U + 3U)
      << "the rest of the second shape, and the third shape";
  const auto batches = Batches();
  ASSERT_EQ(batches.size(), 3U);
  std::set<std::string> keys;
  for (const Batch& batch : batches) {
    keys.insert(batch.header.key);
    EXPECT_EQ(batch.header.new_run->key, "run-1")
        << "all batches belong to one run, even after kills";
    EXPECT_EQ(nlohmann::json::parse(batch.body)["rows"].size(), 3U);
  }
  EXPECT_EQ(keys.size(), 3U);
}

TEST_F(TuningSession, a_result_that_a_crash_kept_out_of_the_spool_goes_there_under_its_old_key) {
  device_.on_verify = [this](std::size_t) {
    return device_.prepared == 2 ? core::Error{kNoDevice, "killed"} : core::Error{};
  };
  ASSERT_FALSE(Run({Shape(16), Shape(32)}).ok());
  const auto before = Batches();
  ASSERT_EQ(before.size(), 1U);
  // The state after a kill, when the journal contains the measurements but the spool does not yet.
  std::string journal = ReadText(options_.journal);
  const auto spooled = journal.find("{\"spooled\"");
  ASSERT_NE(spooled, std::string::npos);
  folder_.Write("state/a8w8.journal", journal.substr(0, spooled) + "{\"shape\":\"M=3");
  std::filesystem::remove_all(options_.spool);
  device_.on_verify = nullptr;
  ASSERT_TRUE(Run({Shape(16), Shape(32)}).ok());
  const auto after = Batches();
  ASSERT_EQ(after.size(), 2U);
  EXPECT_EQ(after[0].header.key, before[0].header.key);
  EXPECT_EQ(after[0].body, before[0].body);
}

TEST_F(TuningSession,
       a_damaged_journal_is_kept_up_to_the_damage_and_the_rest_is_set_aside_and_measured_again) {
  options_.keep_journal = true;
  ASSERT_TRUE(Run({Shape(16), Shape(32)}).ok());
  const std::string journal = ReadText(options_.journal);
  const auto second = journal.find("{\"done\"", journal.find("{\"spooled\""));
  const auto cut = journal.rfind('\n', journal.find("M=32")) + 1;
  ASSERT_NE(second, std::string::npos);
  folder_.Write("state/a8w8.journal",
                journal.substr(0, cut) + "20 bytes of rubbish\n" + journal.substr(cut));
  device_.prepared = 0;
  EXPECT_EQ(Must(Run({Shape(16), Shape(32)})).tuned, 2U);
  EXPECT_EQ(device_.prepared, 1) << "the first shape was done before the damage";
  ASSERT_EQ(observer_.notes.size(), 1U);
  EXPECT_THAT(observer_.notes[0], HasSubstr("damaged from byte " + std::to_string(cut)));
  EXPECT_THAT(ReadText(options_.journal.string() + ".damaged"),
              testing::StartsWith("20 bytes of rubbish\n"));
  ASSERT_TRUE(Run({Shape(16), Shape(32)}).ok());
  EXPECT_EQ(device_.prepared, 1) << "the next session continues the journal";
}

TEST_F(TuningSession, a_journal_of_rubbish_is_begun_anew) {
  for (const char* rubbish :
       {"\x01\x02 20 bytes of rubb", "{}\n", "[1,2]\n{\"spooled\":\"x\"}\n"}) {
    folder_.Write("state/a8w8.journal", rubbish);
    EXPECT_EQ(Must(Run({Shape(16)})).tuned, 1U);
    EXPECT_EQ(observer_.notes.size(), 1U) << rubbish;
    observer_.notes.clear();
  }
}

TEST_F(TuningSession, what_is_tuned_already_is_skipped_unless_all_is_asked) {
  const Incumbents incumbents = {{TextOf(Shape(16)), {Kernel("tk_a")}}};
  auto summary = Run({Shape(16), Shape(32)}, nullptr, incumbents);
  EXPECT_EQ(summary->skipped, 1U);
  EXPECT_EQ(summary->tuned, 1U);
  options_.all = true;
  summary = Run({Shape(16), Shape(32)}, nullptr, incumbents);
  EXPECT_EQ(summary->tuned, 2U);
}

TEST_F(TuningSession, a_shape_that_no_kernel_supports_is_reported_and_the_rest_tuned) {
  device_.unsupported = {TextOf(Shape(16))};
  const auto summary = Run({Shape(16), Shape(32)});
  EXPECT_EQ(summary->unsupported, 1U);
  EXPECT_EQ(summary->tuned, 1U);
  EXPECT_EQ(summary->shapes[0].reason, "N must be even");
}

TEST_F(TuningSession, a_hub_that_is_down_delays_nothing) {
  FakeHub hub;  // never answers
  const auto summary = Run({Shape(16), Shape(32), Shape(64)}, &hub);
  EXPECT_EQ(summary->tuned, 3U);
  EXPECT_EQ(Batches().size(), 3U);
  EXPECT_EQ(hub.requests.size(), 1U) << "one try, then a pause";
}

TEST_F(TuningSession, tuning_stops_before_a_disk_is_too_full_for_its_results) {
  options_.least_free_bytes = ~std::uintmax_t{0};
  EXPECT_EQ(ErrorCode(Run({Shape(16)})), "disk_full");
  EXPECT_EQ(device_.prepared, 0);
}

TEST_F(TuningSession, a_spool_that_takes_no_more_ends_the_tuning_and_the_journal_has_the_result) {
  folder_.Write("spool", "a file where the folder should be");
  SessionOptions options = options_;
  options.spool = folder_.path();
  auto spool = Spool::Open(folder_.path() / "elsewhere");
  std::filesystem::remove_all(folder_.path() / "elsewhere");
  Outbox outbox(*spool, nullptr, {});
  Neighbours neighbours;
  Session session(device_, outbox, neighbours, observer_, options);
  EXPECT_EQ(ErrorCode(session.Run({Shape(16), Shape(32)}, {}, {"run", {{"gfx", "x"}}})),
            "file_unwritable");
  EXPECT_EQ(device_.prepared, 1);
  EXPECT_THAT(ReadText(options_.journal), HasSubstr("\"done\""));
}

TEST_F(TuningSession,
       a_file_that_could_not_be_written_is_written_by_the_next_start_from_the_journal) {
  observer_.wrote = core::Error{"file_unwritable", "tuned.csv: No space left on device"};
  EXPECT_EQ(Run({Shape(16)}).error().code, "file_unwritable");
  observer_ = {};
  device_.verified.clear();
  Must(Run({Shape(16)}));
  EXPECT_EQ(observer_.finished.size(), 1U);
  EXPECT_TRUE(device_.verified.empty()) << "no candidate is measured twice";
  EXPECT_EQ(Batches().size(), 1U);
}

TEST_F(TuningSession, two_tuners_do_not_share_a_journal) {
  const auto first = Must(Journal::Open(options_.journal, {"run", {{"gfx", "x"}}}));
  EXPECT_EQ(ErrorCode(Run({Shape(16)})), "journal_in_use");
}

TEST_F(TuningSession, the_tuned_table_keeps_its_other_rows_and_the_profile_has_every_candidate) {
  const std::string tuned =
      folder_.Write("tuned.csv",
                    "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
                    "gfx942,304,16,1280,5120,torch.int8,7,0,12.5,a8w8_rowwise_x,1.0,2.0,0.0\n");
  auto file = Must(TunedFile::Open(*options_.family, configuration_.targets, tuned));
  Silent silent;
  Outputs outputs(*options_.family, options_.target, std::move(file), silent);
  ASSERT_TRUE(outputs.OpenProfile(folder_ / "profile.csv").ok());
  DoneShape done;
  done.shape = Shape(16);
  done.measurements = {{Kernel("tk_b"), Outcome::kOk, 0.001, {40, 41, 42}, ""},
                       {Kernel("tk_c"), Outcome::kBroken, 1, {}, "signal 11"}};
  done.winner = 0;
  outputs.Finished(done);
  ASSERT_TRUE(outputs.status().ok()) << outputs.status().error().detail;
  const std::string text = ReadText(tuned);
  EXPECT_THAT(text, HasSubstr("a8w8_rowwise_x"));
  EXPECT_THAT(text, HasSubstr("cpu-x86-64-v3,2,16,1280,5120,torch.int8,-1,0,41.0,tk_b,"));
  const std::string profile = ReadText(folder_ / "profile.csv");
  EXPECT_EQ(std::count(profile.begin(), profile.end(), '\n'), 3);
  // Known() adds only shapes that the file lacks.
  const std::string here = "cpu-x86-64-v3,2,16,1280,5120,torch.int8,-1,0,39.0,tk_x,1.0,2.0,0.0",
                    more = "cpu-x86-64-v3,2,32,1280,5120,torch.int8,-1,0,50.0,tk_y,1.0,2.0,0.0";
  const auto rows =
      Must(ReadTunedRows(*options_.family, configuration_.targets,
                         options_.family->Header(true) + "\n" + here + "\n" + more + "\n"));
  outputs.Known(rows);
  const std::string filled = ReadText(tuned);
  EXPECT_THAT(filled, HasSubstr(",41.0,tk_b,"));
  EXPECT_THAT(filled, testing::Not(HasSubstr("tk_x")));
  EXPECT_THAT(filled, HasSubstr(more));
}

}  // namespace
}  // namespace tunehub::agent

// `tunehub-agent selftest` on this machine's CPU. One test uses a worker with a wrong kernel.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/program.h"
#include "tests/support/temp_dir.h"

namespace tunehub::test {
namespace {

using testing::HasSubstr;

Finished RunSelftest(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "selftest");
  return RunToEnd({AgentBinary(), arguments});
}

TEST(Selftest, every_kernel_that_this_cpu_has_is_right) {
  const auto done =
      RunSelftest({"--device", "cpu", "--family", "batched_a8w8", "--family", "fmoe", "--json"});
  ASSERT_EQ(done.status, 0) << done.err << done.out;
  const auto report = nlohmann::json::parse(done.out);
  EXPECT_EQ(report["passed"], true);
  EXPECT_THAT(report["device"]["gfx"].get<std::string>(), HasSubstr("cpu-x86-64-"));
  ASSERT_EQ(report["families"].size(), 2U);
  for (const auto& family : report["families"]) {
    EXPECT_GT(family["ok"], 5) << family;
    EXPECT_GE(family["runs"], family["ok"]);
    EXPECT_EQ(family["wrong"].get<int>() + family["failed"].get<int>(), 0) << family;
  }
}

TEST(Selftest, without_a_gpu_it_says_so_and_tests_the_cpu_unless_the_gpu_was_asked_for) {
  if (RunSelftest({"--device", "gpu", "--family", "bf16"}).status == 0)
    GTEST_SKIP() << "this host has a GPU";
  const auto done = RunSelftest({"--family", "a4w4_blockscale"});
  EXPECT_EQ(done.status, 0) << done.out;
  EXPECT_THAT(done.err, HasSubstr("tunehub-agent selftest: no GPU: "));
  EXPECT_THAT(done.err, HasSubstr("; testing the CPU\n"));
  EXPECT_THAT(done.out, HasSubstr("device: "));
  EXPECT_THAT(done.out, HasSubstr("a4w4_blockscale: "));
  EXPECT_THAT(done.out, HasSubstr("passed: "));
  const auto asked = RunSelftest({"--device", "gpu:7"});
  EXPECT_EQ(asked.status, 2);
  EXPECT_THAT(asked.err, HasSubstr("(no_device)"));
  EXPECT_EQ(asked.out, "");
}

TEST(Selftest, what_is_no_device_or_no_family_is_said) {
  const auto device = RunSelftest({"--device", "gpu:one"});
  EXPECT_EQ(device.status, 2);
  EXPECT_THAT(device.err, HasSubstr("--device gpu:one: expected auto, cpu, gpu or gpu:INDEX"));
  const auto family = RunSelftest({"--device", "cpu", "--family", "chunk_gdn_h"});
  EXPECT_EQ(family.status, 2);
  EXPECT_THAT(family.err, HasSubstr("tunehub has no kernel of the family chunk_gdn_h"));
}

constexpr char kWorker[] = R"(#!/usr/bin/python3
import json, sys
names = ["tk_right", "tk_wrong"]
for line in sys.stdin:
    ask = json.loads(line)
    answer = {"error": 0.5 * ask.get("candidate", 0), "wrong": ""}
    if ask["do"] == "kernels": answer = {"kernels": names if ask["family"] == "bf16" else []}
    if ask["do"] == "prepare":
        answer = {"candidates": [{"kernelName": n} for n in names], "fallback": 0}
    if ask["do"] == "sample": answer = {"us": 5.0}
    print(json.dumps(answer), flush=True)
)";

TEST(Selftest, one_kernel_of_a_worker_that_is_wrong_is_named_and_is_the_exit_code) {
  const TempDir folder;
  const std::string worker = folder.Write("worker.py", kWorker);
  std::filesystem::permissions(worker, std::filesystem::perms::owner_all);
  const auto done = RunSelftest({"--worker", worker});
  EXPECT_EQ(done.status, 1) << done.err;
  EXPECT_THAT(done.out, HasSubstr(": 1 ok, 1 wrong, 0 failed, 0 not valid here\n"));
  EXPECT_THAT(done.out, HasSubstr("  wrong: tk_wrong on "));
  EXPECT_THAT(done.out, HasSubstr("not passed: 1 of 2 kernels computed wrong results or failed\n"));
}

}  // namespace
}  // namespace tunehub::test

#pragma once

#include <string>

#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {

class QueueHubTest : public HubTest {
 protected:
  static void SetUpTestSuite() {
    HubTest::SetUpTestSuite();
    claim_key_ = server_->NewKey("claim");
    read_key_ = server_->NewKey("read");
  }

  static HttpClient Agent() { return server_->Client(claim_key_); }

  // Makes a job for a target that only this test uses.
  static std::int64_t NewJob(const std::string& gfx, const std::string& extra = "") {
    const RawAnswer answer = Good(
        Admin().Post("/jobs", R"({"family":"a8w8_blockscale","gfx":")" + gfx +
                                  R"(","shapes":[{"M":16,"N":"1280","K":5120.0}])" + extra + "}"),
        201);
    return JsonOf(answer).at("id");
  }
  static RawAnswer Claim(const std::string& agent, const std::string& gfx) {
    return Agent().Post("/jobs/claim",
                        R"({"agent":")" + agent + R"(","gfx":")" + gfx + R"(","cu_num":304})");
  }
  static RawAnswer Say(const std::string& step, std::int64_t job, const std::string& agent,
                       int epoch, const std::string& extra = "") {
    return Agent().Post(
        "/jobs/" + std::to_string(job) + "/" + step,
        R"({"agent":")" + agent + R"(","epoch":)" + std::to_string(epoch) + extra + "}");
  }

  static std::string claim_key_, read_key_;
};

inline std::string QueueHubTest::claim_key_;
inline std::string QueueHubTest::read_key_;

}  // namespace tunehub::test

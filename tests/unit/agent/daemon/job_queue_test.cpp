// What the daemon takes for a job.
#include "agent/daemon/job_queue.h"

#include <fmt/core.h>

#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent {
namespace {

TEST(JobQueue, a_job_with_a_number_that_cannot_be_is_none) {
  const auto code = [](const char* id, const char* epoch, const char* lease) {
    agent::test::FakeHub hub;
    hub.answers = {
        {200,
         {},
         fmt::format(
             R"({{"id":{},"family":"a8w8","shapes":[],"lease":{{"epoch":{},"seconds":{}}}}})", id,
             epoch, lease)}};
    return ErrorCode(JobQueue(hub, {}, {}).Claim({}, false));
  };
  EXPECT_EQ(code("7", "1", "60.5"), "");
  for (const char* number : {"1e300", "-1", "0", "null"}) {
    EXPECT_EQ(code(number, "1", "60"), "bad_answer") << number;
    EXPECT_EQ(code("7", number, "60"), "bad_answer") << number;
    EXPECT_EQ(code("7", "1", number), "bad_answer") << number;
  }
  EXPECT_EQ(code("7.5", "1", "60"), "bad_answer");
}

}  // namespace
}  // namespace tunehub::agent

// What is not tunehub's own word, how it is named, and that it is tried again.
#include "agent/hub/between.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/hub/problem.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent {
namespace {

using test::FakeHub;
using test::RecordedPauses;
using testing::HasSubstr;
using testing::SizeIs;

const Answer kOfHub{404, {}, R"({"type":"about:blank","status":404,"code":"no_rows"})"};
const Answer kPage{404, {{"content-type", "text/html"}, {"server", "nginx"}}, "<html>"};

core::Result<Answer> Sent(std::deque<Answer> answers, RecordedPauses& pauses, std::size_t& asked) {
  FakeHub hub;
  hub.answers = std::move(answers);
  auto answer = SendWithRetries(hub, {"GET", "/tuned/fmoe", {}, ""}, {.tries = 4}, pauses.pauses);
  asked = hub.requests.size();
  return answer;
}

TEST(Between, AnyStatusOfAnotherIsTriedAgainUntilTheHubAnswers) {
  for (int status : {200, 301, 400, 401, 403, 404, 405, 409, 413, 422, 500, 502, 503, 504}) {
    Answer foreign = kPage;
    foreign.status = status;
    RecordedPauses pauses;
    std::size_t asked = 0;
    const auto answer = Sent({foreign, foreign, kOfHub}, pauses, asked);
    ASSERT_TRUE(answer.ok()) << status;
    EXPECT_EQ(ProblemOf(*answer).code, "no_rows") << status;
    EXPECT_EQ(asked, 3U) << status;
  }
}

TEST(Between, WhatTheHubRefusesIsNotAskedAgain) {
  RecordedPauses pauses;
  std::size_t asked = 0;
  ASSERT_TRUE(Sent({kOfHub, kPage}, pauses, asked).ok());
  EXPECT_EQ(asked, 1U);
}

TEST(Between, AtTheEndOfTheTriesItIsNamed) {
  Answer foreign = kPage;
  foreign.headers["retry-after"] = "7";
  RecordedPauses pauses;
  std::size_t asked = 0;
  const auto answer = Sent({foreign, foreign, foreign, foreign, kOfHub}, pauses, asked);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, kHubUnavailable);
  EXPECT_THAT(answer.error().detail, HasSubstr("something between this agent and the hub (nginx) "
                                               "answered 404 as text/html"));
  EXPECT_EQ(asked, 4U);
  ASSERT_THAT(pauses.slept, SizeIs(3));
  EXPECT_EQ(pauses.slept[0], std::chrono::seconds(7)) << "what it asks for is granted";
}

TEST(Between, ABodyTooLargeForItIsACodeOfItsOwn) {
  Answer foreign = kPage;
  foreign.status = 413;
  const auto error = ErrorOfBetween(foreign);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, kTooLargeBetween);
  foreign.headers = {{"content-type", "application/problem+json"}};
  foreign.body = R"({"status":413,"code":"body_too_large"})";
  EXPECT_FALSE(ErrorOfBetween(foreign));
}

TEST(Between, TheHubsOwnAnswersAreNot) {
  for (const Answer& answer :
       {Answer{304, {}, ""}, Answer{204, {}, ""}, Answer{200, {{"content-type", "text/csv"}}, "a"},
        Answer{200, {}, ""}}) {
    EXPECT_FALSE(ErrorOfBetween(answer)) << answer.status;
  }
}

}  // namespace
}  // namespace tunehub::agent

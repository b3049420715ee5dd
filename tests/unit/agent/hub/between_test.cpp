// What the hub itself says. tests/e2e/agent/proxy_test.cpp has what others say in its place.
#include <gtest/gtest.h>

#include "agent/hub/hub_client.h"

namespace tunehub::agent {
namespace {

TEST(Between, the_hubs_own_answers_are_not) {
  for (const Answer& answer :
       {Answer{304, {}, ""}, Answer{204, {}, ""}, Answer{200, {{"content-type", "text/csv"}}, "a"},
        Answer{200, {}, ""}}) {
    EXPECT_FALSE(ErrorOfBetween(answer)) << answer.status;
  }
}

}  // namespace
}  // namespace tunehub::agent

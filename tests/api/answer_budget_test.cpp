// If unsent answers exceed their budget, the server ends slow answers of the client with the most
// bytes.
#include "server/http/answer_budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

namespace tunehub::http {
namespace {

constexpr std::size_t kBody = AnswerBudget::kLeastCounted;

AnswerBudget::Body Body() {
  return std::make_shared<const std::string>(kBody, 'x');
}

TEST(AnswerBudgetTest, ends_what_the_largest_client_has_above_the_limit_and_no_more) {
  AnswerBudget budget(2 * kBody, 100);
  AnswerCharge modest(budget), first(budget), second(budget), third(budget);
  EXPECT_TRUE(modest.Take("modest", Body(), false));
  EXPECT_TRUE(first.Take("greedy", Body(), false));
  EXPECT_FALSE(first.Shed());  // the answers fit into the budget
  EXPECT_TRUE(second.Take("greedy", Body(), false));
  EXPECT_TRUE(third.Take("greedy", Body(), false));
  EXPECT_FALSE(modest.Shed());
  EXPECT_TRUE(first.Shed());
  EXPECT_TRUE(second.Shed());
  EXPECT_FALSE(third.Shed());
  EXPECT_FALSE(modest.Shed());
  EXPECT_EQ(budget.bytes(), 2 * kBody);
}

// While this reactor checks, the other reactor may close the greedy client's answer. The modest
// client then has as many bytes as any other client, but must keep its answer.
TEST(AnswerBudgetTest, of_two_reactors_that_ask_at_once_neither_ends_an_answer_too_many) {
  for (int i = 0; i < 2'000; ++i) {
    AnswerBudget budget(2 * kBody, 100);
    AnswerCharge modest(budget), first(budget), second(budget);
    ASSERT_TRUE(modest.Take("modest", Body(), false));
    ASSERT_TRUE(first.Take("greedy", Body(), false));
    ASSERT_TRUE(second.Take("greedy", Body(), false));
    std::atomic<bool> asked = false;
    bool ended = false;
    std::thread other([&] {
      ended = first.Shed();
      asked = true;
    });
    int lost = 0;
    while (!asked) lost += modest.Shed() ? 1 : 0;
    other.join();
    ASSERT_EQ(lost, 0) << i;
    EXPECT_TRUE(ended);
  }
}

}  // namespace
}  // namespace tunehub::http

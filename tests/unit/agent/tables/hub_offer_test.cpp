// What a hub's rows are asked by, and which of its refusals say no more than that it has none.
#include "agent/tables/contribution.h"
#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

class HubOfferTest : public CommandTest {
 protected:
  core::Result<Offer> Read(const std::vector<std::string>& named) {
    return OfferOfHub(configuration_, hub_, retry_, pauses_.pauses, named, {});
  }

  const RetryPolicy retry_{.tries = 1};
};

constexpr char kOfferTable[] = "a8w8_blockscale";

TEST_F(HubOfferTest, a_family_that_the_model_does_not_ask_has_no_rows) {
  const Answer kNone{422, {}, R"({"code":"no_products","detail":"none"})"},
      kOther{422, {}, R"({"code":"unsupported_family","detail":"none"})"},
      kRows{200, {}, kBlockscaleHeader + BlockscaleRow(16, "4.25")};
  bool other = false;
  for (const auto& family : configuration_.families.all()) {
    if (family->env.empty() || family->objective == core::kNoColumn) continue;
    other = !other;
    hub_.answers.push_back(family->name == kOfferTable ? kRows : other ? kOther : kNone);
  }
  const auto offer = Must(Read({}));
  ASSERT_EQ(offer.rows.size(), 1U);
  EXPECT_EQ(offer.rows[0].first->name, kOfferTable);
  hub_.answers = {kNone};
  EXPECT_EQ(Read({kOfferTable}).error().code, "no_products") << "who named it is told";
  EXPECT_EQ(Read({"nosuch"}).error().code, "unknown_family");
}

TEST_F(HubOfferTest, any_other_refusal_ends_it) {
  hub_.answers = {{422, {}, R"({"code":"unknown_model","detail":"none"})"}};
  EXPECT_EQ(Read({}).error().code, "unknown_model");
}

}  // namespace
}  // namespace tunehub::agent::test

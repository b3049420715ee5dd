// What a hub's rows are asked by, and which of its refusals say no more than that it has none.
#include "agent/commands/contribute/hub_offer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent {
namespace {

using test::BlockscaleRow;
using test::kBlockscaleHeader;

class HubOfferTest : public testing::Test {
 protected:
  core::Result<Offer> Read(bool named) {
    HubAsked asked;
    for (const char* name : {"batched_a8w8", "chunk_gdn_h", "a8w8_blockscale"}) {
      asked.families.push_back(configuration_.families.Find(name));
    }
    asked.named = named;
    HubOffer offer(configuration_, hub_, retry_, pauses_.pauses);
    return offer.Read(asked, "http://hub:8080");
  }

  const Configuration configuration_ = test::RealConfiguration();
  test::FakeHub hub_;
  test::RecordedPauses pauses_;
  const RetryPolicy retry_{.tries = 1};
};

TEST_F(HubOfferTest, AFamilyThatTheModelDoesNotAskHasNoRows) {
  const Answer kNone{422, {}, R"({"code":"no_products","detail":"none"})"},
      kOther{422, {}, R"({"code":"unsupported_family","detail":"none"})"},
      kTable{200, {}, kBlockscaleHeader + BlockscaleRow(16, "4.25")};
  hub_.answers = {kNone, kOther, kTable};
  const auto offer = Read(false);
  ASSERT_TRUE(offer.ok()) << offer.error().detail;
  ASSERT_EQ(offer->families.size(), 1U);
  EXPECT_EQ(offer->families[0].family->name, "a8w8_blockscale");
  hub_.answers = {kNone, kOther, kTable};
  EXPECT_EQ(Read(true).error().code, "no_products") << "who named it is told";
}

TEST_F(HubOfferTest, AnyOtherRefusalEndsIt) {
  hub_.answers = {{422, {}, R"({"code":"unknown_model","detail":"none"})"}};
  EXPECT_EQ(Read(false).error().code, "unknown_model");
}

}  // namespace
}  // namespace tunehub::agent

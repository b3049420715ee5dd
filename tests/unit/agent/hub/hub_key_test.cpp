// An agent accepts signatures of the trusted key, and of keys that its rotations lead to.
#include "agent/hub/hub_key.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/unit/agent/agent_support.h"
#include "tests/unit/agent/bundle_support.h"

namespace tunehub::agent::test {
namespace {

const core::Pin kPin{7, std::string(32, 'a')};
const std::string kAsked = "/tuned/fmoe?gfx=gfx942";

// A hub that has used these keys. Each key is signed by the previous key.
struct HubKeyTest : testing::Test {
  core::SecretKey first = NewSecret(), second = NewSecret(), third = NewSecret();
  nlohmann::json keys = nlohmann::json::array();
  int asked = 0;
  std::string bytes = "a\n1\n";

  HubKeyTest() {
    Add(first, "");
    Add(second, Word(first, second));
    Add(third, Word(second, third));
  }
  static std::string Word(const core::SecretKey& old_key, const core::SecretKey& key) {
    return old_key.Sign(key.public_key().Text(), core::RotationStatement(key.public_key()));
  }
  void Add(const core::SecretKey& key, const std::string& rotation) {
    keys.push_back({{"public_key", key.public_key().Text()}, {"rotation", rotation}});
  }
  HubKey Trusting(const std::string& known, const std::string& given = "") {
    return Must(HubKey::Of(given, known, [this](const std::string&) -> core::Result<std::string> {
      ++asked;
      return nlohmann::json{{"keys", keys}}.dump();
    }));
  }
  std::string Signed(const core::SecretKey& by) const {
    return core::SignAnswer(by, kPin, kAsked, bytes);
  }
  // Returns the error's code, or "" without an error.
  std::string Code(HubKey key, const std::string& signature) const {
    const auto checked = key.Check(signature, bytes, kAsked, kPin);
    return checked.ok() ? "" : checked.error().code;
  }
};

TEST_F(HubKeyTest, the_first_signature_brings_the_key_and_no_other_is_taken_then) {
  HubKey key = Trusting("");
  EXPECT_EQ(Must(key.Check(Signed(third), bytes, kAsked, kPin)), kPin);
  EXPECT_EQ(key.Text(), third.public_key().Text());
  EXPECT_EQ(Code(Trusting(""), Signed(NewSecret())), "other_key")
      << "the hub does not list this key";
  asked = 0;
  EXPECT_EQ(Code(Trusting(key.Text()), Signed(third)), "");
  EXPECT_EQ(asked, 0);
}

TEST_F(HubKeyTest, a_changed_key_is_taken_by_the_word_of_each_key_before) {
  HubKey key = Trusting(first.public_key().Text());
  EXPECT_EQ(Must(key.Check(Signed(third), bytes, kAsked, kPin)), kPin);
  EXPECT_EQ(key.Text(), third.public_key().Text());
  EXPECT_EQ(Code(Trusting(third.public_key().Text()), Signed(second)), "other_key")
      << "a replaced key may be stolen";
}

TEST_F(HubKeyTest, a_key_that_changed_without_the_old_ones_word_is_refused) {
  for (const std::string& word :
       {std::string(), Word(first, third), Word(third, second), std::string("nonsense")}) {
    keys[1]["rotation"] = word;
    EXPECT_EQ(Code(Trusting(first.public_key().Text()), Signed(second)), "other_key") << word;
  }
  keys.erase(0);
  EXPECT_EQ(Code(Trusting(first.public_key().Text()), Signed(second)), "other_key");
  EXPECT_EQ(Code(Trusting(first.public_key().Text(), second.public_key().Text()), Signed(second)),
            "")
      << "--trust";
  keys = {{{"public_key", 7}}};
  EXPECT_EQ(Code(Trusting(first.public_key().Text()), Signed(second)), "bad_answer");
}

TEST_F(HubKeyTest, is_given_as_a_text_a_file_or_a_lock_file) {
  const TempFolder dir;
  const std::string text = first.public_key().Text();
  EXPECT_EQ(Trusting("", text).Text(), text);
  EXPECT_EQ(Trusting("", dir.Write("pub", "untrusted comment: x\n" + text + "\n")).Text(), text);
  EXPECT_EQ(Trusting("", dir.Write("lock", R"({"tables":[],"key":")" + text + "\"}")).Text(), text);
  for (const std::string& bad :
       {std::string("RWQ"), dir.Write("junk", "RWQ\n"), dir.Write("keyless", R"({"tables":[]})")}) {
    EXPECT_EQ(HubKey::Of(bad, "", {}).error().code, "bad_public_key") << bad;
  }
}

}  // namespace
}  // namespace tunehub::agent::test

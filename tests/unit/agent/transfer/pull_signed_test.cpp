// Before it writes, pull checks the hub's signature: the requested content, signed by the known
// key.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "agent/hub/lock_file.h"
#include "core/base/encoding.h"
#include "tests/support/result.h"
#include "tests/unit/agent/bundle_support.h"
#include "tests/unit/agent/transfer/pull_support.h"
#include "tests/unit/agent/tree_support.h"

namespace tunehub::agent::test {
namespace {

const std::string kSignedToken(32, 'b');
const std::string kSignedBody = "h\n1\n";

core::Pin PinOf(std::int64_t number) {
  return {number, kSignedToken};
}

class SignedPull : public PullTest {
 protected:
  SignedPull() {
    options_.family = "fmoe";
    options_.gfx = "gfx942";
    options_.output = folder_ / "out.csv";
    options_.lock = folder_ / "tunehub.lock";
  }

  static Answer Table(const core::Pin& pin, const std::string& signature,
                      const std::string& body = kSignedBody) {
    Answer answer{200, {{"content-type", "text/csv"}, {"tunehub-pin", pin.Text()}}, body};
    if (!signature.empty()) answer.headers["tunehub-signature"] = core::Base64(signature);
    return answer;
  }
  std::string Sign(const core::Pin& pin,
                   const std::string& asked = "/tuned/fmoe?gfx=gfx942") const {
    return core::SignAnswer(secret_, pin, asked, kSignedBody);
  }
  // Pulls the newest revision, and again by its pin.
  int PullAt(std::int64_t number) {
    hub_.answers = {Table(PinOf(number), ""), Table(PinOf(number), Sign(PinOf(number)))};
    if (Lock().key.empty()) hub_.answers.push_back(KeysOf({secret_}));
    return Run();
  }
  LockFile Lock() const { return Must(LockFile::Load(options_.lock)); }
  // Runs with these answers. Expects a refusal with `code`, and no change.
  void Refused(const std::string& code, std::deque<Answer> answers) {
    const auto before = tunehub::test::FilesBelow(folder_.path());
    hub_.answers = std::move(answers);
    EXPECT_EQ(Run(), kFailed) << code;
    EXPECT_THAT(console_.err.str(), HasSubstr(code));
    EXPECT_EQ(tunehub::test::FilesBelow(folder_.path()), before) << code;
  }

  core::SecretKey secret_ = NewSecret();
};

TEST_F(SignedPull, the_lock_names_the_key_of_the_first_pull_and_minisign_finds_the_signature) {
  ASSERT_EQ(PullAt(7), kGood) << console_.err.str();
  EXPECT_EQ(Lock().key, secret_.public_key().Text());
  EXPECT_EQ(ReadText(options_.output + ".minisig"), Sign(PinOf(7)));
  hub_.answers = {Table(PinOf(7), Sign(PinOf(7)))};
  EXPECT_EQ(Run(), kGood) << "the locked revision needs no request for the key";
  EXPECT_EQ(console_.err.str(), "");
}

TEST_F(SignedPull, what_the_key_has_not_signed_is_not_written) {
  ASSERT_EQ(PullAt(7), kGood);
  const core::Pin pin = PinOf(7);
  Refused("unsigned", {Table(pin, "")});
  Refused("bad_signature", {Table(pin, Sign(pin).substr(0, 250))});
  Refused("bad_signature", {Table(pin, Sign(pin) + "x\n")});
  Refused("other_statement", {Table(pin, Sign(pin, "/tuned/fmoe?gfx=gfx950"))});
  Refused("other_statement", {Table(pin, Sign(PinOf(6)))});
  options_.update_lock = true;
  Refused("bad_signature",
          {Table(PinOf(8), "", "h\n2\n"), Table(PinOf(8), Sign(PinOf(8)), "h\n2\n")});
  secret_ = NewSecret();
  Refused("other_key", {Table(PinOf(8), ""), Table(PinOf(8), Sign(PinOf(8))), KeysOf({secret_})});
  options_.trust = secret_.public_key().Text();
  EXPECT_EQ(PullAt(8), kGood) << console_.err.str();
  EXPECT_EQ(Lock().key, options_.trust);
}

TEST_F(SignedPull, a_moving_lock_refuses_an_older_revision_unless_it_is_allowed) {
  ASSERT_EQ(PullAt(7), kGood);
  options_.update_lock = true;
  Refused("older_revision", {Table(PinOf(6), ""), Table(PinOf(6), Sign(PinOf(6)))});
  options_.update_lock = false;
  options_.gfx = "gfx950";
  Refused("older_revision",
          {Table(PinOf(6), ""), Table(PinOf(6), Sign(PinOf(6), "/tuned/fmoe?gfx=gfx950"))});
  options_.gfx = "gfx942";
  options_.update_lock = options_.allow_older = true;
  EXPECT_EQ(PullAt(6), kGood) << console_.err.str();
  EXPECT_EQ(Lock().tables.front().revision, PinOf(6));
}

TEST_F(SignedPull, a_channel_is_followed_and_never_to_an_older_statement) {
  const auto channel = [&](int sequence, const core::Pin& pin, const std::string& name = "stable") {
    const std::string text =
        fmt::format("{} {} {} 2026-01-31T12:00:00Z\n", name, sequence, pin.Text());
    const nlohmann::json json = {
        {"statement", text},
        {"signature", core::SignAnswer(secret_, pin, "/channels/stable", text)}};
    return Answer{200, {}, json.dump()};
  };
  options_.channel = "stable";
  hub_.answers = {channel(3, PinOf(7)), KeysOf({secret_}), Table(PinOf(7), Sign(PinOf(7)))};
  ASSERT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(Lock().tables.front().channel, "stable");
  EXPECT_EQ(Lock().tables.front().sequence, 3);
  options_.update_lock = true;
  Refused("older_statement", {channel(2, PinOf(8))});
  Refused("bad_answer", {channel(4, PinOf(8), "canary")});
  Answer forged = channel(4, PinOf(8));
  forged.body.replace(forged.body.find("stable 4"), 8, "stable 9");
  Refused("bad_signature", {forged});
  Refused("unknown_channel",
          {{404, {}, R"({"status":404,"code":"unknown_channel","detail":"x"})"}});
  hub_.answers = {channel(4, PinOf(6)), Table(PinOf(6), Sign(PinOf(6)))};
  EXPECT_EQ(Run(), kGood) << "rolled back: " << console_.err.str();
  EXPECT_EQ(Lock().tables.front().revision, PinOf(6));
  options_.allow_older = true;
  hub_.answers = {channel(2, PinOf(8)), Table(PinOf(8), Sign(PinOf(8)))};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  options_.channel = "Stable";
  Refused("bad_options", {});
}

TEST_F(SignedPull, an_older_hub_is_said_to_sign_nothing) {
  hub_.answers = {Table(PinOf(7), ""), Table(PinOf(7), "")};
  EXPECT_EQ(Run(), kGood);
  EXPECT_EQ(console_.err.str(),
            "tunehub-agent pull: unsigned: this hub is older and signs no answers\n");
  EXPECT_EQ(Lock().key, "");
  options_.lock.clear();
  options_.trust = secret_.public_key().Text();
  Refused("unsigned", {Table(PinOf(7), ""), Table(PinOf(7), "")});
  options_.lock = folder_.Write("bad.lock", R"({"key":"RWQ","tables":[]})");
  Refused("bad_lock", {});
}

TEST_F(SignedPull, a_trees_sums_are_signed) {
  options_.family.clear();
  options_.gfx.clear();
  options_.reader = "vllm";
  options_.output = folder_ / "configs";
  configuration_ = ShortReaderConfiguration();
  const auto tree = [&](const std::string& asked) {
    return SignedArchive(TreeOf({{"E=8.json", R"({"1":{"BLOCK_SIZE_M":16}})"}}), secret_, PinOf(7),
                         asked);
  };
  hub_.answers = {tree("/tree/vllm"), tree("/tree/vllm"), KeysOf({secret_})};
  ASSERT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(Lock().key, secret_.public_key().Text());
  options_.update_lock = true;
  const Answer others = tree("/tree/vllm?device=MI250X");
  Refused("other_statement", {others, others});
}

}  // namespace
}  // namespace tunehub::agent::test

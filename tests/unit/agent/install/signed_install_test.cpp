// install checks the signature of the files that it puts into a tree, and records the key there.
#include "agent/install/commands.h"
#include "tests/unit/agent/agent_support.h"
#include "tests/unit/agent/bundle_support.h"

namespace tunehub::agent::test {
namespace {

constexpr char kSignedTable[] = "a8w8_blockscale_tuned_gemm.csv";

class SignedInstall : public CommandTest {
 protected:
  SignedInstall() {
    folder_.Write(std::string("aiter/configs/") + kSignedTable,
                  kBlockscaleHeader + BlockscaleRow(16, "4.5"));
    options_.folder = folder_.path();
    options_.hub = "http://hub";
    options_.any_build = true;
    options_.gpu_archs = "gfx942";
  }
  Answer Bundle(std::int64_t revision, const std::string& asked, const core::SecretKey& by) const {
    return SignedArchive(unsigned_, by, {revision, std::string(32, 'a')}, asked);
  }
  int Run(std::deque<Answer> answers) {
    console_.Clear();
    hub_.answers = std::move(answers);
    return Install(configuration_, options_, hub_, pauses_.pauses, console_.console);
  }
  void Refused(const std::string& code, const Answer& answer) {
    const auto before = tunehub::test::FilesBelow(folder_.path());
    EXPECT_EQ(Run({answer, KeysOf({secret_})}), kFailed) << code;
    EXPECT_THAT(console_.err.str(), HasSubstr(code));
    EXPECT_EQ(tunehub::test::FilesBelow(folder_.path()), before) << code;
  }

  const std::string asked_ = "/bundle?gpu_archs=gfx942";
  const Answer unsigned_ =
      BundleOf({{kSignedTable, kBlockscaleHeader + BlockscaleRow(16, "4.25")}});
  const core::SecretKey secret_ = NewSecret();
  InstallOptions options_;
};

TEST_F(SignedInstall, remembers_the_key_and_refuses_what_it_has_not_signed) {
  ASSERT_EQ(Run({Bundle(7, asked_, secret_), KeysOf({secret_})}), kGood) << console_.err.str();
  EXPECT_EQ(console_.err.str(), "");
  Refused("other_key", Bundle(8, asked_, NewSecret()));
  Refused("other_statement", Bundle(8, "/bundle?gpu_archs=gfx950", secret_));
  Refused("unsigned", unsigned_);
  Refused("older_revision", Bundle(6, asked_, secret_));
  EXPECT_EQ(Run({Bundle(8, asked_, secret_)}), kGood) << console_.err.str();
  options_.allow_older = true;
  EXPECT_EQ(Run({Bundle(6, asked_, secret_)}), kGood) << console_.err.str();
}

TEST_F(SignedInstall, takes_the_key_of_trust_and_says_that_an_older_hub_signs_nothing) {
  EXPECT_EQ(Run({unsigned_}), kGood);
  EXPECT_THAT(console_.err.str(), HasSubstr("unsigned"));
  options_.trust = NewSecret().public_key().Text();
  Refused("other_key", Bundle(7, asked_, secret_));
  options_.trust = secret_.public_key().Text();
  EXPECT_EQ(Run({Bundle(7, asked_, secret_)}), kGood) << console_.err.str();
}

}  // namespace
}  // namespace tunehub::agent::test

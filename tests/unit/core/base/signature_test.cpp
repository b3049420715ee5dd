// Signatures in minisign's formats: valid ones, and the refusal of each other text.
#include "core/base/signature.h"

#include <gmock/gmock.h>

#include "core/base/encoding.h"
#include "tests/support/program.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/support/temp_dir.h"

namespace tunehub::core {
namespace {

using testing::HasSubstr;
using tunehub::test::RunToEnd;

constexpr const char* kMinisign = "/usr/bin/minisign";

SecretKey NewSecret() {
  return Must(SecretKey::Parse(SecretKey::NewText()));
}

struct SignatureTest : testing::Test {
  SecretKey secret = NewSecret();
  PublicKey key = secret.public_key();
  std::string bytes = "a,b\n1,2\n", text = secret.Sign(bytes, "what it is");

  // Returns the error's code, or "" without an error.
  std::string Code(const std::string& signature, const std::string& of, const std::string& comment,
                   const PublicKey& by) const {
    const auto parsed = ParseSignature(signature);
    if (!parsed.ok()) return parsed.error().code;
    const Status status = CheckSignature(by, *parsed, of, comment);
    return status.ok() ? "" : status.error().code;
  }
};

TEST_F(SignatureTest, fits_its_bytes_its_comment_and_its_key_alone) {
  EXPECT_EQ(Code(text, bytes, "what it is", key), "");
  EXPECT_EQ(Code(text, "a,b\n1,3\n", "what it is", key), "bad_signature");
  EXPECT_EQ(Code(text, bytes, "something else", key), "other_statement");
  EXPECT_EQ(Code(text, bytes, "what it is", NewSecret().public_key()), "bad_signature");
  std::string other = text;
  other.replace(other.find("what it is"), 10, "what it as");
  EXPECT_EQ(Code(other, bytes, "what it as", key), "bad_signature")
      << "the signature also covers the comment";
}

TEST_F(SignatureTest, a_text_of_another_form_is_refused_with_line_and_value) {
  const auto refused = [](const std::string& it) { return ParseSignature(it).error().detail; };
  EXPECT_THAT(refused(""), HasSubstr("0 lines"));
  EXPECT_THAT(refused(text.substr(0, text.size() - 1)), HasSubstr("4 whole lines"));
  EXPECT_THAT(refused(text + "untrusted comment: x\n"), HasSubstr("5 lines"));
  EXPECT_THAT(refused(text + text), HasSubstr("8 lines"));
  EXPECT_THAT(refused(text + std::string(kMaxSignatureBytes, 'x') + "\n"),
              HasSubstr("at most 9000"));
  EXPECT_THAT(refused("un" + text), HasSubstr("line 1: 'ununtrusted comment: tunehub'"));
  std::string damaged = text;
  damaged[damaged.find('\n') + 1] = ' ';
  EXPECT_THAT(refused(damaged), HasSubstr("line 2: ' "));
  damaged = text;
  damaged[damaged.find("what")] = '\t';
  EXPECT_THAT(refused(damaged), HasSubstr("line 3: "));
  damaged = text;
  damaged.insert(damaged.size() - 1, "=");
  EXPECT_THAT(refused(damaged), HasSubstr("line 4: "));
}

TEST_F(SignatureTest, a_public_key_is_one_line_or_minisigns_file) {
  EXPECT_EQ(Must(ParsePublicKey(key.Text())), key);
  EXPECT_EQ(Must(ParsePublicKey(key.Text() + "\n")), key);
  EXPECT_EQ(Must(ParsePublicKey("untrusted comment: x\n" + key.Text() + "\n")), key);
  for (const std::string& bad :
       {std::string(), std::string("RWQ"), key.Text() + "=", key.Text() + "\n" + key.Text() + "\n",
        "untrusted comment: x\n" + key.Text() + "\nmore\n", Base64("Ed" + key.id)}) {
    EXPECT_EQ(ParsePublicKey(bad).error().code, "bad_public_key") << bad;
  }
}

TEST_F(SignatureTest, only_canonical_base64_is_read) {
  EXPECT_EQ(FromBase64("YWI="), "ab");
  for (const char* bad : {"YWI", "YWJ=", " YWI=", "YWI=\n", "YW=I", "YWI=====", "Y!I="})
    EXPECT_EQ(FromBase64(bad), std::nullopt) << bad;
}

TEST_F(SignatureTest, an_asked_text_is_the_same_for_each_order_and_short) {
  EXPECT_EQ(AskedText("/tuned/fmoe", {{"gfx", "gfx942"}, {"cu_num", "80"}, {"revision", "7"}}),
            "/tuned/fmoe?cu_num=80&gfx=gfx942");
  EXPECT_EQ(AskedText("/files/vllm/a b,c\n.json", {}), "/files/vllm/a%20b%2Cc%0A.json");
  EXPECT_NE(AskedText("/tuned/fmoe", {{"a", "1&b=2"}}),
            AskedText("/tuned/fmoe", {{"a", "1"}, {"b", "2"}}));
  EXPECT_LT(AskedText("/tuned/fmoe", {{"a", std::string(9000, 'x')}}).size(), 100U);
}

TEST_F(SignatureTest, minisign_verifies_ours_and_we_verify_minisigns) {
  if (!std::filesystem::exists(kMinisign))
    GTEST_SKIP() << "NOT TESTED: there is no " << kMinisign << " (deploy/install-packages test)";
  const tunehub::test::TempDir dir;
  const std::string file = dir.Write("table.csv", bytes);
  dir.Write("table.csv.minisig", text);
  const auto ours = RunToEnd({kMinisign, {"-Vm", file, "-P", key.Text()}});
  EXPECT_EQ(ours.status, 0) << ours.out << ours.err;
  EXPECT_THAT(ours.out, HasSubstr("Trusted comment: what it is"));
  dir.Write("table.csv", bytes + "3,4\n");
  EXPECT_NE(RunToEnd({kMinisign, {"-Vm", file, "-P", key.Text()}}).status, 0);

  const std::string pub = dir / "key.pub", sec = dir / "key.sec";
  ASSERT_EQ(RunToEnd({kMinisign, {"-GW", "-p", pub, "-s", sec}}).status, 0);
  const auto made =
      RunToEnd({kMinisign, {"-SHm", file, "-s", sec, "-t", "of minisign", "-x", dir / "sig"}});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(Code(tunehub::test::ReadText(dir / "sig"), bytes + "3,4\n", "of minisign",
                 Must(ParsePublicKey(tunehub::test::ReadText(pub)))),
            "");
}

}  // namespace
}  // namespace tunehub::core

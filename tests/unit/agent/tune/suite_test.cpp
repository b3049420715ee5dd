// Suites and their sides, as files say them.
#include "agent/tune/suite.h"

#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent {
namespace {

using agent::test::ReadText;
using agent::test::RealConfiguration;
using testing::HasSubstr;

TEST(Suite, that_is_none_is_refused_with_its_member) {
  const agent::test::TempFolder folder;
  const auto refusal = [&](const std::string& text) {
    const auto cases = LoadSuite({}, folder.Write("x.json", text));
    return cases.ok() ? "none" : cases.error().code + " " + cases.error().detail;
  };
  const std::string named = R"({"kernels":[{"name":"gemm","script":"x.py",)";
  EXPECT_EQ(refusal(named + R"("shapes":[[1,2,3,4]]}]})"), "none");
  const std::pair<std::string, const char*> kRefused[] = {
      {"{", "is no JSON"},
      {R"({"kernels":[]})", "x.json: has no shape of a kernel"},
      {named + R"("shapes":[[1,2,3]]}]})", "/kernels/0/shapes: [1,2,3] is no [B, M, N, K] above 0"},
      {named + R"("shapes":[[1,2,3,0]]}]})", "/kernels/0/shapes: [1,2,3,0] is no"},
      {named + R"("shapes":[[1,2,3,4.5]]}]})", "/kernels/0/shapes: [1,2,3,4.5] is no"},
      {named + R"("shapes":7}]})", "/kernels/0/shapes: must be an array"},
      {named + R"("shapes":[],"shape":[]}]})", "/kernels/0/shape: "},
      {R"({"kernels":[{"script":"x.py","shapes":[]}]})", "/kernels/0/name: is missing"},
      {R"({"kernels":[{"name":"a,b","script":"x","shapes":[]}]})", "name: 'a,b' is no name of a"}};
  for (const auto& [text, why] : kRefused)
    EXPECT_THAT(refusal(text), testing::AllOf(HasSubstr("bad_suite"), HasSubstr(why)));
  EXPECT_THAT(refusal("{}"), HasSubstr("/kernels: is missing"));
}

class SuiteSideTest : public testing::Test {
 protected:
  core::Result<SuiteSide> Open(const std::string& more,
                               const std::string& timing = "driver") const {
    const std::string facts = folder_.Write(
        "golden.json", R"({"python":"python3","TRITON_X":"1","PYTHONPATH":"/mine")" + more + "}");
    return OpenSuiteSide(configuration_.families, facts, folder_.path(), "/aiter",
                         {{"timing", timing}});
  }
  std::string Refusal(const std::string& more, const std::string& timing = "driver") const {
    const auto side = Open(more, timing);
    return side.ok() ? "" : side.error().code + " " + side.error().detail;
  }

  agent::test::TempFolder folder_;
  Configuration configuration_ = RealConfiguration();
};

TEST_F(SuiteSideTest, is_read_back_as_it_was_saved) {
  auto side = Must(Open(R"(,"captured":"monday","note_of_mine":" spaced ")"));
  EXPECT_EQ(side.variables["TRITON_X"], "1");
  EXPECT_EQ(side.variables["PYTHONPATH"], "/aiter:/mine");
  EXPECT_TRUE(side.facts.contains("python_version")) << "what the interpreter says is a fact";
  EXPECT_TRUE(side.us.empty());
  side.us["gemm,1,2,3,4"] = {7905.25, 7906, 7907};
  ASSERT_TRUE(side.Save().ok());
  EXPECT_EQ(Must(Open(R"(,"captured":"tuesday","note_of_mine":" spaced ")")).us, side.us);
}

TEST_F(SuiteSideTest, of_other_facts_or_other_rows_is_refused_and_stays_as_it_is) {
  ASSERT_TRUE(Open("")->Save().ok());
  EXPECT_EQ(Refusal(""), "");
  const std::string saved = ReadText(folder_ / "golden.csv");
  EXPECT_THAT(Refusal(R"(,"branch":"main")"),
              HasSubstr("other_facts " + (folder_ / "golden.csv") +
                        ": branch was not said and is 'main' now; another -o is needed"));
  EXPECT_THAT(Refusal("", "rocprofv3"), HasSubstr("timing was 'driver' and is 'rocprofv3' now"));
  folder_.Write("golden.csv", saved.substr(0, saved.find("kernel,")) + "M,N,K,us\n1,2,3,4\n");
  EXPECT_THAT(Refusal(""), HasSubstr("bad_header"));
  EXPECT_THAT(Refusal(R"(,"python_version":"2.7.18")"),
              HasSubstr("other_version " + (folder_ / "golden.json") +
                        ": python_version is '2.7.18', but '3."));
}

}  // namespace
}  // namespace tunehub::agent

#include <fmt/core.h>

#include "agent/hub/http_client.h"
#include "core/base/hash.h"
#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

using testing::AllOf;
using testing::IsEmpty;

const std::string kTable = "gfx,cu_num\ngfx942,304\n", kOld = "gfx,cu_num\n", kArchive = "tar";

std::string Entry(const std::string& members, const std::string& path, int revision,
                  const std::string& bytes) {
  return fmt::format(R"({{{}"revision":{},"path":"{}","sha256":"{}"}})", members, revision, path,
                     core::Sha256Hex(bytes));
}

const std::string kToken7 = "0f3a5c2e9b7d4186a1c0e8f2d4b69753", kToken3(32, 'a');

std::string IndexText(int version = 1) {
  const std::string family = R"("family":"a8w8",)";
  const std::string target = family + R"("gfx":"gfx942","cu_num":304,)";
  return fmt::format(
      R"({{"format":"tunehub-static-export","version":{},"revision":7,"created":"2026-01-31T12:00:00Z",
          "revisions":[7,3],"pins":["7-{}","3-{}"],"tables":[{},{},{},{}],"bundles":[{}]}})",
      version, kToken7, kToken3, Entry(family, "tables/a8w8.csv", 7, kTable),
      Entry(family + R"("gfx":"gfx942",)", "tables/a8w8/gfx942.csv", 7, kTable),
      Entry(target, "tables/a8w8/gfx942_304.csv", 7, kTable),
      Entry(target, "revisions/3/tables/a8w8/gfx942_304.csv", 3, kOld),
      Entry("", "bundles/all.tar.gz", 7, kArchive));
}

// A page host. It serves these files, and its own error page for every other path.
class PageHost : public FakeHub {
 public:
  PageHost() {
    on_request = [this](const Request& request) {
      const auto file = files.find(request.target.substr(0, request.target.find('?')));
      const bool found = request.method == "GET" && file != files.end();
      answers = {found ? Answer{200, {}, file->second}
                       : Answer{missing, {{"content-type", "text/html"}}, "<html>no such page"}};
    };
  }

  int missing = 404;
  std::map<std::string, std::string> files = {{"/index.json", IndexText()},
                                              {"/tables/a8w8.csv", kTable},
                                              {"/tables/a8w8/gfx942.csv", kTable},
                                              {"/tables/a8w8/gfx942_304.csv", kTable},
                                              {"/revisions/3/tables/a8w8/gfx942_304.csv", kOld},
                                              {"/bundles/all.tar.gz", kArchive}};
};

class StaticHubTest : public testing::Test {
 protected:
  core::Result<Answer> Get(const std::string& target) { return hub_.Send({"GET", target, {}, ""}); }
  std::string Code(const Request& request) {
    const auto answer = hub_.Send(request);
    return answer.ok() ? fmt::format("{}", answer->status) : answer.error().code;
  }
  std::string Detail(const Request& request) {
    const auto answer = hub_.Send(request);
    return answer.ok() ? "" : answer.error().detail;
  }

  PageHost* host_ = new PageHost;
  StaticHub hub_{std::unique_ptr<HubClient>(host_), "https://example.org/hub"};
};

TEST_F(StaticHubTest, a_table_comes_as_the_server_would_give_it) {
  for (const char* target :
       {"/tuned/a8w8?gfx=gfx942&cu_num=304", "/tuned/a8w8?gfx=gfx942", "/tuned/a8w8",
        "/tuned/a8w8?target=gfx942%3A304", "/tuned/a8w8?gfx=gfx942&cu_num=304&revision=7"}) {
    const auto answer = Must(Get(target));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, kTable);
    EXPECT_EQ(answer.Header("tunehub-revision"), "7");
    EXPECT_EQ(answer.Header("content-type"), "text/csv");
    EXPECT_EQ(answer.Header("etag"), '"' + core::Sha256Hex(kTable).substr(0, 32) + '"');
  }
  const auto old = Must(Get("/tuned/a8w8?cu_num=304&gfx=gfx942&revision=3"));
  EXPECT_EQ(old.body, kOld);
  EXPECT_EQ(old.Header("tunehub-revision"), "3");
  const auto bundle = Must(Get("/bundle"));
  EXPECT_EQ(bundle.body, kArchive);
  EXPECT_EQ(bundle.Header("tunehub-revision"), "7");
}

TEST_F(StaticHubTest, a_pin_is_found_by_its_token_too) {
  const auto get = [&](const std::string& revision) {
    return hub_.Send({"GET", "/tuned/a8w8?gfx=gfx942&cu_num=304" + revision, {}, ""});
  };
  EXPECT_EQ(get("")->Header("tunehub-pin"), "7-" + kToken7);
  EXPECT_EQ(get("&revision=7")->Header("tunehub-pin"), "7-" + kToken7);
  EXPECT_EQ(get("&revision=7-" + kToken7)->body, kTable);
  EXPECT_EQ(get("&revision=3-" + kToken3)->body, kOld);
  EXPECT_EQ(get("&revision=3-" + kToken7).error().code, "revision_gone");
  EXPECT_THAT(get("&revision=7-" + kToken3).error().detail,
              HasSubstr("its number now belongs to 7-" + kToken7));
}

TEST_F(StaticHubTest, the_index_is_read_once_and_what_is_known_is_not_sent_again) {
  const auto first = Must(Get("/tuned/a8w8"));
  EXPECT_EQ(host_->requests.size(), 3U);  // one as to a server, then the index and the file
  const auto again =
      Must(hub_.Send({"GET", "/tuned/a8w8", {{"If-None-Match", first.Header("etag")}}, ""}));
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(host_->requests.size(), 3U);
}

TEST_F(StaticHubTest, what_it_does_not_have_is_said_with_what_it_has) {
  EXPECT_THAT(
      Detail({"GET", "/tuned/a8w8?revision=5", {}, ""}),
      AllOf(HasSubstr("https://example.org/hub is a static export of revision 7 (2026-01-31)"),
            HasSubstr("the export does not have revision 5; it has 7, 3")));
  EXPECT_EQ(Code({"GET", "/tuned/a8w8?revision=5", {}, ""}), "unknown_revision");
  EXPECT_THAT(Detail({"GET", "/tuned/a8w8?gfx=gfx950", {}, ""}), HasSubstr("gfx942, gfx942:304"));
  EXPECT_THAT(Detail({"GET", "/tuned/fmoe", {}, ""}), HasSubstr("no row of fmoe; it has a8w8"));
  EXPECT_EQ(Code({"GET", "/tuned/fmoe", {}, ""}), "no_rows");
}

TEST_F(StaticHubTest, what_needs_a_server_is_named) {
  const std::pair<Request, const char*> kRefused[] = {
      {{"GET", "/tuned/a8w8?build=wheel&gfx=gfx942", {}, ""}, "does not support 'build='"},
      {{"GET", "/tuned/a8w8?source=aiter", {}, ""}, "does not support 'source='"},
      {{"GET", "/tuned/a8w8?model=qwen3-32b", {}, ""}, "does not support 'model='"},
      {{"GET", "/tuned/a8w8?rocm=6.4", {}, ""}, "does not support 'rocm='"},
      {{"GET", "/tuned/a8w8?gpu_archs=gfx942", {}, ""}, "does not support 'gpu_archs='"},
      {{"GET", "/tuned/a8w8?gfx=gfx942%2Cgfx950", {}, ""}, "not for several targets"},
      {{"GET", "/tuned/a8w8?revision=newest", {}, ""}, "does not support 'revision='"},
      {{"GET", "/tuned/a8w8?%zz=1", {}, ""}, "does not support '%zz=1='"},
      {{"GET", "/tuned/a8w8?target=gfx942", {}, ""}, "target=gfx942"},
      {{"POST", "/results/a8w8", {}, "rows"}, "not POST /results/a8w8"},
      {{"GET", "/lookup/a8w8?M=1", {}, ""}, "not GET /lookup/a8w8"},
  };
  for (const auto& [request, sentence] : kRefused) {
    EXPECT_EQ(Code(request), "static_export") << request.target;
    EXPECT_THAT(Detail(request), AllOf(HasSubstr(sentence), HasSubstr("ask the hub itself")));
  }
}

TEST_F(StaticHubTest, a_host_that_refuses_a_method_or_answers_everything_is_seen_through) {
  host_->missing = 405;  // the page host's answer to a POST
  EXPECT_EQ(Code({"POST", "/results/a8w8", {}, "rows"}), "static_export");
}

TEST_F(StaticHubTest, the_page_of_a_one_page_application_is_no_answer) {
  host_->missing = 200;
  EXPECT_EQ(Must(Get("/tuned/a8w8")).body, kTable);
}

TEST_F(StaticHubTest, bytes_that_the_index_does_not_know_are_refused) {
  host_->files["/tables/a8w8.csv"] = "something else";
  EXPECT_EQ(Code({"GET", "/tuned/a8w8", {}, ""}), "export_damaged");
  host_->files.erase("/tables/a8w8.csv");
  EXPECT_THAT(Detail({"GET", "/tuned/a8w8", {}, ""}), HasSubstr("the host answers 404"));
}

TEST_F(StaticHubTest, a_newer_or_broken_index_is_said_to_be_one) {
  host_->files["/index.json"] = IndexText(2);
  EXPECT_EQ(Code({"GET", "/tuned/a8w8", {}, ""}), "newer_export");
  host_->files["/index.json"] = R"({"format":"tunehub-static-export","version":1})";
  EXPECT_EQ(Code({"GET", "/tuned/a8w8", {}, ""}), "bad_export");
  for (const char* number : {"1e300", "2.5", "-1", "18446744073709551615", "true", "[7]"}) {
    std::string index = IndexText();
    host_->files["/index.json"] = index.replace(index.find(":7,"), 3, fmt::format(":{},", number));
    EXPECT_EQ(Code({"GET", "/tuned/a8w8", {}, ""}), "bad_export") << number;
  }
}

TEST_F(StaticHubTest, any_other_host_answers_for_itself) {
  for (const char* index : {"", "{}", "[1]", R"({"format": 7})", "<html>"}) {
    host_->files["/index.json"] = index;
    EXPECT_EQ(Code({"GET", "/tuned/a8w8", {}, ""}), "404") << index;
  }
}

TEST_F(StaticHubTest, a_server_is_never_asked_for_an_index) {
  host_->on_request = nullptr;
  const Answer kAnswers[] = {
      {200, {{"content-type", "text/csv"}}, kTable},
      {404, {}, R"({"code":"no_rows","detail":"none"})"},
      {503, {}, "<html>busy"},
  };
  for (const Answer& it : kAnswers) {
    host_->answers = {it};
    EXPECT_EQ(Code({"GET", "/tuned/a8w8", {}, ""}), fmt::format("{}", it.status));
    EXPECT_THAT(host_->answers, IsEmpty());
  }
  EXPECT_EQ(host_->requests.size(), 3U);
}

TEST_F(StaticHubTest, an_index_that_names_no_file_of_the_export_is_refused) {
  const std::string sound = IndexText();
  for (const char* path : {"x HTTP/1.1\\r\\nHost: evil", "../x.csv", "/x.csv", "a b.csv", "", "a?b",
                           "a#b", "a\\u007f.csv"}) {
    std::string text = sound;
    text.replace(text.find("tables/a8w8.csv"), 15, path);
    host_->files["/index.json"] = text;
    EXPECT_EQ(Code({"GET", "/tuned/a8w8", {}, ""}), "bad_export") << path;
  }
  std::string text = sound;
  text.replace(text.find("sha256") + 9, 64, "\\u001b[2J");
  host_->files["/index.json"] = text;
  EXPECT_EQ(Code({"GET", "/tuned/a8w8", {}, ""}), "bad_export");
}

}  // namespace
}  // namespace tunehub::agent::test

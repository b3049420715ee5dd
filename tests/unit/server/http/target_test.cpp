#include "server/http/target.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "server/http/router.h"

namespace tunehub::http {
namespace {

// Returns "/path name=value name=value", or "error: detail".
std::string Shown(std::string_view raw) {
  const auto target = ParseTarget(raw);
  if (!target) return "error: " + target.error().detail;
  std::string shown = target->path;
  for (const auto& [name, value] : target->query) shown.append(" " + name + "=" + value);
  return shown;
}

TEST(HttpTarget, is_a_path_and_parameters) {
  const std::pair<const char*, const char*> targets[] = {
      {"/tuned/a8w8%5fblockscale?gfx=gfx%39%34%32", "/tuned/a8w8_blockscale gfx=gfx942"},
      {"/a?b=%C3%A9", "/a b=\xC3\xA9"},
      {"/a+b?c=d+e%2B", "/a+b c=d e+"},  // only in the query is a plus a space
      // Only ampersands split the query. Escaped characters belong to values.
      {"/t?gfx=gfx942;gfx950&cu_num=304", "/t gfx=gfx942;gfx950 cu_num=304"},
      {"/t?a=%26b%3Dc=d", "/t a=&b=c=d"},
      {"/t?gfx=b&x=1&gfx=a&gfx=b", "/t gfx=b x=1 gfx=a gfx=b"},  // repeated names keep their order
      {"/t?&&flat&x=&", "/t flat= x="},
      {"/t?", "/t"},
      // The router handles dots and double slashes.
      {"/%2e%2e/%2E%2e/etc%2fpasswd", "/../../etc/passwd"},
      {"//json", "//json"},
      // The absolute form loses scheme and host.
      {"http://hub:8080/tuned?gfx=1", "/tuned gfx=1"},
      {"http://hub", "/"},
      {"http://hub?gfx=1", "/ gfx=1"}};
  for (const auto& [raw, shown] : targets) EXPECT_EQ(Shown(raw), shown) << raw;
}

TEST(HttpTarget, a_malformed_escape_and_a_nul_are_errors_with_their_position) {
  EXPECT_EQ(Shown("/tuned/%zz"), "error: malformed percent escape at byte 7 of the request target");
  EXPECT_EQ(Shown("/t?a=b&c=%4"),
            "error: malformed percent escape at byte 9 of the request target");
  EXPECT_EQ(Shown("/%"), "error: malformed percent escape at byte 1 of the request target");
  EXPECT_EQ(Shown("/a%00b"), "error: control character at byte 2 of the request target");
}

// Caches join parameters into one text with control characters, so no parameter may contain one.
TEST(HttpTarget, a_control_character_in_a_parameter_is_an_error_that_names_the_parameter) {
  EXPECT_EQ(Shown("/t?rocm=a%1FA%3Db"),
            "error: rocm: a control character at byte 9 of the request target");
  EXPECT_EQ(Shown("/t?a=b&source=%7F"),
            "error: source: a control character at byte 14 of the request target");
  EXPECT_EQ(Shown("/t?a=b&c%0Ad=1"),
            "error: the name 'c': a control character at byte 8 of the request target");
  EXPECT_EQ(ParseTarget("/t?a=%09").error().code, "bad_parameter");
  EXPECT_EQ(Shown("/runs/1%0A"), "error: control character at byte 7 of the request target");
}

TEST(HttpTarget, bytes_that_are_no_utf8_and_what_has_no_path_are_errors) {
  for (const char* bad :
       {"/%ff", "/%c0%af", "/%ed%a0%80", "/%f5%80%80%80", "/%e2%82", "/t?a=%80"}) {
    EXPECT_FALSE(ParseTarget(bad)) << bad;
  }
  for (const char* bad : {"", "*", "tuned", "?a=b", "hub:443", "/a#b"}) {
    EXPECT_FALSE(ParseTarget(bad)) << bad;
  }
}

Route Named(std::string method, std::string pattern) {
  const std::string name = method + " " + pattern;
  return {.method = std::move(method),
          .pattern = std::move(pattern),
          .handler = [name](const Request&, const PathParameters& parameters) {
            std::string shown = name;
            for (const char* key : {"family", "id", "gfx"}) {
              if (!parameters.Get(key).empty()) {
                shown.append(" ").append(key).append("=").append(parameters.Get(key));
              }
            }
            return TextResponse(200, "text/plain", shown);
          }};
}

std::vector<Route> Table() {
  std::vector<Route> routes;
  routes.push_back(Named("GET", "/"));
  routes.push_back(Named("GET", "/tuned"));
  routes.push_back(Named("GET", "/tuned/{family}"));
  routes.push_back(Named("GET", "/files/{family}/{id...}"));
  routes.push_back(Named("GET", "/files/{family}/index"));
  routes.push_back(Named("GET", "/jobs/{id}"));
  routes.push_back(Named("POST", "/jobs/claim"));
  routes.push_back(Named("GET", "/jobs/claim"));
  routes.push_back(Named("POST", "/jobs/{id}/complete"));
  routes.back().scope = "submit";
  routes.back().body_allowed = true;
  return routes;
}

Request At(std::string method, std::string path) {
  Request request;
  request.method = std::move(method);
  request.path = std::move(path);
  return request;
}

// Returns the handler's text, or "status Allow".
std::string Answer(const Request& request) {
  const Router router(Table());
  const Response response = router.Handle(request);
  if (response.status == 200) return *response.body;
  std::string shown = std::to_string(response.status);
  for (const auto& [name, value] : response.headers) {
    if (name == "Allow") shown += " " + value;
  }
  return shown;
}

TEST(Router, an_open_name_takes_all_that_follows) {
  EXPECT_EQ(Answer(At("GET", "/files/vllm/E=8.json")),
            "GET /files/{family}/{id...} family=vllm id=E=8.json");
  EXPECT_EQ(Answer(At("GET", "/files/aiter/gfx950/triton/x.json")),
            "GET /files/{family}/{id...} family=aiter id=gfx950/triton/x.json");
  EXPECT_EQ(Answer(At("GET", "/files/vllm/index")), "GET /files/{family}/index family=vllm");
  EXPECT_EQ(Answer(At("POST", "/files/vllm/a/b")), "405 GET, HEAD");
  EXPECT_EQ(Answer(At("GET", "/files/vllm")), "404");
  EXPECT_EQ(Answer(At("GET", "/files/vllm/")), "404");
  EXPECT_EQ(Answer(At("GET", "/files/vllm/a//b")), "404");
  EXPECT_EQ(Answer(At("GET", "/files/vllm/a/../b")), "404");
  std::string deep = "/files/vllm";
  for (int i = 0; i < 14; ++i) deep += "/a";
  EXPECT_EQ(Answer(At("GET", deep)).substr(0, 3), "GET");
  EXPECT_EQ(Answer(At("GET", deep + "/a")), "404");
}

TEST(Router, an_open_name_that_is_not_the_last_is_a_mistake) {
  std::vector<Route> routes;
  routes.push_back(Named("GET", "/{id...}/b"));
  EXPECT_THROW(Router(std::move(routes)), std::logic_error);
}

TEST(Router, a_path_finds_its_row_by_literals_first_and_another_method_is_405) {
  EXPECT_EQ(Answer(At("GET", "/")), "GET /");
  EXPECT_EQ(Answer(At("GET", "/tuned")), "GET /tuned");
  EXPECT_EQ(Answer(At("GET", "/tuned/fmoe")), "GET /tuned/{family} family=fmoe");
  EXPECT_EQ(Answer(At("POST", "/jobs/7/complete")), "POST /jobs/{id}/complete id=7");
  EXPECT_EQ(Answer(At("GET", "/jobs/claim")), "GET /jobs/claim");
  EXPECT_EQ(Answer(At("GET", "/jobs/claims")), "GET /jobs/{id} id=claims");
  EXPECT_EQ(Answer(At("HEAD", "/tuned")), "GET /tuned") << "HEAD goes to GET";
  EXPECT_EQ(Answer(At("DELETE", "/tuned")), "405 GET, HEAD");
  EXPECT_EQ(Answer(At("DELETE", "/jobs/claim")), "405 GET, HEAD, POST");
  EXPECT_EQ(Answer(At("get", "/tuned")), "405 GET, HEAD");
  EXPECT_EQ(Answer(At("HEAD", "/jobs/7/complete")), "405 POST");
}

TEST(Router, an_unknown_path_is_404_no_such_path) {
  for (const char* path : {"/x", "/tuned/", "/tuned/a/b", "//", "", "/TUNED", "/tuned//"}) {
    EXPECT_EQ(Answer(At("GET", path)), "404") << path;
  }
  const Response response = Router(Table()).Handle(At("GET", "/x"));
  EXPECT_NE(response.body->find(R"("code":"no_such_path")"), std::string::npos) << *response.body;
  for (const char* path : {"/tuned/.", "/tuned/..", "/tuned/a\nb", "/tuned/a\x7f"}) {
    EXPECT_EQ(Answer(At("GET", path)), "404") << path;
  }
  std::string path;
  for (int i = 0; i < 10'000; ++i) path += "/a";
  EXPECT_EQ(Answer(At("GET", path)), "404");
}

TEST(Router, a_match_from_the_head_alone_tells_the_scope) {
  const Router router(Table());
  const RequestHead head = At("POST", "/jobs/7/complete");
  const auto found = router.Find(head);
  ASSERT_TRUE(std::holds_alternative<Router::Match>(found));
  EXPECT_EQ(std::get<Router::Match>(found).route->scope, "submit");
  EXPECT_EQ(std::get<Router::Match>(found).parameters.Get("id"), "7");
}

TEST(Router, a_body_is_refused_where_the_route_allows_none) {
  Request request = At("GET", "/tuned");
  request.headers = {{"content-length", "0"}};
  EXPECT_EQ(Answer(request), "GET /tuned");
  request.headers = {{"content-length", "1"}};
  EXPECT_EQ(Answer(request), "413");
  request.headers = {{"transfer-encoding", "chunked"}};
  EXPECT_EQ(Answer(request), "413");
  request.method = "POST";
  request.path = "/jobs/7/complete";
  EXPECT_EQ(Answer(request), "POST /jobs/{id}/complete id=7");
}

TEST(Router, routes_are_listed_in_the_order_given) {
  const Router router(Table());
  std::string shown;
  for (const Route& route : router.routes()) shown += route.method + " " + route.pattern + "\n";
  EXPECT_EQ(shown,
            "GET /\nGET /tuned\nGET /tuned/{family}\nGET /files/{family}/{id...}\n"
            "GET /files/{family}/index\nGET /jobs/{id}\nPOST /jobs/claim\nGET /jobs/claim\nPOST "
            "/jobs/{id}/complete\n");
}

TEST(Router, a_malformed_table_is_a_mistake_of_the_program) {
  for (const char* pattern : {"tuned", "", "/a{b}", "/{}", "/{a", "/{a}{b}"}) {
    std::vector<Route> routes;
    routes.push_back(Named("GET", pattern));
    EXPECT_THROW(Router{std::move(routes)}, std::logic_error) << pattern;
  }
  std::vector<Route> twice;
  twice.push_back(Named("GET", "/a/{b}"));
  twice.push_back(Named("GET", "/a/{c}"));
  EXPECT_THROW(Router{std::move(twice)}, std::logic_error);
}

}  // namespace
}  // namespace tunehub::http

// openapi.json must describe every route of the server, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "build_info.h"
#include "server/app.h"
#include "tests/api/idle_hub.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::json;

// OpenAPI's tools refuse a path with a slash at its end. /docs/ is /docs/index.html.
std::vector<Endpoint> Described(std::vector<Endpoint> routes) {
  std::erase_if(routes, [](const Endpoint& route) { return route.pattern == "/docs/"; });
  return routes;
}

class OpenApiTest : public testing::Test, protected IdleHub {
 protected:
  OpenApiTest()
      : routes_(Described(app.AllRoutes())),
        document_(Json::parse(test::ReadText(TUNEHUB_SOURCE_DIR "/server/openapi.json"))) {}

  // OpenAPI has no name for the rest of a path, which may contain '/'.
  static std::string PathOf(const Endpoint& route) {
    return std::regex_replace(route.pattern, std::regex(R"(\.\.\.\})"), "}");
  }
  const Json& Operation(const Endpoint& route) const {
    std::string method = route.method;
    for (char& c : method) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return document_.at("paths").at(PathOf(route)).at(method);
  }

  // Without min_revision, which has its own test.
  std::set<std::string> NamesIn(const Json& operation, const std::string& place) const {
    std::set<std::string> names;
    for (const Json& it : operation.value("parameters", Json::array())) {
      const std::string reference = it.value("$ref", "");
      if (reference.ends_with("/" + std::string(kMinRevision))) continue;
      const Json& parameter =
          reference.empty() ? it : document_.at(Json::json_pointer(reference.substr(1)));
      if (parameter.at("in") == place) names.insert(parameter.at("name"));
    }
    return names;
  }

  std::vector<Endpoint> routes_;
  Json document_;
};

// All "$ref", at any depth.
void CollectReferences(const Json& json, std::set<std::string>& references) {
  if (json.is_object() && json.contains("$ref")) references.insert(json.at("$ref"));
  if (!json.is_structured()) return;
  for (const auto& item : json) CollectReferences(item, references);
}

TEST_F(OpenApiTest, describes_exactly_the_routes_there_are) {
  std::set<std::string> routed, described;
  for (const Endpoint& route : routes_) routed.insert(route.method + " " + PathOf(route));
  for (const auto& [path, operations] : document_.at("paths").items()) {
    for (const auto& [method, operation] : operations.items()) {
      std::string upper = method;
      for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      described.insert(upper + " " + path);
    }
  }
  EXPECT_EQ(described, routed);
  EXPECT_EQ(document_.at("openapi"), "3.1.0");
  EXPECT_EQ(document_.at("info").at("version"), TUNEHUB_VERSION);
}

TEST_F(OpenApiTest, names_the_parameters_of_each_path) {
  const std::regex name(R"(\{(\w+)(?:\.\.\.)?\})");
  for (const Endpoint& route : routes_) {
    std::set<std::string> in_pattern;
    for (std::sregex_iterator it(route.pattern.begin(), route.pattern.end(), name), end; it != end;
         ++it) {
      in_pattern.insert((*it)[1]);
    }
    EXPECT_EQ(NamesIn(Operation(route), "path"), in_pattern) << route.pattern;
  }
}

TEST_F(OpenApiTest, says_which_operations_need_a_key_and_may_answer_401_and_403) {
  const Json key = {{"bearer", Json::array()}};
  for (const Endpoint& route : routes_) {
    const Json& operation = Operation(route);
    const bool needs_key = !route.scope.empty();
    // A read needs a key only if the setting `reads` is key.
    const Json read = route.always_open ? Json::array() : Json::array({Json::object(), key});
    EXPECT_EQ(operation.at("security"), needs_key ? Json::array({key}) : read) << route.pattern;
    EXPECT_EQ(operation.at("responses").contains("401"), needs_key) << route.pattern;
    EXPECT_EQ(operation.at("responses").contains("403"), needs_key) << route.pattern;
    EXPECT_TRUE(route.body_allowed || !operation.contains("requestBody")) << route.pattern;
  }
}

TEST_F(OpenApiTest, says_which_operations_have_a_limit) {
  for (const Endpoint& route : routes_) {
    const Json& responses = Operation(route).at("responses");
    EXPECT_EQ(responses.contains("429"), !route.in_memory) << route.pattern;
  }
}

// A handler that refuses an unknown parameter lists the parameters that it accepts.
TEST_F(OpenApiTest, describes_every_query_parameter_that_a_handler_takes) {
  for (const Endpoint& route : routes_) {
    if (route.pattern.find("{family}") != std::string::npos && route.method == "GET") continue;
    if (route.pattern.find("{reader}") != std::string::npos)
      continue;  // the family's route covers it
    if (Operation(route).at("tags") == Json({"dashboard"})) continue;  // these accept any parameter
    http::Request request;
    request.method = route.method;
    request.path = route.pattern;
    request.query = {{"no_such_parameter", "1"}};
    http::PathParameters path;
    path.Add("family", "a8w8");
    path.Add("id", "1");
    path.Add("name", "wheel");
    const http::Response response = route.handler(request, path, {});
    ASSERT_EQ(response.status, 400) << route.pattern;
    const std::string detail = Json::parse(*response.body).at("detail");
    std::set<std::string> taken;
    const std::string lead = "known parameters: ";
    std::string list = detail.substr(detail.find(lead) + lead.size());
    for (std::size_t end = 0; list != "none" && !list.empty(); list.erase(0, end)) {
      end = list.find(", ") == std::string::npos ? list.size() : list.find(", ") + 2;
      taken.insert(list.substr(0, list.find(',')));
    }
    EXPECT_EQ(NamesIn(Operation(route), "query"), taken) << route.method << " " << route.pattern;
  }
}

TEST_F(OpenApiTest, says_of_which_operations_one_may_ask_an_answer_that_is_no_older) {
  const Json reference = {{"$ref", "#/components/parameters/" + std::string(kMinRevision)}};
  for (const Endpoint& route : routes_) {
    const Json parameters = Operation(route).value("parameters", Json::array());
    const bool told = std::ranges::find(parameters, reference) != parameters.end();
    EXPECT_EQ(told, TakesMinRevision(route)) << route.method << " " << route.pattern;
  }
}

TEST_F(OpenApiTest, describes_every_option_of_a_table_and_key_columns_as_one) {
  const auto refusal = server::ParseTunedQuery(test::ShippedFamily("a8w8"), definitions.targets,
                                               {{"no_such_parameter", "1"}});
  ASSERT_FALSE(refusal.ok());
  std::set<std::string> described =
      NamesIn(document_.at("paths").at("/tuned/{family}").at("get"), "query");
  EXPECT_EQ(described.erase("key_columns"), 1U);
  std::string list;
  for (const char* name :
       {"gfx",     "cu_num", "target",      "gpu_archs", "provider", "revision", "measured",
        "columns", "format", "allow_empty", "libtype",   "prune",    "model",    "tp",
        "require", "build",  "rocm",        "aiter",     "triton",   "pytorch",  "engine",
        "device",  "prefer", "since",       "source",    "fill",     "max_err"}) {
    EXPECT_EQ(described.erase(name), 1U) << name;
    list += (list.empty() ? "" : ", ") + std::string(name);
  }
  EXPECT_TRUE(described.empty());
  EXPECT_NE(refusal.error().detail.find("known parameters: " + list + ", M, N, K, q_dtype_w"),
            std::string::npos)
      << refusal.error().detail;
  EXPECT_EQ(NamesIn(document_.at("paths").at("/shapes/{family}").at("get"), "query"),
            (std::set<std::string>{"key_columns", "allow_empty", "limit"}));
  EXPECT_EQ(NamesIn(document_.at("paths").at("/lookup/{family}").at("get"), "query"),
            (std::set<std::string>{"gfx", "cu_num", "build", "shape_columns"}));
}

TEST_F(OpenApiTest, every_reference_leads_somewhere_and_every_component_is_used) {
  std::set<std::string> references, components;
  CollectReferences(document_, references);
  for (const auto& [kind, items] : document_.at("components").items()) {
    if (kind == "securitySchemes") continue;
    for (const auto& [name, item] : items.items()) {
      components.insert("#/components/" + kind + "/" + name);
    }
  }
  EXPECT_EQ(references, components);
}

}  // namespace
}  // namespace tunehub::server

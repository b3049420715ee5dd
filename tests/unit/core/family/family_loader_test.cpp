#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/family/families.h"
#include "core/family/family.h"
#include "tests/support/result.h"
#include "tests/support/temp_dir.h"

namespace tunehub::core {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

// A small family that uses every kind of column. Each test changes one thing.
Json Example() {
  return Json::parse(R"({
    "name": "toy", "title": "Toy", "file": "toy_tuned.csv", "token": "toy_tuned",
    "env": "AITER_CONFIG_TOY", "untuned_file": "toy_untuned.csv",
    "untuned_columns": ["M", "N", "K"],
    "columns": [
      {"name": "gfx", "role": "target", "type": "gfx"},
      {"name": "cu_num", "role": "target", "type": "integer", "min": 1, "max": 4096},
      {"name": "_tag", "role": "tag", "type": "text", "missing": ""},
      {"name": "M", "role": "shape", "type": "integer", "min": 1},
      {"name": "N", "role": "shape", "type": "integer"},
      {"name": "K", "role": "shape", "type": "integer", "aliases": ["k"]},
      {"name": "mode", "role": "shape", "type": "enum", "prefix": "Mode.",
       "values": ["Mode.B", "Mode.A"], "missing": "Mode.A", "optional": true},
      {"name": "libtype", "role": "config", "type": "enum", "values": ["ck"],
       "missing": [{"gfx": "gfx942", "kernel_prefix": "_ZN", "value": "asm"}, {"value": "ck"}]},
      {"name": "kernelId", "role": "config", "type": "integer", "identity": "unnamed"},
      {"name": "kernelName", "role": "config", "type": "kernel"},
      {"name": "us", "role": "objective", "type": "number"},
      {"name": "tflops", "role": "derived", "type": "number", "missing": ""},
      {"name": "err", "role": "error", "type": "error"}],
    "ignored": ["old"],
    "metric": {"formula": "gemm", "m": "M", "n": "N", "k": "k", "bytes": [1, 1, 2],
               "precision": "fp8"},
    "lookup": {"kind": "padded_m", "m": "M"},
    "signature": {"has": ["M"], "lacks": ["B"], "kernel_prefixes": ["toy_"]},
    "heat_map": {"x": "M", "y": ["N", "K"]}
  })");
}

// Returns the loader's error for the example with `value` at `pointer`.
std::string ErrorWith(const std::string& pointer, const Json& value) {
  Json changed = Example();
  changed[Json::json_pointer(pointer)] = value;
  const Result<Family> family = ParseFamily("toy.json", changed.dump());
  if (family.ok()) return "accepted";
  EXPECT_EQ(family.error().code, "bad_family");
  return family.error().detail;
}

std::string ErrorWithout(const std::string& pointer) {
  Json patch = Json::array({{{"op", "remove"}, {"path", pointer}}});
  const Result<Family> family = ParseFamily("toy.json", Example().patch(patch).dump());
  return family.ok() ? "accepted" : family.error().detail;
}

TEST(FamilyLoader, derives_where_the_columns_are_and_finds_them_by_name_and_alias) {
  const Family family = *ParseFamily("toy.json", Example().dump());
  using Indexes = std::vector<std::size_t>;
  EXPECT_EQ(family.key_columns, (Indexes{0, 1, 3, 4, 5, 6, 2})) << "the tag comes last";
  EXPECT_EQ(family.tag, 2U);
  EXPECT_TRUE(family.has_optional);
  EXPECT_EQ(family.metric.k, 5U) << "the metric names K by an alias";
  EXPECT_EQ(family.metric.batch, kNoColumn);
  EXPECT_EQ(family.error_limit, 0.2);
  EXPECT_EQ(family.Find("K"), 5U);
  EXPECT_EQ(family.Find("k"), 5U);
  EXPECT_EQ(family.Find("m"), kNoColumn);
  EXPECT_EQ(family.Find(""), kNoColumn);
  EXPECT_EQ(family.Header(false),
            "gfx,cu_num,_tag,M,N,K,libtype,kernelId,kernelName,us,tflops,err");
  EXPECT_EQ(family.Header(true),
            "gfx,cu_num,_tag,M,N,K,mode,libtype,kernelId,kernelName,us,tflops,err");
}

struct Wrong {
  std::string pointer;
  Json value;
  std::string reason;  // the error's text after "toy.json: " and the pointer, or another pointer
};

Json ManyModes(int count) {
  Json modes = Json::array();
  for (int i = 0; i < count; ++i) modes.push_back("Mode." + std::to_string(i));
  return modes;
}

TEST(FamilyLoader, rejects_a_wrong_member_with_its_place_and_reason) {
  const std::vector<Wrong> wrongs = {
      {"/colour", "red", "is an unknown member"},
      {"/columns/3/typ", "x", "is an unknown member"},
      {"/columns/7/missing/0/arch", "x", "is an unknown member"},
      {"/name", "To y", "must be a word of a-z, 0-9 and _, because URLs contain it"},
      {"/name", 3, "must be a string, but is number"},
      {"/token", "tuned_toy", "must be part of the file name \"toy_tuned.csv\""},
      {"/error_limit", 1.5, "must be above 0 and at most 1"},
      {"/error_limit", "0.2", "must be a number, but is string"},
      {"/columns", "gfx", "must be an array, but is string"},
      {"/columns/3", "M", "must be an object, but is string"},
      {"/columns/3/role", "shapes",
       "\"shapes\": expected one of target, shape, tag, engine, device, config, "
       "objective, error, derived"},
      {"/columns/3/type", "int",
       "\"int\": expected one of gfx, integer, number, boolean, flag, enum, kernel, "
       "text, error, json, line, document"},
      {"/columns/3/type", "kernel", "a column of role shape cannot be of type kernel"},
      {"/columns/10/type", "integer", "a column of role objective cannot be of type integer"},
      {"/columns/8/identity", "sometimes", "\"sometimes\": expected one of always, unnamed, never"},
      {"/columns/3/identity", "never", "is allowed only with role config"},
      {"/columns/3/min", 1.5, "must be an integer, but is number"},
      {"/columns/1/min", 5000, "is above max"},
      {"/columns/10/max", 5, "is allowed only with type integer"},
      {"/columns/3/values", Json::array({"a"}), "is allowed only with type enum"},
      {"/columns/6/values", Json::array(), "must list the values in the rows' order"},
      {"/columns/6/values", Json::array({"Mode.A", "B"}), "\"B\" must start with \"Mode.\""},
      {"/columns/6/values", Json::array({"Mode.A", "Mode.A"}), "\"Mode.A\" is listed twice"},
      {"/columns/6/values", ManyModes(255), "has 255 values; the limit is 254"},
      {"/columns/6/values", Json::array({"Mode.A", 5}),
       "/columns/6/values/1: must be a string, but is number"},
      {"/columns/3/optional", true, "needs \"missing\", the value of an empty cell"},
      {"/columns/3/missing", "0", "the column may not have the value \"0\""},
      {"/columns/3/missing", 0, "must be an array, but is number"},
      {"/columns/6/missing", "A", "the column may not have the value \"A\""},
      {"/columns/6/missing", Json::array({{{"kernel_prefix", "x"}, {"value", "Mode.A"}}}),
       "/columns/6/missing/0/kernel_prefix: a shape column's value must not depend on the kernel"},
      {"/columns/4/name", "M", "two columns are named \"M\""},
      {"/columns/4/aliases", Json::array({"gfx"}),
       "/columns/4/name: two columns are named \"gfx\""},
      {"/columns/4/name", "", "must not be empty"},
      {"/columns/11/role", "objective", "/columns: has two columns for the objective"},
      {"/columns/4/role", "target", "/columns: has two columns for the number of CUs"},
      {"/columns/1/type", "gfx", "/columns/1/min: is allowed only with type integer"},
      {"/ignored", Json::array({"M"}), "\"M\" is a column of this family, so it cannot be ignored"},
      {"/untuned_columns", Json::array({"M", "Q"}), "unknown column of this family: \"Q\""},
      {"/metric/formula", "gem", "must be one of gemm, fmoe, none"},
      {"/metric/formula", "fmoe", "fmoe needs the column token"},
      {"/metric/m", "Q", "unknown column of this family: \"Q\""},
      {"/metric/m", "us", "must name a column of type integer"},
      {"/metric/bytes", Json::array({1, 2}), "must be three numbers: A, B, output"},
      {"/metric/precision_column", "mode",
       "/metric/precision: cannot be given with precision_column"},
      {"/lookup/kind", "hash",
       "must be one of padded_m, exact, token_tiers, nearest_m, at_or_above, "
       "smallest_bound, tiles, none"},
      {"/lookup/kind", "tiles",
       "/lookup/tiles: must be given for a lookup of kind tiles, and only then"},
      {"/lookup/tiles", {{"M", 256}}, "must be given for a lookup of kind tiles, and only then"},
      {"/lookup/most_m", -1, "must be above 0, and needs \"m\""},
      {"/columns/3/key_values", Json::array({"1"}), "is allowed only with role config"},
      {"/columns/6/spellings",
       {{"0", "A"}},
       "/columns/6/spellings/0: \"A\": expected one of the column's values"},
      {"/lookup/m", "Q", "unknown column of this family: \"Q\""},
      {"/lookup/ignored", Json::array({"Q"}), "unknown column of this family: \"Q\""},
      {"/lookup/ignored", Json::array({"M"}),
       "\"M\": expected a shape column, but not the column that is padded"},
      {"/lookup/compiled_without", Json::array({"us"}),
       "\"us\": expected a shape column, but not the column that is padded"},
      {"/lookup/bounds", Json::array({16, 8}), "must contain ascending integers above 0"},
      {"/lookup/bounds", Json::array({8, 16}), "is not allowed for a lookup of kind padded_m"},
      {"/lookup/op", "Q", "unknown column of this family: \"Q\""},
      {"/lookup/own_bounds",
       {{"x", {8, 4}}},
       "/lookup/own_bounds/x: must contain ascending integers above 0"},
      {"/lookup/ep", Json::array({{{"routed", {"topk"}}, {"fused", {"topk"}}}}),
       "needs the column topk"},
      {"/lookup/own_bounds", {{"x", {8}}}, "needs \"op\""},
      {"/signature/has", Json::array({"Q"}), "unknown column of this family: \"Q\""},
      {"/signature/has", Json::array(), "must name at least one column"},
      {"/signature/lacks", Json::array({"N"}), "every file of this family has the column \"N\""},
      {"/heat_map/x", "Q", "unknown column of this family: \"Q\""},
      {"/heat_map/y", Json::array(), "/heat_map: must name x and y"},
  };
  for (const Wrong& wrong : wrongs) {
    const std::string place = wrong.reason[0] == '/' ? "" : wrong.pointer + ": ";
    EXPECT_EQ(ErrorWith(wrong.pointer, wrong.value), "toy.json: " + place + wrong.reason);
  }
}

TEST(FamilyLoader, rejects_a_missing_member) {
  for (const char* const pointer :
       {"/name", "/title", "/file", "/token", "/env", "/untuned_file", "/columns", "/metric",
        "/lookup", "/signature", "/heat_map", "/columns/3/role", "/columns/3/type",
        "/columns/3/name", "/columns/7/missing/0/value", "/metric/formula", "/metric/m",
        "/lookup/m", "/lookup/kind"}) {
    EXPECT_EQ(ErrorWithout(pointer), std::string("toy.json: ") + pointer + ": is missing");
  }
  EXPECT_EQ(ErrorWithout("/columns/0"),
            "toy.json: /columns: needs a column of type gfx or of role device");
  EXPECT_EQ(ErrorWithout("/columns/6/values"),
            "toy.json: /columns/6/values: must list the values in the rows' order");
  EXPECT_EQ(ErrorWithout("/ignored"), "accepted");
  EXPECT_EQ(ErrorWithout("/heat_map/x"), "toy.json: /heat_map: must name x and y");
}

TEST(FamilyLoader, a_target_is_said_by_a_gfx_or_by_a_device) {
  const Json device = Json::parse(R"({"name": "device", "role": "device", "type": "text"})");
  EXPECT_EQ(ErrorWith("/columns/13", device),
            "toy.json: /columns: has both a device and a target; remove the target, which follows "
            "from the device");
  Json family = Example();
  family["columns"].erase(1);
  family["columns"].erase(0);
  EXPECT_EQ(ParseFamily("toy.json", family.dump()).error().detail,
            "toy.json: /columns: needs a column of type gfx or of role device");
  family["columns"].push_back(device);
  EXPECT_EQ(
      ParseFamily("toy.json", family.dump()).error().detail,
      "toy.json: /columns: libtype: a default that depends on gfx needs a column of type gfx");
  family["columns"][5]["missing"] = "ck";
  const auto loaded = Must(ParseFamily("toy.json", family.dump()));
  EXPECT_EQ(loaded.columns[loaded.device].name, "device");
  EXPECT_TRUE(loaded.columns[loaded.device].is_key());
}

TEST(FamilyLoader, the_engine_is_an_enum_and_there_is_one) {
  Json engine = Json::parse(
      R"({"name": "engine", "role": "engine", "type": "enum", "values": ["vllm", "sglang"]})");
  EXPECT_EQ(ErrorWith("/columns/13", engine), "accepted");
  engine["values"].push_back("trtllm");
  EXPECT_EQ(ErrorWith("/columns/13", engine),
            "toy.json: /columns/13/values: unknown engine \"trtllm\"; expected aiter, vllm, sglang "
            "or rocm");
  engine["type"] = "text";
  engine.erase("values");
  EXPECT_EQ(ErrorWith("/columns/13", engine),
            "toy.json: /columns/13/type: a column of role engine cannot be of type text");
}

TEST(FamilyLoader, rejects_text_that_is_no_strict_json_and_says_what_is_declared) {
  EXPECT_EQ(ErrorWith("/without_time", "declared"), "accepted");
  EXPECT_EQ(ErrorWith("/without_time", "guessed"),
            "toy.json: /without_time: must be \"declared\" or \"unmeasured\"");
  EXPECT_TRUE(ParseFamily("f", "{").error().detail.starts_with("f: expected JSON: "));
  EXPECT_EQ(ParseFamily("f", "[]").error().detail, "f: must be an object, but is array");
  EXPECT_EQ(ParseFamily("f", R"({"name": "a", "name": "b"})").error().detail,
            "f: has the member name twice");
  EXPECT_TRUE(
      ParseFamily("f", "{\"name\": \"\xFF\"}").error().detail.starts_with("f: expected JSON"));
}

// A folder of family files. Each file is the example with another name, token and untuned file.
class Folder {
 public:
  void Add(const std::string& file, const Json& family) const {
    folder_.Write(file, family.dump());
  }
  static Json Named(const std::string& name) {
    Json family = Example();
    family["name"] = name;
    family["token"] = name + "_tuned";
    family["file"] = name + "_tuned.csv";
    family["untuned_file"] = name + "_untuned.csv";
    return family;
  }
  Result<Families> Load() const { return Families::Load(folder_.path()); }
  std::string Error() const {
    const std::string detail = Load().error().detail;
    return detail.substr(folder_.path().string().size() + 1);
  }

 private:
  test::TempDir folder_;
};

TEST(Families, load_every_file_of_a_folder_in_the_order_of_their_names) {
  const Folder folder;
  folder.Add("b.json", Folder::Named("a"));
  folder.Add("a.json", Folder::Named("b"));
  const Families families = Must(folder.Load());
  EXPECT_EQ(families.Names(), "a, b");
  EXPECT_EQ(families.Find("b")->token, "b_tuned");
  EXPECT_EQ(families.Find("c"), nullptr);
}

TEST(Families, one_name_belongs_to_one_family) {
  for (const char* const member : {"name", "untuned_file"}) {
    const Folder folder;
    folder.Add("1.json", Folder::Named("one"));
    Json second = Folder::Named("two");
    second[member] = Folder::Named("one")[member];
    folder.Add("2.json", second);
    EXPECT_EQ(folder.Error(), std::string("2.json: /") + member + ": \"" +
                                  std::string(second[member]) +
                                  "\" already belongs to the family one");
  }
  const Folder folder;
  folder.Add("1.json", Folder::Named("one"));
  Json second = Folder::Named("two");
  second["token"] = "one_tuned";
  second["file"] = "one_tuned.csv";
  folder.Add("2.json", second);
  EXPECT_EQ(folder.Error(), "2.json: /token: \"one_tuned\" already belongs to the family one");
}

TEST(Families, a_wrong_file_and_a_folder_without_families_are_named) {
  const Folder folder;
  folder.Add("1.json", Folder::Named("one"));
  folder.Add("2.json", Json::object());
  EXPECT_EQ(folder.Error(), "2.json: /name: is missing");
  const test::TempDir empty;
  EXPECT_EQ(Families::Load(empty.path()).error().detail,
            empty.path().string() + ": no family file (*.json) in this folder");
  EXPECT_EQ(Families::Load("/nonexistent").error().detail,
            "/nonexistent: No such file or directory");
}

Json Miss(const std::string& line) {
  return Json::array({{{"mark", "not found"}, {"line", line}}});
}

TEST(FamilyLoader, refuses_modules_and_miss_lines_that_could_not_work) {
  EXPECT_EQ(ErrorWith("/misses", Miss("M:{M}, N:{N}, K:{k} not found in {file}, will")),
            "toy.json: /misses/0/line: has no place for the column K, and `cells` does not give "
            "its value");
  EXPECT_EQ(ErrorWith("/misses", Miss("M:{M}, N:{N}, K:{K} not found in {file}, will")),
            "accepted");
  EXPECT_EQ(ErrorWith("/misses", Miss("M:{M}, N:{N}, not found")),
            "toy.json: /misses/0/line: has no place for the column K, and `cells` does not give "
            "its value");
  Json with_cells = Miss("M:{M}, N:{N}, not found");
  with_cells[0]["cells"] = {{"K", "128"}};
  EXPECT_EQ(ErrorWith("/misses", with_cells), "accepted");
  const auto error = [](const char* modules) {
    return ErrorWith("/modules", Json::parse(modules));
  };
  EXPECT_THAT(error(R"([{"name": "Toy"}])"), HasSubstr("/modules/0/name"));
  EXPECT_THAT(error(R"([{"name": "a", "resolved_by": "hash"}])"),
              HasSubstr("/modules/0/resolved_by"));
  EXPECT_THAT(error(R"([{"name": "a"}, {"name": "b"}])"), HasSubstr("/modules/1"));
  EXPECT_THAT(error(R"([{"name": "a", "kind": "b"}])"), HasSubstr("/modules/0/kind"));
}

TEST(FamilyLoader, a_miss_line_that_could_never_be_read_is_refused) {
  EXPECT_EQ(ErrorWith("/misses", Miss("M:{M}, N:{N}, K:{K}, L:{L} not found")),
            "toy.json: /misses/0/line: unknown column of this family: \"L\"");
  EXPECT_EQ(ErrorWith("/misses", Miss("M:{M}, N:{N}, K:{K}")),
            "toy.json: /misses/0/line: needs text before, between and after the places");
  EXPECT_EQ(ErrorWith("/misses", Miss("M:{M}, N:{N}, K:{K}, absent")),
            "toy.json: /misses/0/mark: must be a part of the line that is outside of braces");
  Json wrong_cells = Miss("M:{M}, N:{N}, K:{K}, not found");
  wrong_cells[0]["cells"] = {{"L", "128"}};
  EXPECT_EQ(ErrorWith("/misses", wrong_cells),
            "toy.json: /misses/0/cells: unknown column of this family: \"L\"");
  wrong_cells[0].erase("cells");
  wrong_cells[0]["replace"] = {{"K", "128"}};
  EXPECT_EQ(ErrorWith("/misses", wrong_cells),
            "toy.json: /misses/0/replace/K: must be an object, but is string");
}

}  // namespace
}  // namespace tunehub::core

// A second implementation of AITER's lookup in the nested layout, on files that nlohmann reads. The
// tests compare it with tunehub's lookup, and with a lookup in the files written from the rows. The
// tests look up every shape key of the given files:
//  - with a CU count that has a file and one that has none;
//  - with M at, below and above each bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/analysis/bucket_merge.h"
#include "core/readers/file_name.h"
#include "tests/support/readers.h"
#include "tests/support/shipped.h"
#include "tests/unit/core/readers/bucket_lookup.h"

namespace tunehub::test {
namespace {

using Json = nlohmann::ordered_json;
using Tree = std::map<std::string, Json>;  // by path
using List = std::vector<std::string>;

struct Asked {
  std::string folder;  // "gfx1250/gluon/gemm/gemm_a16w16"
  std::string name;    // "GEMM-A16W16"
  std::optional<int> b;
  int n = 0, k = 0, cu = 0;
};

std::string File(const Tree& tree, const Asked& asked) {
  const std::string fallback = asked.folder + "/DEFAULT.json";
  if (!tree.contains(fallback)) return "";  // here AITER raises an AssertionError
  const std::string sizes = "N=" + std::to_string(asked.n) + "-K=" + std::to_string(asked.k);
  const std::string cu = "-CU=" + std::to_string(asked.cu);
  List suffixes = {sizes + cu, sizes};
  if (asked.b) {
    const std::string batch = "B=" + std::to_string(*asked.b) + "-";
    suffixes.insert(suffixes.begin(), {batch + sizes + cu, batch + sizes});
  }
  for (const std::string& suffix : suffixes) {
    const std::string path = asked.folder + "/" + asked.name + "-" + suffix + ".json";
    if (tree.contains(path)) return path;
  }
  return fallback;
}

Tree Parsed(const std::map<std::string, std::string>& files) {
  Tree tree;
  for (const auto& [path, bytes] : files) tree[path] = Json::parse(bytes);
  return tree;
}

// A tree, the reader's result for it, and the files written from the rows.
struct Nested {
  explicit Nested(const std::vector<core::TreeEntry>& entries)
      : reading(core::ReadTree(reader, ShippedTargets(), entries)) {
    for (const core::TreeEntry& entry : entries) given[entry.name] = entry.bytes;
    original = Parsed(given);
    served = Parsed(Written(reader, reading));
  }
  List Found() const {
    List found;
    for (const core::Finding& it : reading.findings) {
      found.push_back(it.file + " " + it.code + (it.aside ? "!" : ""));
    }
    return found;
  }
  std::size_t RowsOf(const std::string& family) const {
    for (const core::TreeTable& table : reading.tables) {
      if (table.family->name == family) return table.rows;
    }
    return 0;
  }

  const core::Reader& reader = ShippedReader("aiter");
  core::TreeReading reading;
  std::map<std::string, std::string> given;
  Tree original, served;
};

// The shape keys of the tree's files, each with two CU counts: one has a file, one has none.
std::vector<std::pair<Asked, core::KeyCells>> KeysOf(const Nested& nested) {
  std::vector<std::pair<Asked, core::KeyCells>> keys;
  for (const auto& [path, file] : nested.original) {
    const auto parsed = core::ParsePath(nested.reader, path);
    if (!parsed.ok() || parsed->store->body != core::BodyKind::kBuckets) continue;
    const core::Family& family = *parsed->store->family;
    const auto cell = [&](const char* column) -> const std::string& {
      return parsed->cells[family.Find(column)];
    };
    if (cell("K").empty() || !cell("sizes").empty()) continue;
    for (const int cu : {192, 256}) {
      for (const bool batched : {false, true}) {
        Asked asked{path.substr(0, path.rfind('/')), cell("op"), {}, 0, 0, cu};
        asked.n = std::stoi(cell("N"));
        asked.k = std::stoi(cell("K"));
        if (batched) asked.b = cell("B").empty() ? 7 : std::stoi(cell("B"));
        core::KeyCells key = parsed->cells;
        key[family.Find("CU")] = std::to_string(cu);
        key[family.Find("B")] = batched ? std::to_string(*asked.b) : "";
        keys.emplace_back(asked, key);
      }
    }
  }
  return keys;
}

void CompareLookups(const Nested& nested, std::size_t fewest) {
  const core::ReaderStore& store = nested.reader.stores.front();
  const auto exists = [&](const std::string& path) { return nested.original.contains(path); };
  std::size_t asked_for = 0;
  for (const auto& [asked, key] : KeysOf(nested)) {
    const std::string path = File(nested.original, asked);
    const auto chosen = core::ChosenFile(store, &store.states.front(), key, exists);
    ASSERT_EQ(chosen.path, path) << asked.folder << " B " << asked.b.value_or(0) << " CU "
                                 << asked.cu;
    if (path.empty()) continue;
    EXPECT_EQ(chosen.special, !path.ends_with("/DEFAULT.json"));
    EXPECT_EQ(File(nested.served, asked), path) << "the served file differs";
    const Json &file = nested.original.at(path), &served = nested.served.at(path);
    const auto bounds = BoundsOf(file, asked.name);
    std::set<std::int64_t> rows = {1};
    for (const auto bound : bounds) rows.insert({bound - 1, bound, bound + 1});
    rows.erase(0);
    const auto read = buckets::BucketFile::Parse(path, file.dump());
    ASSERT_TRUE(read.ok()) << path;
    const auto tried = store.family->lookup.BoundsOf(asked.name, read->bounds());
    for (const std::int64_t m : rows) {
      const std::string wanted = SmallestBound(file, m, bounds);
      const auto* bucket = read->At(m, tried);
      ASSERT_EQ(bucket == nullptr ? "" : bucket->name, wanted) << path << " M " << m;
      const std::string got = SmallestBound(served, m, BoundsOf(served, asked.name));
      ASSERT_EQ(got, wanted) << path << " M " << m << " in the served file";
      ++asked_for;
      if (wanted.empty()) continue;
      ASSERT_EQ(served.at(got), file.at(wanted)) << path;
    }
  }
  EXPECT_GE(asked_for, fewest);
}

const std::string kAny = R"({"any": {"x": 1}})";

std::vector<core::TreeEntry> Entries(
    const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<core::TreeEntry> entries;
  for (const auto& [path, bytes] : files) entries.push_back({path, path, bytes});
  return entries;
}

TEST(TritonNested, the_candidates_are_tried_in_aiters_order) {
  const std::string folder = "gfx1250/gluon/gemm/batched_gemm_a16w16/";
  const std::string name = folder + "BATCHED_GEMM-A16W16-";
  const List all = {name + "B=7-N=1-K=2-CU=192.json", name + "B=7-N=1-K=2.json",
                    name + "N=1-K=2-CU=192.json", name + "N=1-K=2.json"};
  for (std::size_t from = 0; from <= all.size(); ++from) {
    std::vector<std::pair<std::string, std::string>> files = {{folder + "DEFAULT.json", kAny}};
    for (std::size_t i = from; i < all.size(); ++i) {
      files.emplace_back(all[i], R"({"M_LEQ_4": {"x": )" + std::to_string(i) + "}}");
    }
    const Nested nested(Entries(files));
    EXPECT_EQ(nested.Found(), List{});
    EXPECT_EQ(nested.served, nested.original);
    CompareLookups(nested, from == all.size() ? 0 : 1);
  }
}

TEST(TritonNested, no_lookup_of_today_goes_to_the_other_backend_or_to_flat_files) {
  const core::ReaderStore& store = ShippedReader("aiter").stores.front();
  core::KeyCells key(store.family->columns.size());
  const auto put = [&](const char* column, const char* text) {
    key[store.family->Find(column)] = text;
  };
  put("engine", "aiter");
  put("gfx", "gfx950");
  put("op", "GEMM-A8W8");
  put("layout", "triton/gemm");
  const auto found = [&](const core::LookupState& state, const std::string& only) {
    return core::ChosenFile(store, &state, key, [&](const auto& path) { return path == only; })
        .path;
  };
  const std::string gluon = "gfx950/gluon/gemm/gemm_a8w8/DEFAULT.json",
                    flat = "gemm/gfx950-GEMM-A8W8.json";
  for (const std::string& other : {gluon, flat}) {
    EXPECT_EQ(found(store.states.front(), other), "");
    EXPECT_EQ(found(store.states.back(), other), other) << "the state of August 2026";
  }
}

TEST(TritonNested, a_files_own_bounds_are_kept_and_looked_up_by) {
  const std::string file = "gfx1201/triton/gemm/gemm_a8w8/GEMM-A8W8-N=1-K=2.json";
  const Nested nested(
      Entries({{file, R"({"M_BOUNDS": [2, 32768], "M_LEQ_2": {"x": 1}, "M_GEQ_2": {"x": 2}})"}}));
  EXPECT_EQ(nested.Found(), List{file + " no_default"});
  EXPECT_NE(nested.reading.findings[0].detail.find(
                "Required config file doesn't exist: gfx1201/triton/gemm/gemm_a8w8/DEFAULT.json"),
            std::string::npos);
  EXPECT_EQ(nested.served, nested.original);
  EXPECT_EQ(nested.RowsOf("triton_gemm"), 2U);
  for (const char* const bad :
       {"[]", "[4, 2]", "[2, 2]", "[0]", "[1.0]", "\"2\"", "[\"2\"]", "2"}) {
    const Nested wrong(
        Entries({{file, std::string(R"({"M_BOUNDS": )") + bad + R"(, "any": {"x": 1}})"}}));
    ASSERT_EQ(wrong.Found(), List{file + " bad_bounds!"}) << bad;
    EXPECT_NE(wrong.reading.findings[0].detail.find(bad), std::string::npos);
  }
}

TEST(TritonNested, other_schemas_are_carried_whole_and_never_among_gemms) {
  const std::string gemm = "gfx950/triton/gemm/gemm_a8w8/";
  const Nested nested(Entries({
      {"gfx950/gluon/attention/mha/mha.json", R"({"fwd": {"default": [1, {"pe": "a b"}]}})"},
      {"gfx950/triton/conv/DEFAULT.json", "{}"},
      {gemm + "DEFAULT.json", kAny},
      {gemm + "GEMM-A8W8-N=1-K=2.json", R"({"M_LEQ_4": {"x": 1, "packed": {"y": 2}}})"},
      {gemm + "GEMM-A8W8-N=1-K=3.json", R"({"M_BOUNDS": [7], "M_LEQ_7": {"x": 1}})"},
      {"gfx950/triton/moe/a8w8/DEFAULT.json", "[1]"},
      {"gfx950/triton/moe/a8w8/x.json", R"({"a": {"b": 1, "b": 2}})"},
  }));
  EXPECT_EQ(nested.Found(), (List{"gfx950/triton/moe/a8w8/DEFAULT.json not_an_object!",
                                  "gfx950/triton/moe/a8w8/x.json twice_in_object!"}));
  EXPECT_EQ(nested.RowsOf("triton_gemm"), 1U);
  EXPECT_EQ(nested.RowsOf("triton_file"), 4U);
  EXPECT_EQ(nested.served.size(), 5U);
  for (const auto& [path, file] : nested.served) EXPECT_EQ(file, nested.original.at(path)) << path;
  std::string large = R"({"a": ")" + std::string(300'000, 'x') + "\"}";
  const Nested too_large(Entries({{"gfx950/triton/moe/a8w8/DEFAULT.json", large}}));
  EXPECT_EQ(too_large.Found(), List{"gfx950/triton/moe/a8w8/DEFAULT.json too_large!"});
}

TEST(TritonNested, every_given_file_comes_back_equal_and_is_found_as_aiter_finds_it) {
  const auto tree = RealDataFolder() / "aiter_2026_11/triton_configs";
  auto entries = JsonFilesBelow(tree);
  if (entries.empty()) {
    GTEST_SKIP() << "NOT TESTED: no files in " << tree << " (set TUNEHUB_DATA)";
  }
  std::set<std::string> folders;
  for (const core::TreeEntry& entry : entries) {
    if (entry.name.find("/gemm/") != std::string::npos) {
      folders.insert(entry.name.substr(0, entry.name.rfind('/')));
    }
  }
  // AITER reads a special file only if its folder has a default.
  for (const std::string& folder : folders) {
    const std::string name = folder + "/DEFAULT.json";
    const auto has = [&](const auto& entry) { return entry.name == name; };
    if (std::ranges::none_of(entries, has)) entries.push_back({name, name, kAny});
  }
  const Nested nested(entries);
  EXPECT_EQ(nested.Found(), List{});
  for (const auto& [path, file] : nested.original) {
    ASSERT_TRUE(nested.served.contains(path)) << path;
    EXPECT_EQ(nested.served.at(path).dump(), file.dump()) << path << ": also the order";
  }
  CompareLookups(nested, 300);
}

}  // namespace
}  // namespace tunehub::test

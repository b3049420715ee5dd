// Reads every file of the engines' trees, if present, and rewrites each file from its rows. A
// second implementation of the lookups works on files that nlohmann reads.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/readers/file_name.h"
#include "tests/support/readers.h"
#include "tests/support/shipped.h"
#include "tests/unit/core/readers/bucket_lookup.h"

namespace tunehub::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kLargestM = 8192;

// Returns the member that vLLM and SGLang choose: the nearest by distance, as Python's min finds
// it.
std::string Nearest(const Json& file, std::int64_t m) {
  std::string taken;
  std::int64_t least = 0;
  for (const auto& [name, config] : file.items()) {
    const std::int64_t distance = std::abs(std::stoll(name) - m);
    if (!taken.empty() && distance >= least) continue;
    taken = name;
    least = distance;
  }
  return taken;
}

class RealReaderTrees : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    entries_ = RealFiles(GetParam());
    if (entries_.empty()) {
      GTEST_SKIP() << "NOT TESTED: no files in " << RealTree(GetParam()) << " (set TUNEHUB_DATA)";
    }
    reading_ = core::ReadTree(reader_, ShippedTargets(), entries_);
    written_ = Written(reader_, reading_);
    for (const core::Finding& finding : reading_.findings) {
      if (finding.aside) aside_[finding.file].insert(finding.member);
    }
  }

  // Returns the path below the config folder, or "" for a file that is not the reader's.
  std::string NameOf(const core::TreeEntry& entry) const {
    std::string tail;
    for (const core::ReaderStore& store : reader_.stores) {
      if (core::IsOf(store, entry.name, tail)) return tail;
    }
    return "";
  }

  const core::Reader& reader_ = ShippedReader(GetParam());
  std::vector<core::TreeEntry> entries_;
  core::TreeReading reading_;
  std::map<std::string, std::string> written_;
  std::map<std::string, std::set<std::string>> aside_;  // members left out, by file
};

TEST_P(RealReaderTrees, every_file_comes_back_equal_but_for_what_is_listed) {
  std::size_t equal = 0;
  for (const core::TreeEntry& entry : entries_) {
    const std::string name = NameOf(entry);
    const auto aside = aside_.find(entry.path);
    if (name.empty()) continue;
    if (aside != aside_.end() && aside->second.contains("")) {
      EXPECT_FALSE(written_.contains(name) && reading_.files_aside == 0) << entry.path;
      continue;
    }
    ASSERT_TRUE(written_.contains(name)) << entry.path;
    Json expected = Json::parse(entry.bytes);
    for (const core::ReaderStore& store : reader_.stores) {
      for (const core::FileMember& member : store.file_members) expected.erase(member.name);
    }
    if (aside != aside_.end()) {
      for (const std::string& member : aside->second) expected.erase(member);
    }
    const Json served = Json::parse(written_.at(name));
    EXPECT_EQ(served.dump(), expected.dump()) << entry.path << ": also the order";
    ++equal;
  }
  EXPECT_GT(equal, 100U);
  EXPECT_EQ(equal + reading_.files_aside, reading_.files);
  EXPECT_EQ(written_.size(), equal);
}

TEST_P(RealReaderTrees, a_lookup_takes_the_same_of_the_original_and_of_what_is_written) {
  for (const core::TreeEntry& entry : entries_) {
    const std::string name = NameOf(entry);
    if (!written_.contains(name)) continue;
    const auto parsed = core::ParsePath(reader_, name);
    ASSERT_TRUE(parsed.ok()) << name;
    const core::ReaderStore& store = *parsed->store;
    const std::string op = store.op == core::kNoColumn ? "" : parsed->cells[store.op];
    const Json original = Json::parse(entry.bytes), served = Json::parse(written_.at(name));
    if (store.body == core::BodyKind::kWhole) continue;  // an earlier check compared the whole file
    const bool bounds = store.lookup == core::LookupRule::kSmallestBound;
    for (std::int64_t m = 1; m <= kLargestM + 1; m += 1 + m / 64) {
      const auto member = [&](const Json& file) {
        return bounds ? SmallestBound(file, m, BoundsOf(file, op)) : Nearest(file, m);
      };
      const std::string wanted = member(original), got = member(served);
      ASSERT_EQ(got.empty(), wanted.empty()) << name << " M " << m;
      if (got.empty()) continue;
      ASSERT_EQ(served.at(got), original.at(wanted)) << name << " M " << m;
    }
  }
}

// AITER reads only the first folder with a default, so a shape key's own file must be there.
TEST_P(RealReaderTrees, a_key_finds_its_own_file_among_what_is_written) {
  std::set<std::string> first;
  for (const core::Finding& finding : reading_.findings) {
    if (finding.code == "other_folder_first") first.insert(finding.file);
  }
  const auto exists = [&](const std::string& path) { return written_.contains(path); };
  for (const auto& [path, bytes] : written_) {
    const auto parsed = core::ParsePath(reader_, path);
    ASSERT_TRUE(parsed.ok()) << path;
    const auto& states = parsed->store->states;  // the oldest state, which also reads flat trees
    const core::LookupState* const state = states.empty() ? nullptr : &states.back();
    const core::FileChoice found = core::ChosenFile(*parsed->store, state, parsed->cells, exists);
    EXPECT_EQ(found.path == path, !first.contains(path)) << path << " finds " << found.path;
    if (parsed->store->special.empty() || !found.special) continue;
    core::KeyCells other = parsed->cells;
    other[parsed->store->family->Find("N")] = "1";  // nobody has tuned this N
    other[parsed->store->family->Find("sizes")].clear();
    const core::FileChoice fallback = core::ChosenFile(*parsed->store, state, other, exists);
    EXPECT_FALSE(fallback.special) << path;
    EXPECT_TRUE(exists(fallback.path)) << path;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, RealReaderTrees, testing::Values("vllm", "sglang", "aiter"));

}  // namespace
}  // namespace tunehub::test

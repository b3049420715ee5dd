// A merge reads its files in chunks, on several threads: whatever the cuts, it must say what
// reading them whole says.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "core/row/standing.h"
#include "core/table/merge.h"
#include "core/table/tuned_table.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

const std::string kHeader =
    "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";

const Family& Blockscale() {
  return test::ShippedFamily("a8w8_blockscale");
}

std::string Say(std::size_t file, std::string_view what, const RowIssue& issue) {
  return std::to_string(file) + ":" + std::to_string(issue.line) + " " + std::string(what) + " " +
         issue.column + " " + issue.code + " " + issue.detail + "\n";
}

std::string Say(const Duplicate& duplicate) {
  std::string out = duplicate.identical ? "identical" : "conflicting";
  for (const Place& place : duplicate.places) {
    out += " " + std::to_string(place.file) + ":" + std::to_string(place.line) + " " + place.text;
  }
  return out + "\n";
}

// Everything that a merge answers, as one text.
std::string Merge(const std::vector<std::string>& texts, const MergeOptions& options) {
  std::vector<SourceFile> sources;
  for (const std::string& text : texts) sources.push_back({std::to_string(sources.size()), text});
  const auto merged = MergeTables(Blockscale(), test::ShippedTargets(), sources, options);
  if (!merged.ok()) return merged.error().code + ": " + merged.error().detail;
  std::string out = merged->Csv() + std::to_string(merged->rows_read) + " read\n";
  for (const Duplicate& duplicate : merged->duplicates) out += Say(duplicate);
  for (const FileIssues& file : merged->issues) {
    for (const RowIssue& issue : file.rejected) out += Say(file.file, "rejected", issue);
    for (const RowIssue& issue : file.quarantined) out += Say(file.file, "quarantined", issue);
  }
  return out;
}

struct Placed {
  Row row;
  std::size_t file;
};

// The same by another way: every file whole, all rows of a key side by side.
std::string Expected(const std::vector<std::string>& texts) {
  std::map<std::string, std::vector<Placed>> keys;
  std::string issues;
  std::size_t read = 0;
  for (std::size_t file = 0; file < texts.size(); ++file) {
    auto table = ReadTunedTable(Blockscale(), test::ShippedTargets(), texts[file]);
    if (!table.ok()) {
      return table.error().code + ": " + std::to_string(file) + ": " + table.error().detail;
    }
    read += table->rows.size() + table->rejected.size();
    for (const RowIssue& issue : table->rejected) issues += Say(file, "rejected", issue);
    for (const Row& row : table->rows) {
      if (Competes(row.standing)) {
        keys[row.order].push_back({row, file});
        continue;
      }
      const std::size_t colon = row.reason.find(": ");
      issues +=
          Say(file, "quarantined",
              {row.source_line, "", row.reason.substr(0, colon), row.reason.substr(colon + 2)});
    }
  }
  std::string lines = kHeader, duplicates;
  for (auto& [order, group] : keys) {
    std::ranges::stable_sort(group, [](const Placed& a, const Placed& b) {
      return Beats({a.row.standing, a.row.us, a.row.error, {}, 0, {}},
                   {b.row.standing, b.row.us, b.row.error, {}, 0, {}});
    });
    lines += group[0].row.line + "\n";
    if (group.size() == 1) continue;
    Duplicate duplicate{{}, true};
    for (const Placed& placed : group) {
      duplicate.identical = duplicate.identical && placed.row.line == group[0].row.line;
      duplicate.places.push_back({placed.file, placed.row.source_line, placed.row.line});
    }
    duplicates += Say(duplicate);
  }
  return lines + std::to_string(read) + " read\n" + duplicates + issues;
}

std::string RandomRow(std::mt19937& random) {
  const auto pick = [&](std::initializer_list<const char*> of) {
    return std::string(of.begin()[random() % of.size()]);
  };
  if (random() % 12 == 0) {
    return pick({"", "# gfx942,\"304", "gfx942,1", "gfx942,304,x,1280,8192,ck,7,0,1,k,1,1,0",
                 "gfx942,304,4,1280,8192,ck,7,0,-1,k,1,1,0", ",,,,,,,,,,,,",
                 "\xEF\xBB\xBF"
                 "gfx942",
                 "gfx942,304,4,1280,8192,ck,7,0,2,k,1,1,0.9"}) +
           pick({"\n", "\r\n"});
  }
  return pick({"gfx942,304,", "gfx950,256,", "gfx950:xnack-,256.0,", ",80,"}) +
         std::to_string(random() % 300) + pick({",1280,", ",70000,"}) + "8192,ck,7,0," +
         pick({"4.5", "3", "0", "inf", "1e-9"}) + pick({",k,", ",l,", ", m ,"}) + "1,1,0.0" +
         pick({"\n", "\n", "\r\n"});
}

std::vector<std::string> RandomTables(std::mt19937& random) {
  std::vector<std::string> texts(random() % 4);
  for (std::string& text : texts) {
    text = (random() % 4 == 0 ? "# first\n\n" : "") + kHeader;
    for (auto rows = random() % 40; rows > 0; --rows) text += RandomRow(random);
    if (random() % 4 == 0) text += "gfx942,304,4,1280,8192,ck,7,0,2,\"k,\"\"\nl\",1,1,0\n";
    if (random() % 4 == 0) text += RandomRow(random);
    if (random() % 3 == 0 && text.back() == '\n') text.pop_back();
    if (random() % 20 == 0) text.insert(random() % text.size(), "\xFF");
    if (random() % 20 == 0) text.insert(text.find('\n', random() % text.size()) + 1, "=======\n");
    if (random() % 20 == 0) text.insert(random() % text.size(), "\"");
  }
  return texts;
}

TEST(MergeChunksRace, any_cuts_on_any_threads_say_what_reading_whole_says) {
  std::mt19937 random(7);
  std::size_t merged = 0, refused = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::vector<std::string> texts = RandomTables(random);
    const MergeOptions options{.threads = 1 + random() % 4, .chunk_bytes = 1 + random() % 1500};
    const std::string expected = Expected(texts);
    ASSERT_EQ(Merge(texts, options), expected) << "round " << round << ", " << options.threads
                                               << " threads, " << options.chunk_bytes << " bytes";
    ++(expected.starts_with(kHeader) ? merged : refused);
  }
  EXPECT_GT(merged, 500u);
  EXPECT_GT(refused, 50u);
}

}  // namespace
}  // namespace tunehub::core

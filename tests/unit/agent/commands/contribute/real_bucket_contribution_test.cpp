// A contribution to a copy of AITER's real Triton configs. AITER's lookup is said again here: no
// code of the command takes part in the judgement. All times are MADE.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/readers.h"
#include "tests/unit/agent/commands/contribute/contribute_support.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;
using TritonJson = nlohmann::ordered_json;
using TritonTree = std::map<std::string, TritonJson>;

// N and K of nobody; of the special file that is offered; of who gains and who loses by an edit.
constexpr int kNobody = 1000001, kOffered = 1000003, kGains = 1000005, kLoses = 1000007;

std::string BodyOf(const fs::path& file) {
  return test::ReadText(file);
}

// Files of buckets alone: conv, attention and others in the folder have other schemas.
TritonTree ReadTriton(const fs::path& folder) {
  TritonTree tree;
  for (const auto& it : fs::recursive_directory_iterator(folder)) {
    if (it.path().extension() != ".json") continue;
    TritonJson body = TritonJson::parse(BodyOf(it.path()), nullptr, false);
    if (body.is_object()) tree[it.path().lexically_relative(folder).string()] = std::move(body);
  }
  return tree;
}

struct TritonKernel {
  std::string gfx, op, before, tail;  // a special file is before + op + "-N=..-K=.." + .json
  std::string fallback;               // path of the default
};

// The kernels with a default of their own in gemm/ and in GFX/triton/gemm/.
std::vector<TritonKernel> KernelsIn(const TritonTree& tree) {
  std::vector<TritonKernel> kernels;
  for (const auto& [path, body] : tree) {
    const std::string name = path.substr(path.rfind('/') + 1);
    if (path.starts_with("gemm/gfx") && path.find('=') == std::string::npos) {
      const std::string gfx = name.substr(0, name.find('-'));
      const std::string op = name.substr(gfx.size() + 1, name.size() - gfx.size() - 6);
      kernels.push_back({gfx, op, "gemm/" + gfx + "-" + op, "", path});
    }
    const std::size_t nested = path.find("/triton/gemm/");
    if (nested == std::string::npos || !name.ends_with("DEFAULT.json")) continue;
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    const auto special = std::ranges::find_if(tree, [&](const auto& it) {
      return it.first.starts_with(folder) && it.first.find("-N=") != std::string::npos;
    });
    if (special == tree.end()) continue;  // its name in capitals is not known
    const std::string op =
        special->first.substr(folder.size(), special->first.find("-N=") - folder.size());
    kernels.push_back({path.substr(0, nested), op, folder + op, "", path});
  }
  return kernels;
}

std::vector<std::int64_t> TritonBounds(const std::string& op) {
  std::vector<std::int64_t> bounds = {1, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
  if (op == "GEMM-AFP4WFP4_PRESHUFFLED") bounds[0] = 31;
  if (op == "BATCHED_GEMM-AFP4WFP4") bounds[0] = 320;
  std::ranges::sort(bounds);
  return bounds;
}

// The bucket and its config; "": AITER raises.
std::pair<std::string, TritonJson> Looked(const TritonJson& file, std::int64_t m,
                                          const std::vector<std::int64_t>& bounds) {
  for (const auto bound : bounds) {
    const std::string name = "M_LEQ_" + std::to_string(bound);
    if (m <= bound && file.contains(name)) return {name, file.at(name)};
  }
  for (auto bound = bounds.rbegin(); bound != bounds.rend(); ++bound) {
    const std::string name = "M_GEQ_" + std::to_string(*bound);
    if (m >= *bound && file.contains(name)) return {name, file.at(name)};
  }
  if (file.contains("any")) return {"any", file.at("any")};
  return {"", {}};
}

std::string SpecialPath(const TritonKernel& kernel, const std::string& sizes) {
  return kernel.before + "-" + sizes + ".json";
}

const TritonJson& FileRead(const TritonTree& tree, const TritonKernel& kernel,
                           const std::string& sizes) {
  const auto special = tree.find(SpecialPath(kernel, sizes));
  return special == tree.end() ? tree.at(kernel.fallback) : special->second;
}

// All sizes that a special file of the kernel names, and those of this test.
std::set<std::string> SizesOf(const TritonTree& tree, const TritonKernel& kernel) {
  std::set<std::string> sizes;
  for (const int n : {kNobody, kOffered, kGains, kLoses}) {
    sizes.insert("N=" + std::to_string(n) + "-K=4096");
  }
  for (const auto& [path, body] : tree) {
    const std::string begin = kernel.before + "-N=";
    if (path.starts_with(begin)) {
      sizes.insert(path.substr(begin.size() - 2, path.size() - begin.size() - 3));
    }
  }
  return sizes;
}

std::string Quoted(const TritonJson& config) {
  std::string text;
  for (const char c : config.dump()) text += c == '"' ? "\"\"" : std::string(1, c);
  return "\"" + text + "\"";
}

class RealBuckets : public test::ContributeTest {
 protected:
  void SetUp() override {
    const fs::path real = tunehub::test::RealTree("aiter");
    if (real.empty())
      GTEST_SKIP() << "no Triton files of AITER beside the repository: TUNEHUB_DATA";
    fs::create_directories(folder_.parent_path());
    fs::copy(real, folder_, fs::copy_options::recursive);
    before_ = ReadTriton(folder_);
    kernels_ = KernelsIn(before_);
  }

  // The config that M=64 reads, changed.
  static TritonJson Changed(const TritonJson& file, const TritonKernel& kernel) {
    TritonJson config = Looked(file, 64, TritonBounds(kernel.op)).second;
    if (config.contains("BLOCK_SIZE_M")) config["BLOCK_SIZE_M"] = 777;
    return config;
  }

  static std::string Row(const TritonKernel& kernel, const std::string& sizes,
                         const TritonJson& config, const std::string& us) {
    return "aiter," + kernel.gfx + ",gemm," + kernel.op + ",," + sizes + ",,M_LEQ_64," +
           Quoted(config) + "," + us + "\n";
  }

  static void AddTimes(const TritonKernel& kernel, int n, double old_us, double new_us,
                       std::string& csv) {
    std::string name = kernel.op;
    std::ranges::transform(name, name.begin(), [](unsigned char c) {
      return c == '-' ? '_' : static_cast<char>(std::tolower(c));
    });
    for (int run = 0; run < 3; ++run) {
      for (const bool with_new : {false, true}) {
        csv += name + "," + kernel.gfx + ",64," + std::to_string(n) + ",4096,M_LEQ_64," +
               (with_new ? "new," : "old,") + std::to_string(with_new ? new_us : old_us) + "\n";
      }
    }
  }

  int Offer(const std::string& rows, const std::string& times) {
    return Contribute({"--model", "m", "--in-place", "--results",
                       results_.Write("triton_gemm.csv", rows), "--measured",
                       results_.Write("times.csv", times)});
  }

  const fs::path folder_ = tree_.path() / "aiter/ops/triton/configs";
  TritonTree before_;
  std::vector<TritonKernel> kernels_;
};

TEST_F(RealBuckets, EveryShapeReadsWhatItReadOrWhatWasOffered) {
  std::string rows = "engine,gfx,layout,op,B,N,K,sizes,bucket,config,us\n";
  std::string times = "kernel,gfx,M,N,K,bucket,config,us\n";
  std::map<std::string, TritonJson> offered;            // by default file
  std::set<std::pair<std::string, std::string>> timed;  // of which GPU, which kernel
  for (const TritonKernel& kernel : kernels_) {
    const TritonJson config = Changed(before_.at(kernel.fallback), kernel);
    if (!config.contains("BLOCK_SIZE_M")) continue;
    offered[kernel.fallback] = config;
    rows += Row(kernel, std::to_string(kOffered) + ",4096", config, "10");
    // An edit of the default that one gains by and another loses by, where it has the bucket.
    const bool edits = before_.at(kernel.fallback).contains("M_LEQ_64") &&
                       timed.insert({kernel.gfx, kernel.op}).second;
    if (!edits) continue;
    rows += Row(kernel, ",", config, "10");
    AddTimes(kernel, kGains, 20, 10, times);
    AddTimes(kernel, kLoses, 20, 40, times);
  }
  ASSERT_GT(offered.size(), 30U);
  ASSERT_GT(timed.size(), 5U);
  ASSERT_EQ(Offer(rows, times), kGood) << console_.err.str();
  const TritonTree after = ReadTriton(folder_);
  for (const auto& [path, body] : before_) EXPECT_EQ(after.at(path), body) << path;
  std::size_t changed = 0, hybrid = 0;
  for (const TritonKernel& kernel : kernels_) {
    const auto bounds = TritonBounds(kernel.op);
    for (const std::string& sizes : SizesOf(before_, kernel)) {
      const bool is_offered = sizes.starts_with("N=" + std::to_string(kOffered));
      const bool gains = sizes.starts_with("N=" + std::to_string(kGains));
      hybrid += gains && after.contains(SpecialPath(kernel, sizes));
      for (const auto bound : bounds) {
        for (const auto m : {bound - 1, bound, bound + 1}) {
          if (m < 1) continue;
          const auto was = Looked(FileRead(before_, kernel, sizes), m, bounds);
          const auto is = Looked(FileRead(after, kernel, sizes), m, bounds);
          if (is.second == was.second) continue;
          ++changed;
          EXPECT_TRUE(is_offered || gains) << kernel.before << ' ' << sizes << ' ' << m;
          EXPECT_EQ(is.first, "M_LEQ_64") << kernel.before << ' ' << sizes << ' ' << m;
          EXPECT_EQ(is.second, offered.at(kernel.fallback)) << kernel.before << ' ' << sizes;
        }
      }
    }
  }
  EXPECT_EQ(hybrid, timed.size());
  EXPECT_GE(changed, offered.size());
  for (const auto& [path, body] : after) {
    if (before_.contains(path)) continue;
    EXPECT_NE(path.find("-N="), std::string::npos) << path;
    EXPECT_TRUE(BodyOf(folder_ / path).ends_with("\n}\n")) << path;
  }
  RecordProperty("new_files", static_cast<int>(after.size() - before_.size()));
}

}  // namespace
}  // namespace tunehub::agent

// Which folder may include which (ARCHITECTURE.md, "One direction"), and which foreign library may
// be seen where: each is replaceable only as long as one place knows it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "build_info.h"

namespace tunehub {
namespace {

namespace fs = std::filesystem;

struct Layer {
  std::string folder;
  std::vector<std::string> may_include;  // layers, besides itself
};

// The first row that a path begins with is its layer.
const std::vector<Layer> kLayers = {
    {"core/", {}},
    {"kernels/amd/", {"core/", "kernels/", "kernels/gpu/"}},
    // Executes the source of kernels/amd, and only tests execute it.
    {"kernels/emu/", {"core/", "kernels/", "kernels/amd/"}},
    {"kernels/gpu/", {"core/", "kernels/"}},
    {"kernels/nvidia/", {"core/", "kernels/", "kernels/gpu/"}},
    // The list of every vendor's.
    {"kernels/sets/", {"core/", "kernels/", "kernels/amd/", "kernels/gpu/", "kernels/nvidia/"}},
    {"kernels/", {"core/"}},
    {"dispatch/", {"core/", "kernels/", "kernels/gpu/", "kernels/sets/"}},
    // A user of the library, who brings memory, streams and events himself.
    {"examples/", {"core/", "dispatch/", "kernels/", "kernels/gpu/"}},
    {"agent/worker/", {"core/", "kernels/", "kernels/gpu/", "kernels/sets/"}},
    {"agent/", {"core/", "kernels/", "kernels/gpu/"}},
    {"server/registry/", {"core/"}},
    {"server/http/", {"core/"}},
    {"server/embedded/", {"core/"}},
    {"server/store/", {"core/", "server/registry/"}},
    {"server/service/", {"core/", "server/registry/", "server/store/", "server/http/"}},
    {"server/api/",
     {"core/", "server/registry/", "server/store/", "server/http/", "server/service/"}},
    // The program: main.cpp and its commands, the only place that may see all of the server.
    {"server/",
     {"core/", "server/registry/", "server/http/", "server/embedded/", "server/store/",
      "server/service/", "server/api/"}},
};

struct Foreign {
  std::string prefix;                // of the included name
  std::vector<std::string> allowed;  // folders or files
};

const std::vector<Foreign> kForeign = {
    {"cpprest/", {"server/http/", "agent/hub/http_client.cpp"}},
    {"pplx/", {"server/http/", "agent/hub/http_client.cpp"}},
    {"pqxx/", {"server/store/"}},
    {"libpq-fe.h", {"server/store/"}},
    {"boost/", {"server/http/", "kernels/emu/"}},
    {"hip/", {"kernels/gpu/"}},
};

struct Include {
  std::string file;  // relative to the tree
  int line;
  std::string name;
};

bool BeginsWithOneOf(const std::string& path, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return path.starts_with(prefix); });
}

const Layer* LayerOf(const std::string& path) {
  const auto found = std::find_if(kLayers.begin(), kLayers.end(), [&](const Layer& layer) {
    return path.starts_with(layer.folder);
  });
  return found == kLayers.end() ? nullptr : &*found;
}

std::optional<std::string> Broken(const Include& include) {
  const Layer* from = LayerOf(include.file);
  const Layer* to = LayerOf(include.name);
  if (from != nullptr && to != nullptr && from != to &&
      std::ranges::find(from->may_include, to->folder) == from->may_include.end()) {
    return from->folder + " may not include " + to->folder;
  }
  for (const auto& foreign : kForeign) {
    if (include.name.starts_with(foreign.prefix) &&
        !BeginsWithOneOf(include.file, foreign.allowed)) {
      return "only " + foreign.allowed.front() + " may include " + foreign.prefix;
    }
  }
  return std::nullopt;
}

std::string Rendered(const Include& include, const std::string& reason) {
  return include.file + ":" + std::to_string(include.line) + ": " + include.name + ": " + reason +
         "\n";
}

std::optional<std::string> IncludedName(const std::string& line) {
  const size_t hash = line.find_first_not_of(" \t");
  if (hash == std::string::npos || line[hash] != '#') return std::nullopt;
  const size_t word = line.find_first_not_of(" \t", hash + 1);
  if (word == std::string::npos || line.compare(word, 7, "include") != 0) return std::nullopt;
  const size_t open = line.find_first_of("<\"", word + 7);
  if (open == std::string::npos) return std::nullopt;
  const size_t close = line.find_first_of(">\"", open + 1);
  if (close == std::string::npos) return std::nullopt;
  return line.substr(open + 1, close - open - 1);
}

bool IsSource(const fs::path& path) {
  const auto extension = path.extension();
  return extension == ".cpp" || extension == ".h" || extension == ".cu" || extension == ".cuh" ||
         extension == ".hip";
}

std::vector<Include> IncludesOfTheTree() {
  const fs::path root = TUNEHUB_SOURCE_DIR;
  std::vector<Include> includes;
  for (const char* top : {"core", "kernels", "dispatch", "examples", "agent", "server"}) {
    if (!fs::exists(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      if (!entry.is_regular_file() || !IsSource(entry.path())) continue;
      const std::string file = fs::relative(entry.path(), root).generic_string();
      std::ifstream stream(entry.path());
      std::string line;
      for (int number = 1; std::getline(stream, line); ++number) {
        if (auto name = IncludedName(line)) includes.push_back({file, number, *name});
      }
    }
  }
  return includes;
}

TEST(IncludeDirection, the_tree_keeps_it) {
  const auto includes = IncludesOfTheTree();
  ASSERT_GT(includes.size(), 100U) << "the tree was not found in " << TUNEHUB_SOURCE_DIR;
  std::string offenders;
  for (const auto& include : includes) {
    if (const auto reason = Broken(include)) offenders += Rendered(include, *reason);
  }
  EXPECT_EQ(offenders, "");
}

// Whether compiling `file` reads a header that begins with `prefix`, through our headers too.
bool Reaches(const std::multimap<std::string, std::string>& names_by_file, const std::string& file,
             const std::string& prefix, std::set<std::string>& seen) {
  if (!seen.insert(file).second) return false;
  const auto [begin, end] = names_by_file.equal_range(file);
  return std::any_of(begin, end, [&](const auto& include) {
    return include.second.starts_with(prefix) ||
           Reaches(names_by_file, include.second, prefix, seen);
  });
}

TEST(IncludeDirection, one_file_compiles_beast_because_it_costs_thirteen_seconds) {
  std::multimap<std::string, std::string> names_by_file;
  for (const auto& include : IncludesOfTheTree()) names_by_file.emplace(include.file, include.name);
  std::set<std::string> files;
  for (const auto& [file, unused] : names_by_file) {
    std::set<std::string> seen;
    if (file.ends_with(".cpp") && Reaches(names_by_file, file, "boost/beast", seen)) {
      files.insert(file);
    }
  }
  EXPECT_LE(files.size(), 1U) << testing::PrintToString(files);
}

TEST(IncludeDirection, the_rules_catch_what_they_are_for) {
  const auto reason = [](const std::string& file, const std::string& name) {
    return Broken({file, 1, name}).value_or("allowed");
  };
  EXPECT_EQ(reason("core/key.cpp", "core/sha256.h"), "allowed");
  EXPECT_EQ(reason("core/key.cpp", "agent/hub/spool.h"), "core/ may not include agent/");
  EXPECT_EQ(reason("agent/push.cpp", "kernels/timer.h"), "allowed");
  EXPECT_EQ(reason("kernels/amd/gemm.h", "kernels/emu/lane.h"),
            "kernels/amd/ may not include kernels/emu/");
  EXPECT_EQ(reason("kernels/catalog.cpp", "kernels/amd/config.h"),
            "kernels/ may not include kernels/amd/");
  EXPECT_EQ(reason("agent/push.cpp", "kernels/emu/lane.h"), "agent/ may not include kernels/emu/");
  EXPECT_EQ(reason("agent/push.cpp", "server/http/request.h"),
            "agent/ may not include server/http/");
  EXPECT_EQ(reason("server/store/pool.cpp", "server/http/request.h"),
            "server/store/ may not include server/http/");
  EXPECT_EQ(reason("server/service/cache.cpp", "server/store/store.h"), "allowed");
  EXPECT_EQ(reason("server/service/cache.cpp", "server/api/routes.h"),
            "server/service/ may not include server/api/");
  EXPECT_EQ(reason("server/api/tuned.cpp", "server/embedded/cluster.h"),
            "server/api/ may not include server/embedded/");
  EXPECT_EQ(reason("server/main.cpp", "server/embedded/cluster.h"), "allowed");
  EXPECT_EQ(reason("server/main.cpp", "agent/hub/spool.h"), "server/ may not include agent/");
  EXPECT_EQ(reason("server/service/cache.cpp", "pqxx/pqxx"),
            "only server/store/ may include pqxx/");
  EXPECT_EQ(reason("agent/hub/http_client.cpp", "cpprest/http_client.h"), "allowed");
  EXPECT_EQ(reason("agent/push.cpp", "cpprest/http_client.h"),
            "only server/http/ may include cpprest/");
  EXPECT_EQ(IncludedName("#  include <pqxx/pqxx>  // why"), "pqxx/pqxx");
  EXPECT_EQ(IncludedName("// #include <pqxx/pqxx>"), std::nullopt);
}

}  // namespace
}  // namespace tunehub

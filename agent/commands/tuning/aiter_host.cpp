#include "agent/commands/tuning/aiter_host.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "agent/aiter/ask_python.h"
#include "agent/aiter/python_toolchain.h"
#include "agent/aiter/tuners/aiter_tuner.h"
#include "agent/aiter/tuners/aiter_variant.h"
#include "core/base/read_json.h"

namespace tunehub::agent::tuning {
namespace {

using Seen = nlohmann::ordered_json;

constexpr char kWhichPython[] =
    "import json, platform, sys; print(json.dumps([sys.executable, platform.python_version()]))";

Seen OrNull(const std::string& seen) {
  return seen.empty() ? Seen() : Seen(seen);
}

// Whether its PyTorch says that it was built for ROCm.
bool SeePython(const std::string& python, Seen& host) {
  const auto says = core::ReadJson(AskPython(python, kWhichPython));
  if (!says.is_array() || says.size() != 2) return false;
  host["python"] = says[0];
  host["python_version"] = says[1];
  bool for_rocm = false;
  for (const std::string& version : PythonToolchain(python)) {
    const std::string name = version.substr(0, version.find('='));
    const std::string member = name == "aiter" ? "version" : name;
    if (name == "rocm") {
      for_rocm = true;  // ROCm as it is installed may be another
    } else if (host.contains(member)) {
      host[member] = version.substr(name.size() + 1);
    }
  }
  return for_rocm;
}

// The first thing that a variant lacks; "": none.
std::string WhyNot(const Seen& host, const core::Family& family, bool for_rocm,
                   const std::string& gfx) {
  if (host["path"].is_null()) return "there is no AITER";
  const std::string script = family.tune_script.substr(0, family.tune_script.find(' '));
  if (FindScript(host["path"].get<std::string>(), script).empty())
    return "this AITER has no such script";
  if (tuners::VariantOf(family) == nullptr) {
    return family.metric.formula == "none" ? "its cases are no shapes"
                                           : "its options are not known here";
  }
  if (host["python"].is_null()) return "python3 does not run";
  if (host["pytorch"].is_null()) return "python3 has no PyTorch";
  if (!for_rocm) return "PyTorch does not say that it was built for ROCm";
  return gfx.empty() ? "no AMD GPU is seen" : tuners::WhyNotOn(family, gfx);
}

}  // namespace

Seen SeeAiter(const core::Families& families, const std::filesystem::path& given,
              const std::string& gfx) {
  const std::string python = tuners::AiterOptions().python;
  const auto root = FindAiter(given, python);
  const std::string rocm = tuners::RocmVersion();
  Seen host = {{"path", root.ok() ? Seen(root->string()) : Seen()},
               {"no_aiter", root.ok() ? "" : root.error().detail},
               {"commit", root.ok() ? OrNull(tuners::CommitOf(*root)) : Seen()},
               {"version", nullptr},
               {"rocm", rocm == tuners::kUnknownRocm ? Seen() : Seen(rocm)},
               {"python", nullptr},
               {"python_version", nullptr},
               {"pytorch", nullptr},
               {"triton", nullptr},
               {"variants", Seen::array()}};
  const bool for_rocm = SeePython(python, host);
  for (const auto& family : families.all()) {
    if (family->tune_script.empty()) continue;
    const std::string why_not = WhyNot(host, *family, for_rocm, gfx);
    host["variants"].push_back({{"variant", tuners::VariantName(*family)},
                                {"family", family->name},
                                {"script", family->tune_script},
                                {"can_run", why_not.empty()},
                                {"why_not", why_not}});
  }
  return host;
}

void PrintAiter(const Seen& seen, std::ostream& out) {
  const auto text = [&](const char* name) {
    return seen[name].is_string() ? seen[name].get<std::string>() : std::string("unknown");
  };
  out << (seen["path"].is_null() ? "no AITER: " + text("no_aiter")
                                 : fmt::format("AITER: {}, version {}, commit {}", text("path"),
                                               text("version"), text("commit")))
      << fmt::format("\nROCm: {}\nPython: {} ({}), PyTorch {}, Triton {}\n", text("rocm"),
                     text("python_version"), text("python"), text("pytorch"), text("triton"));
  for (const Seen& it : seen["variants"]) {
    const auto why_not = it["why_not"].get<std::string>();
    out << fmt::format("{} ({}): {}\n", it["variant"].get<std::string>(),
                       it["script"].get<std::string>(),
                       why_not.empty() ? "can run" : "cannot run: " + why_not);
  }
}

}  // namespace tunehub::agent::tuning

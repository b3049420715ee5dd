#include "agent/engines/engine_environment.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "agent/aiter/ask_python.h"
#include "core/base/read_json.h"
#include "core/system/atomic_file.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent::engines {

namespace fs = std::filesystem;

namespace {

// The names, on one line: "vllm 0.11.0, triton 3.4.0, torch 2.8.0".
constexpr char kVersions[] =
    "import importlib.metadata as m\n"
    "found = []\n"
    "for name in ('vllm', 'sglang', 'triton', 'torch'):\n"
    "    try: found.append(name + ' ' + m.version(name))\n"
    "    except m.PackageNotFoundError: pass\n"
    "print(', '.join(found))\n";
constexpr char kTritonVersion[] = "import triton; print(triton.__version__)";

// "3.4.0+git1234" -> "triton_3_4_0"; "" where it is no version of three numbers.
std::string TritonFolder(const std::string& version) {
  std::string folder = "triton_";
  int dots = 0;
  for (const char c : version) {
    if (c == '.' && dots < 2) {
      ++dots;
      folder += '_';
    } else if (c >= '0' && c <= '9') {
      folder += c;
    } else {
      break;
    }
  }
  return dots == 2 && folder.back() != '_' ? folder : "";
}

}  // namespace

std::vector<std::string> VersionsOf(const std::string& python) {
  std::vector<std::string> versions;
  const std::string answer = AskPython(python, kVersions);
  for (std::size_t begin = 0; begin < answer.size();) {
    const std::size_t end = std::min(answer.find(", ", begin), answer.size());
    versions.push_back(answer.substr(begin, end - begin));
    begin = end + 2;
  }
  return versions;
}

core::Result<std::string> TritonFolderOf(const std::string& python) {
  const std::string version = AskPython(python, kTritonVersion);
  std::string folder = TritonFolder(version);
  if (!folder.empty()) return folder;
  return core::Error{"no_triton", fmt::format("SGLang's folders are named by Triton's version, and "
                                              "{} says '{}' when asked for it",
                                              python, version)};
}

core::Result<std::string> ModelOf(const std::string& model, const fs::path& home) {
  std::error_code error;
  if (!fs::is_regular_file(model, error)) {
    return fs::is_directory(model, error) ? fs::absolute(model).string() : model;
  }
  const auto bytes = core::FileBytes::Read(model);
  if (!bytes.ok()) return bytes.error();
  const auto config = core::ReadJson(bytes->view());
  if (!config.is_object() || !config.contains("architectures")) {
    return core::Error{
        "bad_model", fmt::format("--model {}: no config.json of Hugging Face's, which has a member "
                                 "architectures",
                                 model)};
  }
  const fs::path folder = home / "model";
  if (auto made = core::MakeFolder(folder); !made.ok()) return made.error();
  if (auto written = core::WriteAtomically(folder / "config.json", bytes->view()); !written.ok()) {
    return written.error();
  }
  return folder.string();
}

}  // namespace tunehub::agent::engines

// The code objects that the build carries have every function of the catalog, and no other kernel.
#include "kernels/amd/objects.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "kernels/amd/catalog.h"

namespace tunehub::kernels::amd {
namespace {

// The kernels of an ELF, by their descriptors' symbols: "NAME.kd" in the string table.
std::set<std::string> KernelsIn(std::span<const std::byte> object) {
  const std::string text(reinterpret_cast<const char*>(object.data()), object.size());
  std::set<std::string> names;
  for (auto at = text.find("tk_"); at != std::string::npos; at = text.find("tk_", at + 1)) {
    const std::string name = text.c_str() + at;
    if (name.ends_with(".kd")) names.insert(name.substr(0, name.size() - 3));
  }
  return names;
}

TEST(AmdObjects, hold_the_functions_of_the_catalog) {
  if (EmbeddedObjects().empty())
    GTEST_SKIP() << "no compiler for AMD was found when this was built";
  std::set<Arch> archs;
  for (const auto& object : EmbeddedObjects()) archs.insert(object.arch);
  for (const Arch arch : archs) {
    for (const auto& module : Modules()) {
      const auto object = ObjectOf(module.file, arch);
      if (module.element == Element::kFp8 && !Fp8Of(arch)) {
        EXPECT_TRUE(object.empty());
        continue;
      }
      ASSERT_GT(object.size(), 4U) << module.file << " for " << NameOf(arch);
      EXPECT_EQ(std::string(reinterpret_cast<const char*>(object.data()), 4), "\177ELF");
      std::set<std::string> expected = {ReductionOf(module)};
      for (const auto& [id, config] : Instances(module.family, arch)) {
        expected.insert(FunctionOf(module, config));
      }
      EXPECT_EQ(KernelsIn(object), expected) << module.file << " for " << NameOf(arch);
    }
  }
}

TEST(AmdObjects, what_does_not_exist_is_empty) {
  EXPECT_TRUE(ObjectOf("fmoe", Arch::kGfx942).empty());
  EXPECT_TRUE(ObjectOf("a8w8_fp8", Arch::kGfx90a).empty());
}

}  // namespace
}  // namespace tunehub::kernels::amd

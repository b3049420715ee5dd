#include "tests/dispatch/support.h"

#include <dlfcn.h>

#include <cstdint>
#include <stdexcept>

namespace tunehub::test {
namespace {

// Loads the fake as libcuda.so.1. When the dispatch library opens this name, it gets the fake.
void* FakeLibrary() {
  static void* const library = [] {
    void* const opened = ::dlopen(TUNEHUB_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) throw std::runtime_error(::dlerror());
    return opened;
  }();
  return library;
}

class WithFakeCuda : public testing::Environment {
 public:
  void SetUp() override { FakeLibrary(); }
};
const auto* const kEnvironment = testing::AddGlobalTestEnvironment(new WithFakeCuda);

template <typename Function>
Function Find(const char* name) {
  return reinterpret_cast<Function>(::dlsym(FakeLibrary(), name));
}

}  // namespace

std::string Told(th_code code) {
  if (code == TH_OK) return "0";
  return std::to_string(code) + " " + th_last_error();
}

ApiTable OpenText(const std::string& csv, const char* family) {
  th_table* table = nullptr;
  const th_code code = th_open_text(csv.data(), csv.size(), family, nullptr, &table);
  if (code != TH_OK) throw std::runtime_error(Told(code));
  return ApiTable(table);
}

ApiLayer OpenLayer(const ApiTable& table, const char* gfx, int cu_num, const th_shape& shape) {
  th_layer* layer = nullptr;
  const th_code code = th_layer_open(table.get(), gfx, cu_num, &shape, &layer);
  if (code != TH_OK) throw std::runtime_error(Told(code));
  return ApiLayer(layer);
}

FakeCuda& Fake() {
  return *Find<FakeCuda* (*)()>("fake_cuda")();
}

void UseFakeDevice(int index) {
  Find<int (*)(void*)>("cuCtxSetCurrent")(reinterpret_cast<void*>(std::intptr_t{index} + 1));
}

}  // namespace tunehub::test

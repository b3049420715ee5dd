// Tables and layers of the C API for tests. Their destructors close them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "dispatch/tunehub_dispatch.h"
#include "tests/dispatch/fake_cuda.h"
#include "tests/support/shipped.h"

namespace tunehub::test {

struct CloseApi {
  void operator()(th_table* table) const { th_close(table); }
  void operator()(th_layer* layer) const { th_layer_close(layer); }
};
using ApiTable = std::unique_ptr<th_table, CloseApi>;
using ApiLayer = std::unique_ptr<th_layer, CloseApi>;

// These functions throw the library's error.
ApiTable OpenText(const std::string& csv, const char* family);
ApiLayer OpenLayer(const ApiTable& table, const char* gfx, int cu_num, const th_shape& shape);

// A call's error as "5 bad_shape: ..."; "0" if there is none.
std::string Told(th_code code);

// The fake driver. All tests of this program share it.
FakeCuda& Fake();
// Makes device `index` this thread's current device; -1: no device.
void UseFakeDevice(int index);

}  // namespace tunehub::test

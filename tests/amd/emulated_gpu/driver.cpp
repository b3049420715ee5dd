#include "tests/amd/emulated_gpu/driver.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "kernels/amd/objects.h"
#include "tests/amd/emu/instances.h"

namespace tunehub::kernels::amd {
namespace {

// The host keeps a GiB of a device's memory free, so only small problems fit. The emulator would
// need hours for large problems.
constexpr std::size_t kFreeBytes = (std::size_t{1} << 30) + (std::size_t{8} << 20);
constexpr std::size_t kAlignment = 256;
// The offset of gcnArchName in ROCm 6's hipDeviceProp_t.
constexpr std::size_t kArchNameAt = 1160;
constexpr float kLaunchMs = 0.25F;

struct Function {
  std::string_view file;
  std::string name;
};
using Graph = std::vector<PlannedLaunch>;

struct State {
  EmulatedGpu gpu;
  std::map<const void*, std::size_t> memory;  // bytes by address
  std::vector<std::unique_ptr<Function>> functions;
  Graph* capture = nullptr;  // if null, launches run at once
  float ms = 0;              // time since the last event
  hipError_t lost = hipSuccess;
};
State state;

template <typename Handle, typename T>
Handle HandleOf(T* object) {
  return reinterpret_cast<Handle>(object);
}

// The buffers that the arguments point to. A launch may access no other buffer.
emu::Memory MemoryOf(const PlannedLaunch& launch) {
  std::vector<emu::Range> ranges;
  std::set<const void*> seen;
  for (std::size_t at = 0; at + sizeof(void*) <= launch.arguments.size(); at += sizeof(void*)) {
    const void* pointer = nullptr;
    std::memcpy(&pointer, launch.arguments.data() + at, sizeof pointer);
    const auto found = state.memory.find(pointer);
    if (found == state.memory.end() || !seen.insert(pointer).second) continue;
    ranges.push_back({"the buffer of argument byte " + std::to_string(at),
                      static_cast<const std::byte*>(pointer), found->second, true});
  }
  return emu::Memory(std::move(ranges));
}

hipError_t Run(const PlannedLaunch& launch) {
  state.ms += kLaunchMs;
  if (launch.function == state.gpu.broken) return hipSuccess;
  emu::LaunchOptions options;
  options.workers = 2;
  auto fault = emu::Run(launch, state.gpu.arch, MemoryOf(launch), options);
  if (launch.function == state.gpu.faulty)
    fault = core::Error{"out_of_bounds", "as it was told to"};
  if (!fault) return hipSuccess;
  std::fprintf(stderr, "emulated GPU: %s: %s: %s\n", launch.function.c_str(), fault->code.c_str(),
               fault->detail.c_str());
  state.lost = hipErrorIllegalAddress;  // HIP returns this from all later calls
  return hipSuccess;                    // a launch is asynchronous
}

hipError_t LaunchKernel(hipFunction_t handle, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared_bytes, hipStream_t,
                        void** parameters, void** extra) {
  const bool block = parameters == nullptr && extra != nullptr &&
                     extra[0] == HIP_LAUNCH_PARAM_BUFFER_POINTER &&
                     extra[2] == HIP_LAUNCH_PARAM_BUFFER_SIZE && extra[4] == HIP_LAUNCH_PARAM_END;
  if (!block || by != 1 || bz != 1) return hipErrorInvalidValue;
  const auto& function = *reinterpret_cast<const Function*>(handle);
  const auto* const begin = static_cast<const std::byte*>(extra[1]);
  PlannedLaunch launch = {
      function.file, function.name,
      {gx, gy, gz},  bx,
      shared_bytes,  {begin, begin + *static_cast<const std::size_t*>(extra[3])}};
  if (state.lost != hipSuccess) return state.lost;
  if (state.capture == nullptr) return Run(launch);
  state.capture->push_back(std::move(launch));
  return hipSuccess;
}

void AddModules(gpu::Driver& driver) {
  driver.load_module = [](hipModule_t* module, const void* image) {
    for (const auto& object : EmbeddedObjects()) {
      if (object.begin != image) continue;
      if (object.arch != state.gpu.arch) return hipErrorNoBinaryForGpu;
      *module = HandleOf<hipModule_t>(const_cast<char*>(object.file.data()));
      return hipSuccess;
    }
    return hipErrorInvalidImage;
  };
  driver.unload_module = [](hipModule_t) { return hipSuccess; };
  driver.find_function = [](hipFunction_t* handle, hipModule_t module, const char* name) {
    const std::string_view file = reinterpret_cast<const char*>(module);
    for (const auto& each : emu::FunctionsOf(file)) {
      if (each.arch != state.gpu.arch || each.name != name) continue;
      state.functions.push_back(std::make_unique<Function>(Function{file, name}));
      *handle = HandleOf<hipFunction_t>(state.functions.back().get());
      return hipSuccess;
    }
    return hipErrorNotFound;
  };
  driver.launch = LaunchKernel;
}

void AddStreams(gpu::Driver& driver) {
  driver.create_stream = [](hipStream_t*, unsigned) { return hipSuccess; };
  driver.destroy_stream = [](hipStream_t) { return hipSuccess; };
  driver.wait_stream = [](hipStream_t) { return state.lost; };
  driver.begin_capture = [](hipStream_t, hipStreamCaptureMode) {
    state.capture = new Graph;
    return hipSuccess;
  };
  driver.end_capture = [](hipStream_t, hipGraph_t* graph) {
    *graph = HandleOf<hipGraph_t>(std::exchange(state.capture, nullptr));
    return hipSuccess;
  };
  driver.make_graph = [](hipGraphExec_t* made, hipGraph_t graph, unsigned long long) {
    *made = HandleOf<hipGraphExec_t>(new Graph(*reinterpret_cast<Graph*>(graph)));
    return hipSuccess;
  };
  driver.launch_graph = [](hipGraphExec_t made, hipStream_t) {
    for (const PlannedLaunch& launch : *reinterpret_cast<Graph*>(made)) {
      if (const auto code = Run(launch); code != hipSuccess) return code;
    }
    return state.lost;
  };
  driver.destroy_made_graph = [](hipGraphExec_t made) {
    delete reinterpret_cast<Graph*>(made);
    return hipSuccess;
  };
  driver.destroy_graph = [](hipGraph_t graph) {
    delete reinterpret_cast<Graph*>(graph);
    return hipSuccess;
  };
  driver.create_event = [](hipEvent_t* event, unsigned) {
    *event = HandleOf<hipEvent_t>(new float(0));
    return hipSuccess;
  };
  driver.destroy_event = [](hipEvent_t event) {
    delete reinterpret_cast<float*>(event);
    return hipSuccess;
  };
  driver.record_event = [](hipEvent_t event, hipStream_t) {
    *reinterpret_cast<float*>(event) = state.ms;
    return hipSuccess;
  };
  driver.wait_event = [](hipEvent_t) { return state.lost; };
  driver.event_ms = [](float* ms, hipEvent_t begin, hipEvent_t end) {
    *ms = *reinterpret_cast<float*>(end) - *reinterpret_cast<float*>(begin);
    return hipSuccess;
  };
}

void AddMemory(gpu::Driver& driver) {
  driver.free_memory = [](std::size_t* free, std::size_t* total) {
    *free = *total = kFreeBytes;
    return hipSuccess;
  };
  driver.allocate = [](void** pointer, std::size_t bytes) {
    *pointer = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
    if (*pointer == nullptr) return hipErrorOutOfMemory;
    state.memory[*pointer] = bytes;
    return hipSuccess;
  };
  driver.release = [](void* pointer) {
    state.memory.erase(pointer);
    std::free(pointer);
    return hipSuccess;
  };
  driver.copy_to_device = [](void* to, void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    return state.lost;
  };
  driver.copy_to_host = [](void* to, void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    return state.lost;
  };
  driver.copy_on_device = [](void* to, void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    return state.lost;
  };
  driver.fill = [](void* to, unsigned char value, std::size_t count) {
    std::memset(to, value, count);
    return state.lost;
  };
  driver.fill_later = [](void* to, unsigned char value, std::size_t count, hipStream_t) {
    std::memset(to, value, count);
    return state.lost;
  };
}

void AddDevice(gpu::Driver& driver) {
  driver.init = [](unsigned) { return hipSuccess; };
  driver.driver_version = [](int* version) {
    *version = 60'342'134;
    return hipSuccess;
  };
  driver.device_count = [](int* count) {
    *count = 1;
    return hipSuccess;
  };
  driver.device = [](hipDevice_t* device, int index) {
    *device = index;
    return hipSuccess;
  };
  driver.device_name = [](char* name, int size, hipDevice_t) {
    std::snprintf(name, static_cast<std::size_t>(size), "emulated AMD Instinct");
    return hipSuccess;
  };
  driver.device_memory = [](std::size_t* bytes, hipDevice_t) {
    *bytes = kFreeBytes;
    return hipSuccess;
  };
  driver.device_attribute = [](int* value, hipDeviceAttribute_t attribute, int) {
    *value = attribute == hipDeviceAttributeMultiprocessorCount ? state.gpu.cu_num : 4 << 20;
    return hipSuccess;
  };
  driver.retain_context = [](hipCtx_t*, hipDevice_t) { return hipSuccess; };
  driver.set_context = [](hipCtx_t) { return hipSuccess; };
  driver.hip_properties = [](hipDeviceProp_t* properties, int) {
    const std::string name = std::string(NameOf(state.gpu.arch)) + ":sramecc+:xnack-";
    std::memcpy(reinterpret_cast<char*>(properties) + kArchNameAt, name.c_str(), name.size() + 1);
    return hipSuccess;
  };
  driver.hip_error_name = [](hipError_t code) {
    return code == hipErrorIllegalAddress ? "hipErrorIllegalAddress" : "error";
  };
}

}  // namespace

gpu::Driver EmulatedDriver(const EmulatedGpu& emulated) {
  state = {};
  state.gpu = emulated;
  gpu::Driver driver;
  driver.api = gpu::Api::kHip;
  driver.library = "the emulator";
  AddDevice(driver);
  AddMemory(driver);
  AddModules(driver);
  AddStreams(driver);
  return driver;
}

}  // namespace tunehub::kernels::amd

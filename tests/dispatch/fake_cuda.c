/* A libcuda.so.1 without a GPU: two devices, the first of compute capability 9.0 with 132
 * multiprocessors, the second of 8.0 with 108. Memory is the host's. It records launches but
 * computes nothing. Tests read the record from fake_cuda(). */
#include "tests/dispatch/fake_cuda.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kOk = 0, kInvalidContext = 201 };

static struct FakeCuda state;
static _Thread_local int current = -1; /* no context */
static const int kProcessors[] = {132, 108}, kMajor[] = {9, 8};

struct FakeCuda* fake_cuda(void) { return &state; }

/* ---- devices; a context's address is its device's number plus one ---- */
int cuInit(unsigned flags) { return (int)flags; }
int cuDriverGetVersion(int* version) { return *version = 13000, kOk; }
int cuDeviceGetCount(int* count) { return *count = 2, kOk; }
int cuDeviceGet(int* device, int index) { return *device = index, kOk; }
int cuDeviceGetName(char* name, int room, int device) {
  ++state.names_asked;
  snprintf(name, (size_t)room, "Fake %d", device);
  return kOk;
}
int cuDeviceTotalMem_v2(size_t* bytes, int device) { return *bytes = (size_t)(device + 1) << 33, kOk; }
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  *value = attribute == 16 ? kProcessors[device] : attribute == 75 ? kMajor[device] : 0;
  return kOk;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
  return *context = (void*)(intptr_t)(device + 1), kOk;
}
int cuCtxSetCurrent(void* context) { return current = (int)(intptr_t)context - 1, kOk; }
int cuCtxGetDevice(int* device) { return current < 0 ? kInvalidContext : (*device = current, kOk); }

/* ---- memory ---- */
int cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
  return *free_bytes = *total = (size_t)4 << 30, kOk;
}
int cuMemAlloc_v2(void** at, size_t bytes) {
  *at = aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *at == NULL ? 2 : kOk;
}
int cuMemFree_v2(void* at) { return free(at), kOk; }
int cuMemcpyHtoD_v2(void* to, const void* from, size_t bytes) { return memcpy(to, from, bytes), kOk; }
int cuMemcpyDtoH_v2(void* to, const void* from, size_t bytes) { return memcpy(to, from, bytes), kOk; }
int cuMemcpyDtoD_v2(void* to, const void* from, size_t bytes) { return memcpy(to, from, bytes), kOk; }
int cuMemsetD8_v2(void* at, unsigned char value, size_t bytes) { return memset(at, value, bytes), kOk; }
int cuMemsetD8Async(void* at, unsigned char value, size_t bytes, void* stream) {
  (void)stream;
  return memset(at, value, bytes), kOk;
}

/* ---- kernels; a function's handle is its name ---- */
int cuModuleLoadData(void** module, const void* code) {
  ++state.modules;
  return *module = (void*)(uintptr_t)code, kOk;
}
int cuModuleUnload(void* module) { return (void)module, kOk; }
int cuModuleGetFunction(void** function, void* module, const char* name) {
  (void)module;
  *function = strdup(name);
  return *function == NULL ? 2 : kOk;
}
int cuFuncSetAttribute(void* function, int attribute, int value) {
  return (void)function, (void)attribute, (void)value, kOk;
}
int cuOccupancyMaxActiveClusters(int* clusters, void* function, const void* config) {
  return (void)function, (void)config, *clusters = 66, kOk;
}
static pthread_mutex_t launching = PTHREAD_MUTEX_INITIALIZER; /* several threads launch */
static int Remember(const char* function, void* stream, void** parameters, unsigned blocks,
                    unsigned cluster) {
  if (state.fail_launch != kOk) return state.fail_launch;
  if (strcmp(function, "tk_clock") == 0) { /* at 1980 MHz, one millisecond after another */
    const uint64_t ms = (uint64_t)++state.clock_readings;
    const uint64_t reading[] = {ms * 1000000, ms * 1980000, 0};
    return memcpy(*(void**)parameters[0], reading, sizeof reading), kOk;
  }
  pthread_mutex_lock(&launching);
  ++state.launches;
  state.blocks = blocks, state.cluster = cluster;
  snprintf(state.function, sizeof state.function, "%s", function);
  state.stream = stream;
  memcpy(&state.a, parameters[0], sizeof state.a); /* cuTensorMapEncodeTiled wrote it there */
  pthread_mutex_unlock(&launching);
  return kOk;
}
int cuLaunchKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared_bytes, void* stream, void** parameters, void** extra) {
  (void)y, (void)z, (void)bx, (void)by, (void)bz, (void)shared_bytes, (void)extra;
  return Remember(function, stream, parameters, x, 1);
}
struct Attribute { /* a CUlaunchAttribute with the size of clusters */
  int id, padding;
  unsigned cluster[3];
};
struct Config { /* the beginning of CUlaunchConfig */
  unsigned grid[3], block[3], shared_bytes;
  void* stream;
  const struct Attribute* attributes;
};
int cuLaunchKernelEx(const void* config, void* function, void** parameters, void** extra) {
  const struct Config* const it = config;
  (void)extra;
  return Remember(function, it->stream, parameters, it->grid[0], it->attributes->cluster[0]);
}
int cuTensorMapEncodeTiled(void* map, int type, unsigned rank, void* at, const uint64_t* sizes,
                           const uint64_t* pitch, const unsigned* box, const unsigned* steps, int a,
                           int b, int c, int d) {
  (void)type, (void)rank, (void)sizes, (void)pitch, (void)box, (void)steps, (void)a, (void)b, (void)c;
  (void)d;
  __atomic_fetch_add(&state.maps, 1, __ATOMIC_RELAXED);
  memcpy(map, &at, sizeof at);
  return kOk;
}
int cuGetErrorName(int code, const char** name) {
  return *name = code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR", kOk;
}

/* ---- streams, graphs, events: one of each is enough ---- */
static int one;
int cuStreamCreate(void** stream, unsigned flags) { return (void)flags, *stream = &one, kOk; }
int cuStreamDestroy_v2(void* stream) { return (void)stream, kOk; }
int cuStreamSynchronize(void* stream) { return (void)stream, kOk; }
int cuStreamBeginCapture_v2(void* stream, int mode) { return (void)stream, (void)mode, kOk; }
int cuStreamEndCapture(void* stream, void** graph) { return (void)stream, *graph = &one, kOk; }
int cuGraphInstantiateWithFlags(void** made, void* graph, unsigned long long flags) {
  return (void)graph, (void)flags, *made = &one, kOk;
}
int cuGraphLaunch(void* made, void* stream) { return (void)made, (void)stream, kOk; }
int cuGraphUpload(void* made, void* stream) {
  return (void)made, (void)stream, ++state.uploads, kOk;
}
int cuGraphExecDestroy(void* made) { return (void)made, kOk; }
int cuGraphDestroy(void* graph) { return (void)graph, kOk; }
int cuEventCreate(void** event, unsigned flags) { return (void)flags, *event = &one, kOk; }
int cuEventDestroy_v2(void* event) { return (void)event, kOk; }
int cuEventRecord(void* event, void* stream) { return (void)event, (void)stream, kOk; }
int cuEventSynchronize(void* event) { return (void)event, kOk; }
int cuEventElapsedTime(float* ms, void* begin, void* end) {
  return (void)begin, (void)end, *ms = 1.0f, kOk;
}

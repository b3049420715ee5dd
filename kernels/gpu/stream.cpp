#include "kernels/gpu/stream.h"

#include <fmt/core.h>

#include "kernels/buffer.h"
#include "kernels/reference.h"

namespace tunehub::kernels::gpu {
namespace {

// Fills and copies go to the default stream. This stream must run after them; a non-blocking stream
// would overtake them.
constexpr unsigned kBlocking = 0;
// Relaxed mode, so that other threads of this process do not break the capture.
constexpr auto kCaptureMode = hipStreamCaptureModeRelaxed;

}  // namespace

core::Result<std::unique_ptr<Stream>> Stream::Make(const Driver& driver) {
  std::unique_ptr<Stream> stream(new Stream(driver));
  for (const int code : {static_cast<int>(driver.create_stream(&stream->stream_, kBlocking)),
                         static_cast<int>(driver.create_event(&stream->begin_, 0)),
                         static_cast<int>(driver.create_event(&stream->end_, 0))}) {
    if (auto status = driver.Check(code, "making a stream"); !status.ok()) return status.error();
  }
  return stream;
}

Stream::~Stream() {
  if (end_ != nullptr) static_cast<void>(driver_.destroy_event(end_));
  if (begin_ != nullptr) static_cast<void>(driver_.destroy_event(begin_));
  if (stream_ != nullptr) static_cast<void>(driver_.destroy_stream(stream_));
}

core::Status Stream::Wait() {
  return driver_.Check(driver_.wait_stream(stream_), "running on the device");
}

core::Status Stream::Put(Modules& modules, const Launches& launches) {
  for (const Launch& launch : launches) {
    if (auto status = modules.Run(launch, stream_); !status.ok()) return status;
  }
  return core::Ok();
}

core::Status Stream::RunOnce(Modules& modules, const Launches& launches) {
  auto status = Put(modules, launches);
  if (status.ok()) {
    status = driver_.Check(driver_.wait_stream(stream_), "running " + launches.front().function);
  }
  return status;
}

core::Result<std::unique_ptr<Graph>> Stream::Capture(
    const std::function<core::Status(hipStream_t)>& work) {
  auto status = driver_.Check(driver_.begin_capture(stream_, kCaptureMode), "capturing a graph");
  if (!status.ok()) return status.error();
  status = work(stream_);
  hipGraph_t graph = nullptr;
  const auto ended = driver_.Check(driver_.end_capture(stream_, &graph), "capturing a graph");
  if (status.ok()) status = ended;
  hipGraphExec_t made = nullptr;
  if (status.ok()) status = driver_.Check(driver_.make_graph(&made, graph, 0), "making a graph");
  if (graph != nullptr) static_cast<void>(driver_.destroy_graph(graph));
  if (!status.ok()) return status.error();
  auto captured = std::make_unique<Graph>(driver_, made);
  status =
      driver_.Check(driver_.cuda_upload_graph != nullptr ? driver_.cuda_upload_graph(made, stream_)
                                                         : driver_.launch_graph(made, stream_),
                    "sending a graph to the device");
  if (!status.ok()) return status.error();
  return captured;
}

core::Result<std::unique_ptr<Graph>> Stream::Capture(Modules& modules,
                                                     const std::vector<const Launches*>& turn,
                                                     int count) {
  for (const Launches* launches : turn) {
    for (const Launch& launch : *launches) {
      if (auto status = modules.Load(launch); !status.ok()) return status.error();
    }
  }
  return Capture([&](hipStream_t) {
    core::Status status = core::Ok();
    for (int i = 0; i < count && status.ok(); ++i) {
      status = Put(modules, *turn[static_cast<std::size_t>(i) % turn.size()]);
    }
    return status;
  });
}

core::Result<double> Stream::Between() {
  for (const int code : {static_cast<int>(driver_.record_event(end_, stream_)),
                         static_cast<int>(driver_.wait_event(end_))}) {
    if (auto status = driver_.Check(code, "running on the device"); !status.ok()) {
      return status.error();
    }
  }
  float ms = 0;
  const auto status = driver_.Check(driver_.event_ms(&ms, begin_, end_), "reading the clock");
  if (!status.ok()) return status.error();
  return static_cast<double>(ms) * 1000;
}

core::Result<double> Stream::Time(const Graph& graph) {
  for (const int code : {static_cast<int>(driver_.record_event(begin_, stream_)),
                         static_cast<int>(driver_.launch_graph(graph.get(), stream_))}) {
    if (auto status = driver_.Check(code, "starting a graph"); !status.ok()) return status.error();
  }
  return Between();
}

core::Result<double> Stream::Time(Modules& modules, const Launches& launches,
                                  const std::function<int(hipStream_t)>& before) {
  auto status = driver_.Check(before ? before(stream_) : 0, "flushing the cache");
  if (status.ok())
    status = driver_.Check(driver_.record_event(begin_, stream_), "reading the clock");
  if (status.ok()) status = Put(modules, launches);
  if (!status.ok()) return status.error();
  return Between();
}

core::Result<Memory> Memory::Make(const Driver& driver, std::size_t bytes) {
  Memory memory;
  memory.driver_ = &driver;
  if (bytes == 0) return memory;
  const auto status = driver.Check(driver.allocate(&memory.data_, bytes),
                                   fmt::format("allocating {} bytes", bytes));
  if (!status.ok()) return status.error();
  memory.bytes_ = bytes;
  return memory;
}

Memory::~Memory() {
  if (data_ != nullptr) static_cast<void>(driver_->release(data_));
}

core::Status Memory::Write(const void* from, std::size_t bytes) {
  if (bytes == 0) return core::Ok();
  // HIP's header lacks the const.
  return driver_->Check(driver_->copy_to_device(data_, const_cast<void*>(from), bytes),
                        "copying to the device");
}

core::Status Memory::Read(void* to, std::size_t bytes) const {
  if (bytes == 0) return core::Ok();
  return driver_->Check(driver_->copy_to_host(to, data_, bytes), "copying from the device");
}

core::Status Memory::CopyFrom(const Memory& other) {
  if (other.bytes_ == 0) return core::Ok();
  return driver_->Check(driver_->copy_on_device(data_, other.data_, other.bytes_),
                        "copying on the device");
}

core::Status Memory::Fill(unsigned char value) {
  if (bytes_ == 0) return core::Ok();
  return driver_->Check(driver_->fill(data_, value, bytes_), "filling memory");
}

core::Result<std::vector<float>> ReadRows(const Problem& problem, const Memory& output,
                                          const std::vector<std::int64_t>& rows) {
  Buffer all(output.size());
  if (auto status = output.Read(all.data(), output.size()); !status.ok()) return status.error();
  return ValuesOfRows(problem, all, rows);
}

}  // namespace tunehub::kernels::gpu

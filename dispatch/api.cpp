// The functions of the C header. They check arguments and turn errors into codes.
#include <string>
#include <utility>

#include "build_info.h"
#include "core/lookup/table.h"
#include "dispatch/failure.h"
#include "dispatch/launcher.h"
#include "dispatch/layer.h"
#include "dispatch/open_table.h"

struct th_table {
  std::shared_ptr<const tunehub::th::OpenTable> open;
};
struct th_layer {
  std::unique_ptr<const tunehub::th::Layer> layer;
};

namespace tunehub::th {
namespace {

std::string TextOf(const char* text) {
  return text == nullptr ? "" : text;
}

core::Status NoneNull(std::initializer_list<std::pair<const char*, const void*>> arguments) {
  for (const auto& [name, argument] : arguments) {
    if (auto status = NotNull(argument, name); !status.ok()) return status;
  }
  return core::Ok();
}

core::Status Open(const TableRequest& request, th_table** table) {
  auto made = OpenTable::Make(request);
  if (!made.ok()) return made.error();
  *table = new th_table{*std::move(made)};
  return core::Ok();
}

core::Status OpenLayer(const th_table& table, const char* gfx, int cu_num, const th_shape& shape,
                       th_layer** layer) {
  core::Target asked{TextOf(gfx), cu_num};
  if (gfx == nullptr) {
    const auto gpu = CurrentGpu();
    if (!gpu.ok()) return gpu.error();
    asked = (*gpu)->device().target;
  }
  const core::Targets& targets = BuiltInTargets();
  const auto target =
      core::TargetToLookUp(targets, core::NamedTarget(targets, asked.gfx, asked.cu_num),
                           table.open->family().cu_num != core::kNoColumn);
  if (!target.ok()) return target.error();
  auto made = Layer::Make(table.open, *target, shape);
  if (!made.ok()) return made.error();
  *layer = new th_layer{*std::move(made)};
  return core::Ok();
}

}  // namespace
}  // namespace tunehub::th

using tunehub::core::Ok;
using tunehub::core::Status;
using tunehub::th::Guarded;
using tunehub::th::NoneNull;
using tunehub::th::TextOf;

const char* th_last_error(void) {
  return tunehub::th::LastError();
}

const char* th_version(void) {
  return TUNEHUB_VERSION;
}

th_code th_open(const char* csv_file, const char* family, const char* families_folder,
                th_table** table) {
  return Guarded(TH_BAD_TABLE, [&]() -> Status {
    if (auto status = NoneNull({{"family", family}, {"table", table}}); !status.ok()) return status;
    tunehub::th::TableRequest request{TextOf(csv_file), "", csv_file == nullptr, TextOf(family),
                                      TextOf(families_folder)};
    if (request.empty) return tunehub::th::Open(request, table);
    const auto csv = tunehub::th::ReadFile(request.name);
    if (!csv.ok()) return csv.error();
    request.csv = *csv;
    return tunehub::th::Open(request, table);
  });
}

th_code th_open_text(const char* csv, size_t csv_bytes, const char* family,
                     const char* families_folder, th_table** table) {
  return Guarded(TH_BAD_TABLE, [&]() -> Status {
    if (auto status = NoneNull({{"csv", csv}, {"family", family}, {"table", table}}); !status.ok())
      return status;
    return tunehub::th::Open({"", {csv, csv_bytes}, false, TextOf(family), TextOf(families_folder)},
                             table);
  });
}

void th_close(th_table* table) {
  delete table;
}

th_code th_info(const th_table* table, th_table_info* info) {
  return Guarded(TH_INTERNAL, [&]() -> Status {
    if (auto status = NoneNull({{"table", table}, {"info", info}}); !status.ok()) return status;
    *info = table->open->Info();
    return Ok();
  });
}

th_code th_device(th_device_info* device) {
  return Guarded(TH_NO_DEVICE, [&]() -> Status {
    if (auto status = NoneNull({{"device", device}}); !status.ok()) return status;
    const auto gpu = tunehub::th::CurrentGpu();
    if (!gpu.ok()) return gpu.error();
    const auto& it = (*gpu)->device();
    *device = {it.index, it.name.c_str(), it.target.gfx.c_str(), it.target.cu_num};
    return Ok();
  });
}

th_code th_layer_open(const th_table* table, const char* gfx, int cu_num, const th_shape* shape,
                      th_layer** layer) {
  return Guarded(TH_BAD_SHAPE, [&]() -> Status {
    auto status = NoneNull({{"table", table}, {"shape", shape}, {"layer", layer}});
    if (!status.ok()) return status;
    return tunehub::th::OpenLayer(*table, gfx, cu_num, *shape, layer);
  });
}

void th_layer_close(th_layer* layer) {
  delete layer;
}

th_code th_find(const th_layer* layer, int64_t m, th_answer* answer) {
  return Guarded(TH_INTERNAL, [&]() -> Status {
    auto status = NoneNull({{"layer", layer}, {"answer", answer}});
    return status.ok() ? layer->layer->Find(m, *answer) : status;
  });
}

th_code th_cell(const th_layer* layer, size_t row, const char* column, const char** text) {
  return Guarded(TH_BAD_SHAPE, [&]() -> Status {
    auto status = NoneNull({{"layer", layer}, {"column", column}, {"text", text}});
    return status.ok() ? layer->layer->Cell(row, column, *text) : status;
  });
}

th_code th_default(const th_layer* layer, int64_t m, th_answer* answer) {
  return Guarded(TH_UNKNOWN_KERNEL, [&]() -> Status {
    auto status = NoneNull({{"layer", layer}, {"answer", answer}});
    return status.ok() ? layer->layer->Default(m, *answer) : status;
  });
}

th_code th_workspace_bytes(const th_layer* layer, int64_t m, const char* kernel_name, int split_k,
                           size_t* bytes) {
  return Guarded(TH_UNKNOWN_KERNEL, [&]() -> Status {
    auto status = NoneNull({{"layer", layer}, {"kernel_name", kernel_name}, {"bytes", bytes}});
    if (!status.ok()) return status;
    const auto launcher = layer->layer->LauncherAt(m);
    if (!launcher.ok()) return launcher.error();
    const auto choice = (*launcher)->choices().Find(static_cast<int>(m), kernel_name, split_k);
    if (!choice.ok()) return choice.error();
    *bytes = choice->workspace_bytes;
    return Ok();
  });
}

th_code th_launch(const th_layer* layer, int64_t m, const char* kernel_name, int split_k,
                  const th_operands* operands, void* workspace, size_t workspace_bytes,
                  void* stream) {
  return Guarded(TH_GPU_FAILED, [&]() -> Status {
    auto status =
        NoneNull({{"layer", layer}, {"kernel_name", kernel_name}, {"operands", operands}});
    if (!status.ok()) return status;
    const auto launcher = layer->layer->LauncherAt(m);
    if (!launcher.ok()) return launcher.error();
    return (*launcher)->Launch(
        {static_cast<int>(m), kernel_name, split_k, *operands, workspace, workspace_bytes, stream});
  });
}

/* libtunehub_dispatch: tuned tables at run time, for an inference engine.
 *
 * A table is a body of `GET /tuned/{family}`, or one of AITER's files. Each row names the fastest
 * kernel for a GEMM of one shape on one kind of GPU. A layer is one GEMM of a model on one GPU. Its
 * N, K and operand types are fixed. M changes from call to call.
 *
 *     th_open("a8w8_blockscale.csv", "a8w8_blockscale", NULL, &table);
 *     th_layer_open(table, NULL, 0, &(th_shape){.n = 1280, .k = 5120}, &layer);
 *     ...
 *     th_find(layer, m, &answer);                     the tuned row, found as in AITER's lookup
 *     if (!answer.own_kernel) th_default(layer, m, &answer);
 *     th_launch(layer, m, answer.kernel_name, answer.split_k, &operands, workspace, bytes, stream);
 *
 * The library links only libc. The first call that needs the GPU opens its driver
 * (libamdhip64.so.7, .6, .5 or libcuda.so.1). The library launches only tunehub's own kernels. A
 * row that names one of AITER's kernels is still a valid answer.
 *
 * Codes: a function that can fail returns TH_OK or an error. After an error its outputs are
 * unchanged, and th_last_error returns the message.
 *
 * Threads: any number of threads may use the same tables and layers. Do not close a table or layer
 * while a thread uses it.
 *
 * Ownership: close a table by th_close and a layer by th_layer_close, in any order. Layers keep the
 * table's rows. Texts are UTF-8, end with a zero byte and belong to the library.
 */
#ifndef TUNEHUB_DISPATCH_H
#define TUNEHUB_DISPATCH_H

#include <stddef.h>
#include <stdint.h>

#define TH_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef enum th_code {
  TH_OK = 0,
  TH_BAD_ARGUMENT = 1,        /* a null pointer, or a number out of range */
  TH_NOT_READ = 2,            /* the file cannot be read */
  TH_UNKNOWN_FAMILY = 3,      /* an unknown family, or a bad family file */
  TH_BAD_TABLE = 4,           /* not a tuned table of the family */
  TH_BAD_SHAPE = 5,           /* a shape column, gfx or CU count that is missing or out of range */
  TH_NO_DEVICE = 6,           /* no driver, a driver that is too old, or no GPU */
  TH_WRONG_DEVICE = 7,        /* the layer is for another GPU, or this GPU has no kernels */
  TH_UNKNOWN_KERNEL = 8,      /* tunehub has no such kernel for the shape on this GPU */
  TH_WORKSPACE_TOO_SMALL = 9, /* th_workspace_bytes returns the required size */
  TH_OUT_OF_MEMORY = 10,      /* on the GPU or on the host */
  TH_GPU_FAILED = 11,         /* a driver's error; the GPU's context may be lost */
  TH_INTERNAL = 12            /* a bug of this library */
} th_code;

/* The error of this thread's last failed call: "unknown_kernel: tk_x is no kernel of ...". It is ""
 * if no call failed. Valid until this thread's next failed call. */
TH_API const char* th_last_error(void);
TH_API const char* th_version(void); /* "0.1.0" */

/* ---- tables ---- */

typedef struct th_table th_table;

/* Reads a tuned table.
 * csv_file: NULL for a table without rows.
 * family: the hub's name for it, such as "a8w8_blockscale".
 * families_folder: family files (configs/families); NULL: the library's built-in files.
 * Codes: TH_NOT_READ, TH_UNKNOWN_FAMILY, TH_BAD_TABLE. */
TH_API th_code th_open(const char* csv_file, const char* family, const char* families_folder,
                       th_table** table);
/* Reads a tuned table from memory. The caller may free the memory afterwards. */
TH_API th_code th_open_text(const char* csv, size_t csv_bytes, const char* family,
                            const char* families_folder, th_table** table);
TH_API void th_close(th_table* table); /* NULL is allowed */

typedef struct th_table_info {
  const char* family;
  size_t rows;     /* number of rows that a lookup can find */
  size_t left_out; /* number of unreadable rows, and of rows that no lookup may find */
  const char* why; /* the reason and line of the first row left out; "": none */
} th_table_info;
TH_API th_code th_info(const th_table* table, th_table_info* info);

/* ---- the GPU ---- */

typedef struct th_device_info {
  int id;           /* the driver's index of the GPU */
  const char* name; /* "NVIDIA H200" */
  const char* gfx;  /* "gfx942", "sm_90" */
  int cu_num;       /* compute units, or multiprocessors */
} th_device_info;
/* Returns the calling thread's current GPU. If the thread has not chosen a GPU, it gets GPU 0 with
 * its primary context, as with the vendors' run-time libraries. The library reads a GPU's
 * properties once.
 * Codes: TH_NO_DEVICE. */
TH_API th_code th_device(th_device_info* device);

/* ---- layers ---- */

typedef struct th_layer th_layer;

/* columns: the family's other shape columns, "bias=False,dtype=torch.bfloat16,...", without M.
 * Columns with a default may be omitted; NULL omits all. */
typedef struct th_shape {
  int64_t batch; /* B; 0 if the family has none */
  int64_t n, k;  /* 0 if the family has none: fused MoE */
  const char* columns;
} th_shape;

/* gfx NULL: the current GPU with its CU count. cu_num 0: AITER's usual CU count for the gfx.
 * Codes: TH_BAD_SHAPE; if gfx is NULL, also those of th_device. */
TH_API th_code th_layer_open(const th_table* table, const char* gfx, int cu_num,
                             const th_shape* shape, th_layer** layer);
TH_API void th_layer_close(th_layer* layer); /* NULL is allowed */

/* - found: 1: the table has a row; 0: it has none.
 * - step: the step that found the row: "exact"; "gl0", "gl1": at a padded M; "tier", "lower_tier":
 *   at a rounded number of tokens (fused MoE); "nearest": at a neighbouring M; "tiles": at the
 *   shape rounded up to whole tiles; "default": no row.
 * - m: the found row's M; without a row the requested M.
 * - kernel_name: "" without a row or a name (fused MoE: the first of its two).
 * - libtype: "ck", "asm", "tunehub", ...; "" without a row or without a column libtype.
 * - split_k: the table's value; for tunehub's own kernels the number of slices of K (0: one slice).
 * - us: microseconds; NaN: unknown.
 * - own_kernel: 1: th_launch can launch it, because it is one of tunehub's own kernels.
 * - row: for th_cell; undefined if found is 0. */
typedef struct th_answer {
  int found;
  const char* step;
  int64_t m;
  const char* kernel_name;
  const char* libtype;
  int split_k;
  double us;
  int own_kernel;
  size_t row;
} th_answer;

/* Returns the row that AITER's lookup finds for m rows of A (fused MoE: m tokens). The lookup tries
 * the exact M first, then padded M. m >= 1; a family without M ignores m. Texts live as long as the
 * layer. A miss is not an error. A call takes one or a few hash lookups and no lock. */
TH_API th_code th_find(const th_layer* layer, int64_t m, th_answer* answer);

/* Returns another cell of the found row, such as "kernelName2", with the table's text. The text
 * lives as long as the layer. Codes: TH_BAD_ARGUMENT (unknown row), TH_BAD_SHAPE (bad column). */
TH_API th_code th_cell(const th_layer* layer, size_t row, const char* column, const char** text);

/* Returns tunehub's own kernel for an untuned shape: found is 0, step is "default", us is NaN.
 * Needs no GPU. Codes: TH_WRONG_DEVICE (no kernels for the layer's gfx in this build),
 * TH_UNKNOWN_KERNEL (no kernel computes this shape). */
TH_API th_code th_default(const th_layer* layer, int64_t m, th_answer* answer);

/* ---- launches ---- */

/* Addresses in the GPU's memory, aligned to 16 bytes. Matrices are row-major. The matrices of a
 * batch follow one another. */
typedef struct th_operands {
  const void* a;       /* [m][k]; fp8 is e4m3fnuz on gfx942, e4m3fn elsewhere */
  const void* a_scale; /* float32 [m] of a8w8, [m][ceil(k / 128)] of block scales; otherwise NULL */
  const void* w;       /* [n][k] */
  const void* w_scale; /* float32 [n] of a8w8, [ceil(n / 128)][ceil(k / 128)] of block scales */
  void* out;           /* [m][n], bfloat16 unless the shape's outdtype is torch.float32 */
} th_operands;

/* Returns the size of a launch's workspace, which may be 0. The workspace may have any content.
 * Only one stream at a time may use it. Needs no GPU. Codes: those of th_launch. */
TH_API th_code th_workspace_bytes(const th_layer* layer, int64_t m, const char* kernel_name,
                                  int split_k, size_t* bytes);

/* Puts the launch of out = a . w^T, scaled, into `stream` of the current GPU, and returns.
 * `stream`: a hipStream_t, CUstream or cudaStream_t; NULL: the default stream. The first launch of
 * a kernel on a GPU loads the kernel, which can take seconds if the driver must compile it. Later
 * launches may be captured into a graph.
 *
 * kernel_name: from a row that th_find found for m (at m or a padded M), or from th_default.
 *
 * Codes: TH_BAD_ARGUMENT (null or not aligned), TH_NO_DEVICE, TH_WRONG_DEVICE (the layer is not for
 * the current GPU), TH_UNKNOWN_KERNEL, TH_WORKSPACE_TOO_SMALL, TH_OUT_OF_MEMORY, TH_GPU_FAILED. */
TH_API th_code th_launch(const th_layer* layer, int64_t m, const char* kernel_name, int split_k,
                         const th_operands* operands, void* workspace, size_t workspace_bytes,
                         void* stream);

#ifdef __cplusplus
}
#endif

#endif

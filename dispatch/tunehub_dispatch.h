/* libtunehub_dispatch: tuned tables at run time, for an inference engine.
 *
 * A table is a body of `GET /tuned/{family}`, or any file of AITER's: each row names the kernel
 * that was fastest for a GEMM of one shape on one kind of GPU. A layer is one GEMM of a model on
 * one GPU: N, K and the operands' types are fixed, and M changes from call to call.
 *
 *     th_open("a8w8_blockscale.csv", "a8w8_blockscale", NULL, &table);
 *     th_layer_open(table, NULL, 0, &(th_shape){.n = 1280, .k = 5120}, &layer);
 *     ...
 *     th_find(layer, m, &answer);                     the tuned row, as AITER's lookup finds it
 *     if (!answer.own_kernel) th_default(layer, m, &answer);
 *     th_launch(layer, m, answer.kernel_name, answer.split_k, &operands, workspace, bytes, stream);
 *
 * Nothing but libc is linked: the GPU's driver (libamdhip64.so.7, .6, .5 or libcuda.so.1) is opened
 * by the first call that needs it. The library launches only tunehub's own kernels; a row that
 * names a kernel of AITER's is still a valid answer.
 *
 * Codes: every function that can fail returns one: TH_OK, or an error, which leaves its outputs
 * untouched. th_last_error has the sentence.
 *
 * Threads: any number may use the same tables and layers. Do not close a table or layer that a
 * thread is using.
 *
 * Ownership: th_close ends a table of th_open, th_layer_close a layer of th_layer_open, in any
 * order: layers keep the table's rows. Texts are UTF-8, end with a zero byte and belong to the
 * library.
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
  TH_BAD_ARGUMENT = 1,        /* a null pointer, a number out of range */
  TH_NOT_READ = 2,            /* the file cannot be read */
  TH_UNKNOWN_FAMILY = 3,      /* no such family, or a bad family file */
  TH_BAD_TABLE = 4,           /* not a tuned table of the family */
  TH_BAD_SHAPE = 5,           /* a shape column, gfx or CU count that is missing or out of range */
  TH_NO_DEVICE = 6,           /* no driver, one that is too old, no GPU */
  TH_WRONG_DEVICE = 7,        /* the layer is for another GPU, or no kernel is for this one */
  TH_UNKNOWN_KERNEL = 8,      /* tunehub has no such kernel for the shape on this GPU */
  TH_WORKSPACE_TOO_SMALL = 9, /* th_workspace_bytes says what is needed */
  TH_OUT_OF_MEMORY = 10,      /* the GPU's or the host's */
  TH_GPU_FAILED = 11,         /* a driver's error; the GPU's context may be lost */
  TH_INTERNAL = 12            /* a bug of this library */
} th_code;

/* The error of this thread's last failed call: "unknown_kernel: tk_x is no kernel of ..."; or "".
 * Valid until this thread's next call that fails. */
TH_API const char* th_last_error(void);
TH_API const char* th_version(void); /* "0.1.0" */

/* ---- tables ---- */

typedef struct th_table th_table;

/* Reads a tuned table.
 * csv_file: NULL for a table without rows.
 * family: as the hub names it, "a8w8_blockscale".
 * families_folder: family files (configs/families); NULL: those that the library was built with.
 * Codes: TH_NOT_READ, TH_UNKNOWN_FAMILY, TH_BAD_TABLE. */
TH_API th_code th_open(const char* csv_file, const char* family, const char* families_folder,
                       th_table** table);
/* Reads a tuned table from memory, which the table does not need afterwards. */
TH_API th_code th_open_text(const char* csv, size_t csv_bytes, const char* family,
                            const char* families_folder, th_table** table);
TH_API void th_close(th_table* table); /* NULL is allowed */

typedef struct th_table_info {
  const char* family;
  size_t rows;     /* those that a lookup can find */
  size_t left_out; /* unreadable rows, and rows that must not be served */
  const char* why; /* the reason and line of the first one left out; "": none */
} th_table_info;
TH_API th_code th_info(const th_table* table, th_table_info* info);

/* ---- the GPU ---- */

typedef struct th_device_info {
  int id;           /* as the driver counts the GPUs it sees */
  const char* name; /* "NVIDIA H200" */
  const char* gfx;  /* "gfx942", "sm_90" */
  int cu_num;       /* compute units, or multiprocessors */
} th_device_info;
/* The calling thread's current GPU. A thread that has chosen none has GPU 0, as with the vendors'
 * run-time libraries, and gets its primary context. The library reads properties once per GPU.
 * Codes: TH_NO_DEVICE. */
TH_API th_code th_device(th_device_info* device);

/* ---- layers ---- */

typedef struct th_layer th_layer;

/* columns: the family's other shape columns, "bias=False,dtype=torch.bfloat16,...", without M.
 * Columns with a default may be left out; NULL leaves out all. */
typedef struct th_shape {
  int64_t batch; /* B; 0 if the family has none */
  int64_t n, k;  /* 0 if the family has none: fused MoE */
  const char* columns;
} th_shape;

/* gfx NULL: the current GPU, with its CU count. cu_num 0: the gfx's usual one (AITER's).
 * Codes: TH_BAD_SHAPE; with gfx NULL those of th_device. */
TH_API th_code th_layer_open(const th_table* table, const char* gfx, int cu_num,
                             const th_shape* shape, th_layer** layer);
TH_API void th_layer_close(th_layer* layer); /* NULL is allowed */

/* - found: 1: a row of the table; 0: there is none.
 * - step: "exact"; "gl0", "gl1": a row at a padded M; "tier", "lower_tier": of tokens;
 * "nearest": a neighbouring row; "tiles": of the shape in whole tiles; "default": no row.
 * - m: of the row that was found; otherwise the requested M.
 * - kernel_name: "" without a row or a name (fused MoE: the first of its two).
 * - libtype: "ck", "asm", "tunehub", ...; "" without a row or a column of that name.
 * - split_k: the table's value; for tunehub's own kernels the number of slices of K, 0: one.
 * - us: microseconds; NaN: none.
 * - own_kernel: 1: a name of tunehub's own kernels, so th_launch can launch it.
 * - row: for th_cell; without meaning if found is 0. */
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

/* The row that AITER's lookup finds for M rows (tokens, of fused MoE), by the rules of the family:
 * the exact M first, then padded ones. m >= 1; a family without an M takes any. Texts live as
 * long as the layer. A miss is no error. Costs one hash lookup or a few, and no lock. */
TH_API th_code th_find(const th_layer* layer, int64_t m, th_answer* answer);

/* Another cell of the found row, such as "kernelName2", as in the table. The text lives as
 * long as the layer. Codes: TH_BAD_ARGUMENT (no such row), TH_BAD_SHAPE (no such column). */
TH_API th_code th_cell(const th_layer* layer, size_t row, const char* column, const char** text);

/* tunehub's own kernel for an untuned shape: found is 0, step "default", us NaN.
 * Needs no GPU. Codes: TH_WRONG_DEVICE (no kernels for the layer's gfx in this build),
 * TH_UNKNOWN_KERNEL (none computes this shape). */
TH_API th_code th_default(const th_layer* layer, int64_t m, th_answer* answer);

/* ---- launches ---- */

/* Addresses of the GPU's memory, 16-byte aligned. Matrices are row-major, and those of a batch
 * follow one another. */
typedef struct th_operands {
  const void* a;       /* [m][k]; fp8 is e4m3fnuz on gfx942, e4m3fn elsewhere */
  const void* a_scale; /* float32 [m] of a8w8, [m][ceil(k / 128)] of block scales; otherwise NULL */
  const void* w;       /* [n][k] */
  const void* w_scale; /* float32 [n] of a8w8, [ceil(n / 128)][ceil(k / 128)] of block scales */
  void* out;           /* [m][n], bfloat16 unless the shape's outdtype is torch.float32 */
} th_operands;

/* The size of a launch's workspace; 0 is possible. The workspace may have any content, and belongs
 * to one stream at a time. Needs no GPU. Codes: as th_launch. */
TH_API th_code th_workspace_bytes(const th_layer* layer, int64_t m, const char* kernel_name,
                                  int split_k, size_t* bytes);

/* Queues out = a . w^T, scaled, in `stream` (hipStream_t, CUstream, cudaStream_t; NULL: the default
 * stream) of the current GPU, and returns. The first launch of a kernel on a GPU loads it, which
 * can take seconds if the driver must compile it; later ones may be captured into a graph.
 * kernel_name: from a row that th_find found at m, padded or not, or from th_default.
 *
 * Codes: TH_BAD_ARGUMENT (null or not aligned), TH_NO_DEVICE, TH_WRONG_DEVICE (the layer is for
 * another GPU than the current one), TH_UNKNOWN_KERNEL, TH_WORKSPACE_TOO_SMALL, TH_OUT_OF_MEMORY,
 * TH_GPU_FAILED. */
TH_API th_code th_launch(const th_layer* layer, int64_t m, const char* kernel_name, int split_k,
                         const th_operands* operands, void* workspace, size_t workspace_bytes,
                         void* stream);

#ifdef __cplusplus
}
#endif

#endif

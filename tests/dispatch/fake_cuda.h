/* A record of the calls to a fake CUDA driver, which has no GPU. */
#ifndef TUNEHUB_TESTS_DISPATCH_FAKE_CUDA_H
#define TUNEHUB_TESTS_DISPATCH_FAKE_CUDA_H

#ifdef __cplusplus
extern "C" {
#endif

struct FakeCuda {
  int names_asked; /* how often a device was described */
  int modules;     /* loaded */
  int maps;        /* encoded */
  int uploads;     /* of graphs */
  int launches;
  char function[128]; /* of the last launch */
  void* stream;
  void* a; /* its first operand's address */
  unsigned blocks, cluster;
  int clock_readings; /* launches of tk_clock, which count as nothing else */
  int fail_launch;    /* the code that the next launches answer */
};

/* The record of this process. */
struct FakeCuda* fake_cuda(void);

#ifdef __cplusplus
}
#endif

#endif

/*===- dyn-host.c - A plain C program that runs an artifact ---------------===*/
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dyn-host MODEL.so INPUT=SHAPE:FILE... OUTPUT=FILE...
//
// Inputs and outputs are raw elements; a shape is 2x3, or empty for a scalar.
// Prints the type of each output. The program is a minimal host: the C
// interface, no other library, and only its own thread.
//
//===---------------------------------------------------------------------===*/

#include "dyn/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An argument NAME=REST whose name is a port's; null if there is none. */
static const char *argumentFor(const char *name, int argc, char **argv) {
  size_t length = strlen(name);
  for (int i = 2; i < argc; ++i)
    if (!strncmp(argv[i], name, length) && argv[i][length] == '=')
      return argv[i] + length + 1;
  return NULL;
}

static int complain(const char *what, const char *detail) {
  fprintf(stderr, "dyn-host: error: %s%s\n", what, detail);
  return 1;
}

/* Reads SHAPE:FILE. The caller frees the shape and data. */
static int readInput(const dyn_port_info_t *port, const char *text,
                     dyn_tensor_t *tensor) {
  int64_t *shape = calloc(DYN_MAX_RANK, sizeof(*shape));
  size_t bytes = dyn_dtype_size(port->dtype);
  uint32_t rank = 0;
  if (!shape)
    return complain("out of memory", "");
  while (*text && *text != ':') {
    char *end;
    if (rank == DYN_MAX_RANK)
      return complain("too many sizes for input ", port->name);
    shape[rank] = strtoll(text, &end, 10);
    if (end == text || (*end != 'x' && *end != ':'))
      return complain("expected SHAPE:FILE for input ", port->name);
    bytes *= (size_t)shape[rank++];
    text = end + (*end == 'x');
  }
  if (*text != ':')
    return complain("expected SHAPE:FILE for input ", port->name);
  FILE *file = fopen(text + 1, "rb");
  void *data = malloc(bytes + 1);
  if (!file || !data || fread(data, 1, bytes, file) != bytes)
    return complain("cannot read ", text + 1);
  fclose(file);
  tensor->data = data;
  tensor->shape = shape;
  tensor->dtype = port->dtype;
  tensor->rank = rank;
  return 0;
}

static int writeOutput(const dyn_port_info_t *port, const dyn_tensor_t *tensor,
                       const char *path) {
  size_t bytes = dyn_dtype_size(port->dtype);
  printf("%s: %s[", port->name, dyn_dtype_name(port->dtype));
  for (uint32_t axis = 0; axis < tensor->rank; ++axis) {
    printf("%s%lld", axis ? ", " : "", (long long)tensor->shape[axis]);
    bytes *= (size_t)tensor->shape[axis];
  }
  printf("]\n");
  if (!path)
    return 0;
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(tensor->data, 1, bytes, file) != bytes || fclose(file))
    return complain("cannot write ", path);
  return 0;
}

/* Every failure ends the process, which gives all memory back. */
int main(int argc, char **argv) {
  dyn_artifact_t *artifact;
  dyn_context_t *context;
  dyn_execution_t *execution;
  dyn_entry_info_t entry = {.struct_size = sizeof(entry)};
  dyn_port_info_t port = {.struct_size = sizeof(port)};
  if (argc < 2)
    return complain("usage: dyn-host MODEL.so INPUT=SHAPE:FILE... "
                    "OUTPUT=FILE...",
                    "");
  if (dyn_artifact_load(argv[1], NULL, &artifact) ||
      dyn_artifact_entry(artifact, 0, &entry) ||
      dyn_context_create(artifact, NULL, &context) ||
      dyn_execution_create(context, NULL, &execution))
    return complain(dyn_last_error(), "");

  dyn_tensor_t *inputs = calloc(entry.input_count + 1, sizeof(*inputs));
  dyn_tensor_t *outputs = calloc(entry.output_count + 1, sizeof(*outputs));
  if (!inputs || !outputs)
    return complain("out of memory", "");
  for (uint32_t i = 0; i < entry.input_count; ++i) {
    dyn_artifact_input(artifact, 0, i, &port);
    const char *text = argumentFor(port.name, argc, argv);
    if (!text)
      return complain("expected an argument for input ", port.name);
    if (readInput(&port, text, &inputs[i]))
      return 1;
  }

  if (dyn_execution_run(execution, NULL, inputs, entry.input_count, outputs,
                        entry.output_count))
    return complain(dyn_last_error(), "");

  for (uint32_t i = 0; i < entry.output_count; ++i) {
    dyn_artifact_output(artifact, 0, i, &port);
    if (writeOutput(&port, &outputs[i], argumentFor(port.name, argc, argv)))
      return 1;
  }
  dyn_execution_release(execution);
  dyn_context_release(context);
  dyn_artifact_release(artifact);
  for (uint32_t i = 0; i < entry.input_count; ++i) {
    free(inputs[i].data);
    free((void *)inputs[i].shape);
  }
  free(inputs);
  free(outputs);
  return 0;
}

//===- Describe.cpp - Prints the signature of an artifact in words --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Driver/Describe.h"

#include "dyn/Support/Isa.h"
#include "dyn/artifact.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>
#include <dlfcn.h>

using namespace dyn;
using namespace llvm;

static StringRef getDtypeName(uint32_t dtype) {
  constexpr StringLiteral names[] = {"?",       "bool",   "int8",    "int16",
                                     "int32",   "int64",  "uint8",   "uint16",
                                     "uint32",  "uint64", "float16", "bfloat16",
                                     "float32", "float64"};
  return dtype < std::size(names) ? names[dtype] : names[0];
}

static void printPort(raw_ostream &os, StringRef role, const dyn_port_t &port) {
  os << "  " << role << ' ' << port.name << ": " << getDtypeName(port.dtype)
     << " [";
  interleaveComma(ArrayRef(port.sizes, port.rank), os,
                  [&](const dyn_size_t &size) { os << size.text; });
  os << "]\n";
}

static void printDim(raw_ostream &os, const dyn_dim_t &dim) {
  os << "  size " << dim.name << ": ";
  if (dim.max == INT64_MAX)
    os << "at least " << dim.min;
  else
    os << dim.min << " to " << dim.max;
  if (dim.multiple_of > 1)
    os << ", a multiple of " << dim.multiple_of;
  if (dim.likely >= 0)
    os << ", likely " << dim.likely;
  os << '\n';
}

static void print(raw_ostream &os, const dyn_descriptor_t &artifact) {
  for (const dyn_entry_t &entry :
       ArrayRef(artifact.entries, artifact.entry_count)) {
    os << "entry " << entry.name << '\n';
    for (const dyn_port_t &port : ArrayRef(entry.inputs, entry.input_count))
      printPort(os, "input", port);
    for (const dyn_port_t &port : ArrayRef(entry.outputs, entry.output_count))
      printPort(os, "output", port);
    for (const dyn_dim_t &dim : ArrayRef(entry.dims, entry.dim_count))
      printDim(os, dim);
  }
  os << "kernels: " << artifact.kernel_count;
  if (artifact.kernel_count != 0) {
    os << " for";
    // Extensions of a level are used by some kernels only.
    for (Isa isa : kAllIsas)
      if (any_of(ArrayRef(artifact.kernels, artifact.kernel_count),
                 [&](const dyn_kernel_t &kernel) {
                   return kernel.body[static_cast<int>(isa)];
                 }))
        os << " x86-64-" << getIsaName(isa);
  }
  for (const dyn_program_t &program :
       ArrayRef(artifact.programs, artifact.program_count))
    for (const dyn_image_t &image :
         ArrayRef(program.images, program.image_count))
      os << "\nkernels: " << program.kernel_count << " for " << image.chips;
  os << "\nconstants: " << artifact.constant_count << ", "
     << artifact.constants_bytes << " bytes";
  if (artifact.sidecar)
    os << " in " << artifact.sidecar;
  os << "\nproducer: " << artifact.producer << '\n';
}

/// Whether the image is unchanged: a damaged one is not loaded.
static bool isWhole(StringRef bytes) {
  dyn_trailer_t trailer;
  if (bytes.size() < sizeof(trailer))
    return false;
  std::memcpy(&trailer, bytes.take_back(sizeof(trailer)).data(),
              sizeof(trailer));
  return !std::memcmp(trailer.magic, DYN_TRAILER_MAGIC,
                      sizeof(trailer.magic)) &&
         trailer.image_bytes <= bytes.size() - sizeof(trailer) &&
         trailer.image_digest == dyn_image_digest(trailer.image_bytes,
                                                  bytes.bytes_begin(),
                                                  trailer.image_bytes);
}

bool dyn::describeArtifact(StringRef path, raw_ostream &os,
                           std::string &error) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file) {
    error = (path + ": " + file.getError().message()).str();
    return false;
  }
  if (!isWhole((*file)->getBuffer())) {
    error = (path + ": expected an artifact of version " +
             Twine(DYN_ARTIFACT_VERSION) +
             ", found another file, or one that is truncated or damaged")
                .str();
    return false;
  }
  // dlopen searches the library path for a name without a slash.
  SmallString<256> absolute(path);
  sys::fs::make_absolute(absolute);
  void *image = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!image) {
    error = dlerror();
    return false;
  }
  auto query = reinterpret_cast<dyn_artifact_query_fn>(
      dlsym(image, DYN_ARTIFACT_SYMBOL));
  const dyn_descriptor_t *artifact =
      query ? query(DYN_ARTIFACT_VERSION) : nullptr;
  if (artifact)
    print(os, *artifact);
  else if (query)
    error = (path + ": expected an artifact of version " +
             Twine(DYN_ARTIFACT_VERSION) + " or older, found a newer one")
                .str();
  else
    error = (path + ": expected an artifact, found a library without the "
                    "symbol '" DYN_ARTIFACT_SYMBOL "'")
                .str();
  dlclose(image);
  return artifact;
}

//===- Describe.cpp - Prints the signature of an artifact in words --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Driver/Describe.h"

#include "dyn/Support/Isa.h"
#include "dyn/Target/LoadedArtifact.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

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

/// The pages of the constants that an entry reads, which are those that a rank
/// has in memory. Two constants may share one.
static uint64_t countPages(const dyn_descriptor_t &artifact,
                           const dyn_entry_t &entry) {
  SmallVector<std::pair<uint64_t, uint64_t>> ranges;
  for (uint32_t read : ArrayRef(entry.constants, entry.constant_count)) {
    const dyn_constant_t &constant = artifact.constants[read];
    ranges.push_back({constant.offset / DYN_PAGE,
                      divideCeil(constant.offset + constant.bytes, DYN_PAGE)});
  }
  llvm::sort(ranges);
  uint64_t pages = 0, next = 0;
  for (auto [begin, end] : ranges) {
    pages += end - std::min(std::max(begin, next), end);
    next = std::max(end, next);
  }
  return pages;
}

static void print(raw_ostream &os, const dyn_descriptor_t &artifact) {
  for (const dyn_entry_t &entry :
       ArrayRef(artifact.entries, artifact.entry_count)) {
    os << "entry " << entry.name;
    if (entry.ranks) {
      uint64_t bytes = 0;
      for (uint32_t read : ArrayRef(entry.constants, entry.constant_count))
        bytes += artifact.constants[read].bytes;
      os << ": rank " << entry.rank << " of " << entry.ranks << " of "
         << entry.part_of << ", reads " << bytes << " bytes of constants in "
         << countPages(artifact, entry) << " pages";
    }
    os << '\n';
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
  // Without constants of its own all are there.
  if (artifact.sidecar && artifact.weights_bytes < artifact.constants_bytes)
    os << ", " << artifact.weights_bytes << " of them in " << artifact.sidecar;
  else if (artifact.sidecar)
    os << " in " << artifact.sidecar;
  os << "\nproducer: " << artifact.producer << '\n';
}

bool dyn::describeArtifact(StringRef path, raw_ostream &os,
                           std::string &error) {
  std::unique_ptr<LoadedArtifact> artifact = LoadedArtifact::open(path, error);
  if (artifact)
    print(os, **artifact);
  return artifact != nullptr;
}

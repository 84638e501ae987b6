//===- Descriptor.h - The descriptor of an artifact -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The descriptor of an artifact in two steps: `describeModule` reads it from a
// lowered module into plain data, `emitDescriptor` writes the data as constants
// of the C types in artifact.h. The plain data also serves `dyn-compile
// --describe` and reports.

#ifndef DYN_TARGET_DESCRIPTOR_H
#define DYN_TARGET_DESCRIPTOR_H

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"
#include "dyn/Support/Isa.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace dyn {

class SharedWeights;

/// A size of a port; see dyn_size_t.
struct SizeDescription {
  int64_t extent = -1;
  int32_t dim = -1;
  std::vector<int64_t> code;
  std::string text;
};

/// An input or output; see dyn_port_t.
struct PortDescription {
  std::string name;
  uint32_t dtype = 0;
  std::vector<SizeDescription> sizes;
};

/// A symbol of a signature; see dyn_dim_t.
struct DimDescription {
  std::string name;
  int64_t min = 0, max = INT64_MAX, multipleOf = 1, likely = -1;
};

/// An entry; see dyn_entry_t. `function` is its symbol.
struct EntryDescription {
  std::string name, function;
  uint32_t arenas = 0;
  std::vector<PortDescription> inputs, outputs;
  std::vector<DimDescription> dims;
  std::string partOf; ///< empty if it is no part
  uint32_t rank = 0, ranks = 0;
  std::vector<uint32_t> constants; ///< that it reads, ascending
};

/// A kernel; see dyn_kernel_t.
struct KernelDescription {
  std::string name, kind;
  uint32_t buffers = 0, dims = 0;
  /// Whether there is code for each instruction set.
  std::array<bool, std::size(kAllIsas)> isas = {};
};

/// A site; see dyn_site_t.
struct SiteDescription {
  uint32_t kind = 0;
  std::string op, location;
};

/// A constant; see dyn_constant_t.
struct ConstantDescription {
  /// Whose bytes it has: its own, those of a constant of the program for the
  /// CPU, or those of a constant in the file of another artifact.
  enum class Owner { Own, Cpu, SharedWeights };

  std::string name, recipe;
  uint64_t offset = 0, bytes = 0;
  Owner owner = Owner::Own;
};

/// A router with a probe; see dyn_router_t.
struct RouterDescription {
  std::string key, label, cell, fingerprint;
  uint32_t paths = 0;
  int32_t after = -1;
  std::vector<uint32_t> load; ///< empty for equal shares
};

/// A GEMM that a library may compute; see dyn_gemm_t.
struct GemmDescription {
  uint32_t left = 0, right = 0, result = 0, bias = 0, addend = 0;
  uint32_t factorDtype = 0, resultDtype = 0, activation = 0;
  bool leftTransposed = false, rightTransposed = false;
  int64_t leastWork = 0;
  SizeDescription batch, rows, columns, depth;
};

/// A kernel of a device; see dyn_device_kernel_t. `grid` is a symbol.
struct DeviceKernelDescription {
  std::string name, kind, grid;
  uint32_t buffers = 0, dims = 0;
  std::vector<std::string> versions;
  std::optional<GemmDescription> gemm;
};

/// A function for the emulator; see dyn_emu_kernel_t. `function` is its symbol.
struct EmulatedKernelDescription {
  std::string name, function;
  uint32_t paramBytes = 0, sharedBytes = 0;
  /// Operation and location.
  std::vector<std::pair<std::string, std::string>> sites;
};

/// Functions of a device; see dyn_image_t. Holds bytes or emulated kernels.
struct ImageDescription {
  uint32_t kind = 0;
  std::string chips;
  std::vector<uint8_t> bytes;
  std::vector<EmulatedKernelDescription> kernels;
};

/// Common data of programs for any device.
struct ProgramDescription {
  std::vector<EntryDescription> entries;
  std::vector<SiteDescription> sites;
  std::vector<ConstantDescription> constants;
};

/// The model for a device; see dyn_program_t.
struct DeviceProgramDescription : ProgramDescription {
  uint32_t device = 0;
  std::vector<DeviceKernelDescription> kernels;
  std::vector<ImageDescription> images;
};

/// All data except the ids; see dyn_descriptor_t.
struct ArtifactDescription : ProgramDescription {
  std::string producer, metadata;
  std::vector<KernelDescription> kernels;
  std::vector<RouterDescription> routers;
  std::vector<DeviceProgramDescription> programs;
  uint64_t constantsBytes = 0;
  std::string sidecar; ///< empty if all constants are appended to the image
  uint64_t weightsBytes = 0; ///< of the constants, in the sidecar

  /// Where the constants that are appended to the image begin.
  uint64_t getOwnBegin() const;
};

/// Symbols of the functions that are compiled for a kernel.
std::string getBodySymbol(llvm::StringRef kernel, Isa isa);
std::string getGeometrySymbol(llvm::StringRef kernel, Isa isa);

/// Reads entries, kernels, sites and constants from a module after
/// `convert-dlhlo-to-llvm`. Assigns offsets to constants, with `redZone` free
/// bytes after each; those that `shared` has stay in its file, if it is not
/// null. Fails after emitting a diagnostic.
llvm::LogicalResult describeModule(mlir::ModuleOp module,
                                   llvm::ArrayRef<Isa> isas,
                                   ArtifactDescription &description,
                                   uint64_t redZone = 0,
                                   const SharedWeights *shared = nullptr);

/// Reads the program of a device, except its kernels and images, from a module
/// after `convert-dlhlo-to-llvm`, and adds it to a description. Constants with
/// the recipe of one of the CPU's share its bytes, then those that `shared`
/// has; offsets of others follow. Fails after emitting a diagnostic.
llvm::LogicalResult describeProgram(mlir::ModuleOp module, uint32_t device,
                                    ArtifactDescription &description,
                                    const SharedWeights *shared = nullptr);

/// The GEMM of a kernel that a library may compute.
GemmDescription describeGemm(dlhlo::LibraryGemmOp gemm, dlhlo::KernelOp kernel);

/// Adds the descriptor and the exported query function to a module whose entry
/// functions are defined; kernels are declared as hidden functions. The id is
/// zero, see Identity.h.
void emitDescriptor(llvm::Module &module,
                    const ArtifactDescription &description);

} // namespace dyn

#endif // DYN_TARGET_DESCRIPTOR_H

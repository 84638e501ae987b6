//===- Validate.cpp - Checks of a descriptor before its first use ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Validate.h"

#include "SizeExpression.h"
#include "Types.h"

#include "dyn/emulated.h"

#include <cstring>
#include <string>
#include <vector>

using namespace dyn::rt;

namespace {
class Validator {
public:
  Validator(const Image &image, const char *path)
      : image(image), root(*image.descriptor()), path(path) {}

  dyn_status_t run();

private:
  dyn_status_t damaged(const std::string &what) const {
    return fail(DYN_STATUS_BAD_ARTIFACT, "'%s' is damaged: %s", path,
                what.c_str());
  }
  dyn_status_t checkString(const char *text, const std::string &what) const {
    if (!image.containsString(text))
      return damaged(what + " is not a string of the image");
    return DYN_STATUS_OK;
  }
  template <typename T>
  dyn_status_t checkArray(const T *array, uint64_t count,
                          const std::string &what) const {
    if (count == 0)
      return DYN_STATUS_OK;
    if (reinterpret_cast<uintptr_t>(array) % alignof(T) != 0 ||
        count > UINT64_MAX / sizeof(T) ||
        !image.contains(array, count * sizeof(T)))
      return damaged("the table of " + what + " (" + std::to_string(count) +
                     ") lies outside the image");
    return DYN_STATUS_OK;
  }
  template <typename Fn>
  dyn_status_t checkCode(Fn *function, const std::string &what) const {
    if (!image.containsCode(reinterpret_cast<const void *>(function)))
      return damaged(what + " is not code of the image");
    return DYN_STATUS_OK;
  }

  dyn_status_t checkEntry(const dyn_entry_t &entry, const std::string &what);
  dyn_status_t checkDim(const dyn_dim_t &dim, const std::string &what);
  dyn_status_t checkPort(const dyn_port_t &port, const dyn_entry_t &entry,
                         bool input, const std::string &what);
  dyn_status_t checkSize(const dyn_size_t &size, uint32_t dims, bool isNeeded,
                         const std::string &what);
  dyn_status_t checkBindings(const dyn_entry_t &entry);
  dyn_status_t checkPart(const dyn_entry_t &entry, const std::string &what);
  dyn_status_t checkReads(const dyn_entry_t &entry, uint32_t constants,
                          const std::string &what);
  dyn_status_t checkKernel(const dyn_kernel_t &kernel, const std::string &what);
  dyn_status_t checkConstant(const dyn_constant_t &constant,
                             const std::string &what);
  dyn_status_t checkRouter(uint32_t index, const std::string &what);
  dyn_status_t checkProgram(const dyn_program_t &program,
                            const std::string &what);
  dyn_status_t checkArguments(uint32_t buffers, uint32_t dims,
                              const std::string &what) const;
  dyn_status_t checkEmulated(const dyn_image_t &code, const std::string &what);
  dyn_status_t checkDeviceKernel(const dyn_device_kernel_t &kernel,
                                 const std::string &what);
  dyn_status_t checkGemm(const dyn_device_kernel_t &kernel,
                         const std::string &what);
  dyn_status_t checkSites(const dyn_site_t *sites, uint32_t count,
                          const std::string &what);
  dyn_status_t checkConstants(const dyn_constant_t *constants, uint32_t count,
                              const std::string &what);

  const Image &image;
  const dyn_descriptor_t &root;
  const char *path;
};
} // namespace

/// A name by index, for messages about objects that have no name yet.
static std::string nth(const char *what, uint64_t index) {
  return std::string(what) + " " + std::to_string(index);
}

dyn_status_t Validator::run() {
  if (root.version != DYN_ARTIFACT_VERSION)
    return fail(DYN_STATUS_UNSUPPORTED,
                "'%s' has version %u: this runtime reads version %u", path,
                root.version, DYN_ARTIFACT_VERSION);
  if (root.struct_size < sizeof(root) ||
      !image.contains(&root, root.struct_size))
    return damaged("the descriptor has " + std::to_string(root.struct_size) +
                   " bytes: expected at least " + std::to_string(sizeof(root)));
  DYN_RETURN_IF_FAILED(checkString(root.producer, "the producer"));
  DYN_RETURN_IF_FAILED(checkString(root.metadata, "the metadata"));
  DYN_RETURN_IF_FAILED(checkArray(root.entries, root.entry_count, "entries"));
  DYN_RETURN_IF_FAILED(checkArray(root.kernels, root.kernel_count, "kernels"));
  DYN_RETURN_IF_FAILED(checkArray(root.routers, root.router_count, "routers"));
  if (root.entry_count == 0)
    return damaged("it has no entry");
  if (root.sidecar) {
    DYN_RETURN_IF_FAILED(checkString(root.sidecar, "the sidecar's name"));
    if (!*root.sidecar || std::strchr(root.sidecar, '/') ||
        !std::strcmp(root.sidecar, "..") || !std::strcmp(root.sidecar, "."))
      return damaged("the sidecar's name is '" + std::string(root.sidecar) +
                     "': expected a file beside the artifact");
  }
  if (root.weights_bytes > root.constants_bytes ||
      (root.weights_bytes && !root.sidecar))
    return damaged("its sidecar has " + std::to_string(root.weights_bytes) +
                   " bytes of " + std::to_string(root.constants_bytes));
  for (uint32_t i = 0; i < root.entry_count; ++i)
    DYN_RETURN_IF_FAILED(checkEntry(root.entries[i], nth("entry", i)));
  for (uint32_t i = 0; i < root.entry_count; ++i)
    DYN_RETURN_IF_FAILED(
        checkReads(root.entries[i], root.constant_count, nth("entry", i)));
  for (uint32_t i = 0; i < root.kernel_count; ++i)
    DYN_RETURN_IF_FAILED(checkKernel(root.kernels[i], nth("kernel", i)));
  DYN_RETURN_IF_FAILED(checkSites(root.sites, root.site_count, ""));
  DYN_RETURN_IF_FAILED(checkConstants(root.constants, root.constant_count, ""));
  for (uint32_t i = 0; i < root.router_count; ++i)
    DYN_RETURN_IF_FAILED(checkRouter(i, nth("router", i)));
  DYN_RETURN_IF_FAILED(
      checkArray(root.programs, root.program_count, "programs"));
  for (uint32_t i = 0; i < root.program_count; ++i)
    DYN_RETURN_IF_FAILED(
        checkProgram(root.programs[i], " of " + nth("program", i)));
  return DYN_STATUS_OK;
}

dyn_status_t Validator::checkSites(const dyn_site_t *sites, uint32_t count,
                                   const std::string &what) {
  DYN_RETURN_IF_FAILED(checkArray(sites, count, "sites" + what));
  for (uint32_t i = 0; i < count; ++i) {
    DYN_RETURN_IF_FAILED(checkString(sites[i].op, nth("site", i) + what));
    DYN_RETURN_IF_FAILED(checkString(sites[i].location, nth("site", i) + what));
  }
  return DYN_STATUS_OK;
}

dyn_status_t Validator::checkConstants(const dyn_constant_t *constants,
                                       uint32_t count,
                                       const std::string &what) {
  DYN_RETURN_IF_FAILED(checkArray(constants, count, "constants" + what));
  for (uint32_t i = 0; i < count; ++i)
    DYN_RETURN_IF_FAILED(
        checkConstant(constants[i], nth("constant", i) + what));
  return DYN_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Programs of devices
//===----------------------------------------------------------------------===//

dyn_status_t Validator::checkProgram(const dyn_program_t &program,
                                     const std::string &what) {
  DYN_RETURN_IF_FAILED(
      checkArray(program.entries, program.entry_count, "entries" + what));
  DYN_RETURN_IF_FAILED(
      checkArray(program.kernels, program.kernel_count, "kernels" + what));
  DYN_RETURN_IF_FAILED(
      checkArray(program.images, program.image_count, "images" + what));
  if (program.entry_count != root.entry_count)
    return damaged("the number of entries" + what + " is " +
                   std::to_string(program.entry_count));
  for (uint32_t i = 0; i < program.entry_count; ++i) {
    const dyn_entry_t &entry = program.entries[i], &same = root.entries[i];
    DYN_RETURN_IF_FAILED(checkEntry(entry, nth("entry", i) + what));
    DYN_RETURN_IF_FAILED(
        checkReads(entry, program.constant_count, nth("entry", i) + what));
    if (entry.input_count != same.input_count ||
        entry.output_count != same.output_count ||
        entry.dim_count != same.dim_count)
      return damaged(nth("entry", i) + what + " has another signature");
  }
  for (uint32_t i = 0; i < program.kernel_count; ++i)
    DYN_RETURN_IF_FAILED(
        checkDeviceKernel(program.kernels[i], nth("kernel", i) + what));
  DYN_RETURN_IF_FAILED(checkSites(program.sites, program.site_count, what));
  DYN_RETURN_IF_FAILED(
      checkConstants(program.constants, program.constant_count, what));
  for (uint32_t i = 0; i < program.image_count; ++i) {
    const dyn_image_t &code = program.images[i];
    DYN_RETURN_IF_FAILED(
        checkString(code.chips, "the chips of " + nth("image", i) + what));
    if (!code.bytes || !image.contains(code.data, code.bytes))
      return damaged(nth("image", i) + what + " lies outside the image");
    if (code.kind == DYN_IMAGE_EMULATED)
      DYN_RETURN_IF_FAILED(checkEmulated(code, nth("image", i) + what));
  }
  return DYN_STATUS_OK;
}

/// The emulator reads its tables without checks. An image for a GPU is checked
/// by the driver.
dyn_status_t Validator::checkEmulated(const dyn_image_t &code,
                                      const std::string &what) {
  const auto *emulated = static_cast<const dyn_emu_image_t *>(code.data);
  DYN_RETURN_IF_FAILED(checkArray(emulated, 1, what));
  if (code.bytes < sizeof(dyn_emu_image_t) ||
      std::memcmp(emulated->magic, DYN_EMU_MAGIC, sizeof(emulated->magic)) != 0)
    return damaged(what + " is not for the emulator");
  DYN_RETURN_IF_FAILED(checkArray(emulated->kernels, emulated->kernel_count,
                                  "kernels of " + what));
  for (uint64_t i = 0; i < emulated->kernel_count; ++i) {
    const dyn_emu_kernel_t &kernel = emulated->kernels[i];
    const std::string name = nth("kernel", i) + " of " + what;
    DYN_RETURN_IF_FAILED(checkString(kernel.name, "the name of " + name));
    DYN_RETURN_IF_FAILED(checkCode(kernel.fn, name));
    DYN_RETURN_IF_FAILED(
        checkArray(kernel.sites, kernel.site_count, "sites of " + name));
    for (uint32_t site = 0; site < kernel.site_count; ++site)
      for (const char *text :
           {kernel.sites[site].op, kernel.sites[site].location})
        DYN_RETURN_IF_FAILED(
            checkString(text, nth("site", site) + " of " + name));
  }
  return DYN_STATUS_OK;
}

/// No table of the image bounds these counts, by which the runtime allocates
/// memory.
dyn_status_t Validator::checkArguments(uint32_t buffers, uint32_t dims,
                                       const std::string &what) const {
  const uint32_t most = 1u << 16;
  if (buffers > most || dims > most)
    return damaged(what + " has " + std::to_string(buffers) + " buffers and " +
                   std::to_string(dims) + " sizes");
  return DYN_STATUS_OK;
}

dyn_status_t Validator::checkDeviceKernel(const dyn_device_kernel_t &kernel,
                                          const std::string &what) {
  DYN_RETURN_IF_FAILED(checkString(kernel.name, "the name of " + what));
  DYN_RETURN_IF_FAILED(checkString(kernel.kind, "the kind of " + what));
  DYN_RETURN_IF_FAILED(
      checkArguments(kernel.buffer_count, kernel.dim_count, what));
  DYN_RETURN_IF_FAILED(checkCode(kernel.grid, "the grid of " + what));
  DYN_RETURN_IF_FAILED(
      checkArray(kernel.versions, kernel.version_count, "versions of " + what));
  if (!kernel.version_count)
    return damaged(what + " has no code");
  for (uint32_t i = 0; i < kernel.version_count; ++i)
    DYN_RETURN_IF_FAILED(
        checkString(kernel.versions[i], nth("version", i) + " of " + what));
  return kernel.gemm ? checkGemm(kernel, "the GEMM of " + what) : DYN_STATUS_OK;
}

dyn_status_t Validator::checkGemm(const dyn_device_kernel_t &kernel,
                                  const std::string &what) {
  DYN_RETURN_IF_FAILED(checkArray(kernel.gemm, 1, what));
  const dyn_gemm_t &gemm = *kernel.gemm;
  for (uint32_t buffer : {gemm.left, gemm.right, gemm.result})
    if (buffer >= kernel.buffer_count)
      return damaged(what + " has buffer " + std::to_string(buffer));
  for (uint32_t buffer : {gemm.bias, gemm.addend})
    if (buffer >= kernel.buffer_count && buffer != DYN_NO_BUFFER)
      return damaged(what + " has buffer " + std::to_string(buffer));
  for (uint32_t dtype : {gemm.factor_dtype, gemm.result_dtype})
    if (dtype != DYN_F32 && dtype != DYN_F16 && dtype != DYN_BF16)
      return damaged(what + " has element type " + std::to_string(dtype));
  if (gemm.activation > DYN_ACTIVATION_GELU_TANH)
    return damaged(what + " has activation " + std::to_string(gemm.activation));
  for (const dyn_size_t *size :
       {&gemm.batch, &gemm.rows, &gemm.columns, &gemm.depth})
    DYN_RETURN_IF_FAILED(
        checkSize(*size, kernel.dim_count, /*isNeeded=*/true, what));
  return DYN_STATUS_OK;
}

dyn_status_t Validator::checkEntry(const dyn_entry_t &entry,
                                   const std::string &what) {
  DYN_RETURN_IF_FAILED(checkString(entry.name, "the name of " + what));
  DYN_RETURN_IF_FAILED(checkCode(entry.fn, what));
  DYN_RETURN_IF_FAILED(
      checkArray(entry.inputs, entry.input_count, "inputs of " + what));
  DYN_RETURN_IF_FAILED(
      checkArray(entry.outputs, entry.output_count, "outputs of " + what));
  DYN_RETURN_IF_FAILED(
      checkArray(entry.dims, entry.dim_count, "sizes of " + what));
  // Arenas have no table, so nothing else bounds their number.
  const uint32_t maxArenas = 1u << 16;
  if (entry.arena_count > maxArenas)
    return damaged(what + " has " + std::to_string(entry.arena_count) +
                   " arenas");
  for (uint32_t i = 0; i < entry.dim_count; ++i)
    DYN_RETURN_IF_FAILED(
        checkDim(entry.dims[i], nth("size", i) + " of " + what));
  for (uint32_t i = 0; i < entry.input_count; ++i)
    DYN_RETURN_IF_FAILED(checkPort(entry.inputs[i], entry, /*input=*/true,
                                   nth("input", i) + " of " + what));
  for (uint32_t i = 0; i < entry.output_count; ++i)
    DYN_RETURN_IF_FAILED(checkPort(entry.outputs[i], entry, /*input=*/false,
                                   nth("output", i) + " of " + what));
  DYN_RETURN_IF_FAILED(checkPart(entry, what));
  return checkBindings(entry);
}

dyn_status_t Validator::checkPart(const dyn_entry_t &entry,
                                  const std::string &what) {
  if (!entry.ranks)
    return DYN_STATUS_OK;
  DYN_RETURN_IF_FAILED(checkString(entry.part_of, "the model of " + what));
  if (entry.rank >= entry.ranks)
    return damaged(what + " is of rank " + std::to_string(entry.rank) + " of " +
                   std::to_string(entry.ranks));
  return DYN_STATUS_OK;
}

dyn_status_t Validator::checkReads(const dyn_entry_t &entry, uint32_t constants,
                                   const std::string &what) {
  DYN_RETURN_IF_FAILED(checkArray(entry.constants, entry.constant_count,
                                  "the constants of " + what));
  for (uint32_t i = 0; i < entry.constant_count; ++i)
    if (entry.constants[i] >= constants)
      return damaged(what + " reads constant " +
                     std::to_string(entry.constants[i]) + " of " +
                     std::to_string(constants));
  return DYN_STATUS_OK;
}

dyn_status_t Validator::checkDim(const dyn_dim_t &dim,
                                 const std::string &what) {
  DYN_RETURN_IF_FAILED(checkString(dim.name, "the name of " + what));
  if (dim.min < 0 || dim.max < dim.min || dim.multiple_of < 1)
    return damaged(what + " has impossible bounds");
  return DYN_STATUS_OK;
}

dyn_status_t Validator::checkPort(const dyn_port_t &port,
                                  const dyn_entry_t &entry, bool input,
                                  const std::string &what) {
  DYN_RETURN_IF_FAILED(checkString(port.name, "the name of " + what));
  if (!dyn_dtype_size(dyn_dtype_t(port.dtype)))
    return damaged(what + " has element type " + std::to_string(port.dtype));
  if (port.rank > DYN_MAX_RANK)
    return damaged(what + " has rank " + std::to_string(port.rank));
  DYN_RETURN_IF_FAILED(checkArray(port.sizes, port.rank, "axes of " + what));
  for (uint32_t axis = 0; axis < port.rank; ++axis)
    DYN_RETURN_IF_FAILED(checkSize(port.sizes[axis], entry.dim_count, input,
                                   nth("axis", axis) + " of " + what));
  return DYN_STATUS_OK;
}

dyn_status_t Validator::checkSize(const dyn_size_t &size, uint32_t dims,
                                  bool isNeeded, const std::string &what) {
  DYN_RETURN_IF_FAILED(checkString(size.text, "the text of " + what));
  if (size.extent < -1 || size.dim < -1 || size.dim >= int64_t(dims))
    return damaged(what + " has a size out of range");
  if (size.code_words) {
    DYN_RETURN_IF_FAILED(
        checkArray(size.code, size.code_words, "code of " + what));
    if (!isExpression(size.code, size.code_words, dims))
      return damaged(what + " has an unsound expression");
  }
  if (isNeeded && size.extent < 0 && size.dim < 0 && !size.code_words)
    return damaged(what + " has no size");
  return DYN_STATUS_OK;
}

/// A call binds a symbol from an axis whose whole size it is. Without one,
/// neither the symbol nor a size computed from it has a value.
dyn_status_t Validator::checkBindings(const dyn_entry_t &entry) {
  std::vector<bool> bound(entry.dim_count);
  for (uint32_t i = 0; i < entry.input_count; ++i)
    for (uint32_t axis = 0; axis < entry.inputs[i].rank; ++axis) {
      const dyn_size_t &size = entry.inputs[i].sizes[axis];
      if (size.extent < 0 && size.dim >= 0)
        bound[size.dim] = true;
    }
  for (uint32_t i = 0; i < entry.dim_count; ++i)
    if (!bound[i])
      return fail(DYN_STATUS_BAD_ARTIFACT,
                  "'%s', entry '%s': the size '%s' cannot be bound: expected "
                  "an input that has it as the whole size of an axis",
                  path, entry.name, entry.dims[i].name);
  return DYN_STATUS_OK;
}

dyn_status_t Validator::checkKernel(const dyn_kernel_t &kernel,
                                    const std::string &what) {
  DYN_RETURN_IF_FAILED(checkString(kernel.name, "the name of " + what));
  DYN_RETURN_IF_FAILED(checkString(kernel.kind, "the kind of " + what));
  DYN_RETURN_IF_FAILED(
      checkArguments(kernel.buffer_count, kernel.dim_count, what));
  bool present = false;
  for (int isa = 0; isa < DYN_ISA_COUNT; ++isa) {
    if (!kernel.body[isa] && !kernel.geometry[isa])
      continue;
    DYN_RETURN_IF_FAILED(checkCode(kernel.body[isa], "the body of " + what));
    DYN_RETURN_IF_FAILED(
        checkCode(kernel.geometry[isa], "the geometry of " + what));
    present = true;
  }
  if (!present)
    return damaged(what + " has no code");
  return DYN_STATUS_OK;
}

dyn_status_t Validator::checkConstant(const dyn_constant_t &constant,
                                      const std::string &what) {
  DYN_RETURN_IF_FAILED(checkString(constant.name, "the name of " + what));
  if (constant.offset % DYN_CONSTANT_ALIGNMENT != 0 ||
      constant.offset > root.constants_bytes ||
      constant.bytes > root.constants_bytes - constant.offset)
    return damaged(what + " lies outside the constants area");
  return DYN_STATUS_OK;
}

dyn_status_t Validator::checkRouter(uint32_t index, const std::string &what) {
  const dyn_router_t &router = root.routers[index];
  for (const char *text :
       {router.key, router.label, router.cell, router.fingerprint})
    DYN_RETURN_IF_FAILED(checkString(text, "a name of " + what));
  // Profiles have tables of paths x paths.
  const uint32_t mostPaths = 1u << 20;
  if (router.paths < 1 || router.paths > mostPaths)
    return damaged(what + " has " + std::to_string(router.paths) + " paths");
  if (router.load)
    DYN_RETURN_IF_FAILED(
        checkArray(router.load, router.paths, "the load of " + what));
  if (router.after < -1 || router.after >= int64_t(index))
    return damaged(what + " comes after router " +
                   std::to_string(router.after));
  return DYN_STATUS_OK;
}

dyn_status_t dyn::rt::validate(const Image &image, const char *path) {
  return Validator(image, path).run();
}

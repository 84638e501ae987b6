//===- CudaProgram.cpp - An artifact's program on a device ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaProgram.h"

#include "CudaSpace.h"
#include "Ranks.h"
#include "Residency.h"

using namespace dyn::rt;

static constexpr const char *kSystemLibrary = "libcuda.so.1";
/// Alignment of constants on the device, as that of cuMemAlloc's blocks.
static constexpr uint64_t kConstantAlignment = 256;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static void *allocatePinned(void *user, uint64_t bytes, uint64_t) {
  auto &program = *static_cast<CudaProgram *>(user);
  CudaProgram::Current current(program);
  void *memory = nullptr;
  if (current.getResult() != DYN_CUDA_SUCCESS ||
      program.driver().hostAlloc(&memory, bytes, 0) != DYN_CUDA_SUCCESS)
    return nullptr;
  return memory;
}

static void releasePinned(void *user, void *memory, uint64_t) {
  auto &program = *static_cast<CudaProgram *>(user);
  CudaProgram::Current current(program);
  program.driver().hostFree(memory);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

CudaProgram::~CudaProgram() {
  if (!context)
    return;
  residing.reset();
  deviceMemory.close();
  {
    Current current(*this);
    library.reset();
    otherRanks.reset();
    if (module)
      cuda->moduleUnload(module);
  }
  cuda->primaryRelease(device);
}

static const dyn_program_t *findProgram(const dyn_descriptor_t &root) {
  for (uint32_t i = 0; i < root.program_count; ++i)
    if (root.programs[i].device == DYN_DEVICE_CUDA)
      return &root.programs[i];
  return nullptr;
}

/// Fails because an artifact lacks code for the device that was asked for.
static dyn_status_t failWithoutCode(const char *path, bool isEmulator) {
  return fail(DYN_STATUS_UNSUPPORTED,
              "'%s' holds no code for %s; compile it with --target=cpu,%s",
              path, isEmulator ? "the emulator" : "CUDA",
              isEmulator ? "emu" : "cuda:sm_80");
}

dyn_status_t CudaProgram::open(const dyn_artifact &artifact,
                               const dyn_context_options_t &options,
                               std::unique_ptr<DeviceProgram> &out) {
  auto fresh = std::make_unique<CudaProgram>();
  const char *path = artifact.info().path;
  fresh->program = findProgram(artifact.desc());
  // Only the library says whether it is the emulator; without code, that of the
  // system need not exist.
  if (!fresh->program && !options.device_library)
    return failWithoutCode(path, /*isEmulator=*/false);
  DYN_RETURN_IF_FAILED(Driver::load(
      options.device_library ? options.device_library : kSystemLibrary,
      fresh->cuda));
  if (!fresh->program)
    return failWithoutCode(path, fresh->cuda->isEmulator);
  DYN_RETURN_IF_FAILED(fresh->openDevice(options.device_ordinal));
  fresh->deviceMemory.open(*fresh->cuda, fresh->context, fresh->name,
                           options.device_memory_limit);
  {
    Current current(*fresh);
    DYN_RETURN_IF_FAILED(current.check());
    DYN_RETURN_IF_FAILED(fresh->loadImage(path));
    DYN_RETURN_IF_FAILED(fresh->findFunctions());
    DYN_RETURN_IF_FAILED(fresh->openConstants(artifact, options));
    fresh->library = std::make_unique<Gemms>(*fresh->cuda);
    DYN_RETURN_IF_FAILED(
        fresh->library->open(*fresh->program, fresh->name, options));
    fresh->otherRanks = std::make_unique<DeviceRanks>(*fresh->cuda);
    DYN_RETURN_IF_FAILED(fresh->otherRanks->open(options));
  }
  for (uint32_t i = 0; i < fresh->program->entry_count; ++i)
    fresh->signatures.emplace_back(fresh->program->entries[i]);
  fresh->pinnedMemory = {fresh.get(), allocatePinned, releasePinned};
  out = std::move(fresh);
  return DYN_STATUS_OK;
}

dyn_status_t CudaProgram::openDevice(int32_t ordinal) {
  int count = 0;
  DYN_RETURN_IF_FAILED(
      cuda->check(cuda->deviceGetCount(&count), "count the devices"));
  if (ordinal < 0 || ordinal >= count)
    return fail(DYN_STATUS_UNSUPPORTED,
                "device %d of CUDA does not exist: there are %d", int(ordinal),
                count);
  DYN_RETURN_IF_FAILED(
      cuda->check(cuda->deviceGet(&device, ordinal), "find the device"));
  deviceId = {DYN_DEVICE_CUDA, ordinal};
  cuda->deviceGetName(name, sizeof(name), device);
  cuda->deviceGetAttribute(&capability[0], DYN_CUDA_CAPABILITY_MAJOR, device);
  cuda->deviceGetAttribute(&capability[1], DYN_CUDA_CAPABILITY_MINOR, device);
  // A driver may write handles of what it does not give.
  dyn_cuda_context_t retained = nullptr;
  DYN_RETURN_IF_FAILED(
      cuda->check(cuda->primaryRetain(&retained, device), "use the device"));
  context = retained;
  return DYN_STATUS_OK;
}

dyn_status_t CudaProgram::loadImage(const char *path) {
  uint32_t wanted = cuda->isEmulator ? DYN_IMAGE_EMULATED : DYN_IMAGE_FATBIN;
  const dyn_image_t *image = nullptr;
  for (uint32_t i = 0; i < program->image_count; ++i)
    if (program->images[i].kind == wanted)
      image = &program->images[i];
  if (!image)
    return failWithoutCode(path, cuda->isEmulator);
  dyn_cuda_module_t loaded = nullptr;
  int result = cuda->moduleLoad(&loaded, image->data);
  if (result == DYN_CUDA_SUCCESS)
    module = loaded;
  if (result == DYN_CUDA_NO_BINARY_FOR_GPU ||
      result == DYN_CUDA_UNSUPPORTED_PTX_VERSION)
    return fail(DYN_STATUS_UNSUPPORTED,
                "'%s' holds code for %s, which '%s' (sm_%d%d) does not run",
                path, image->chips, name, capability[0], capability[1]);
  return cuda->check(result, "load the code of the artifact");
}

dyn_status_t CudaProgram::findFunctions() {
  for (uint32_t i = 0; i < program->kernel_count; ++i) {
    const dyn_device_kernel_t &kernel = program->kernels[i];
    firstVersion.push_back(versions.size());
    for (uint32_t version = 0; version < kernel.version_count; ++version) {
      dyn_cuda_function_t function = nullptr;
      if (cuda->moduleGetFunction(&function, module,
                                  kernel.versions[version]) != DYN_CUDA_SUCCESS)
        return fail(DYN_STATUS_BAD_ARTIFACT, "the image for '%s' has no '%s'",
                    name, kernel.versions[version]);
      versions.push_back(function);
    }
    words = std::max(words, size_t(kernel.buffer_count) + kernel.dim_count +
                                DYN_DEVICE_WORKER_WORDS);
  }
  return DYN_STATUS_OK;
}

static uint64_t roundUp(uint64_t value) {
  return (value + kConstantAlignment - 1) / kConstantAlignment *
         kConstantAlignment;
}

dyn_status_t CudaProgram::openConstants(const dyn_artifact &artifact,
                                        const dyn_context_options_t &options) {
  uint32_t count = program->constant_count;
  std::vector<bool> isRead(count, true);
  if (options.communicator)
    isRead = findOwnConstants(program->entries, program->entry_count, count,
                              options.communicator);
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < count; ++i)
    bytes += isRead[i] ? roundUp(program->constants[i].bytes) : 0;
  uint64_t limit = 0;
  DYN_RETURN_IF_FAILED(Residency::chooseLimit(options.memory_limit,
                                              /*isOfHost=*/false, limit));
  if (!limit || bytes <= limit)
    return copyConstants(artifact.constants(), bytes, isRead);
  residing = std::make_unique<DeviceResidency>();
  DYN_RETURN_IF_FAILED(residing->open(
      *cuda, context, device, name, deviceMemory, artifact.constants(),
      artifact.desc().constants_bytes, program->constants, count, limit));
  for (uint32_t i = 0; i < count; ++i)
    addresses.push_back(isRead[i] ? residing->address(i) : nullptr);
  return DYN_STATUS_OK;
}

dyn_status_t CudaProgram::copyConstants(const Constants &area, uint64_t bytes,
                                        const std::vector<bool> &isRead) {
  void *memory = nullptr;
  if (bytes && !(memory = deviceMemory.allocate(bytes)))
    return deviceMemory.explain(bytes, "the model's constants");
  auto address = reinterpret_cast<uint64_t>(memory);
  for (uint32_t i = 0; i < program->constant_count; ++i) {
    const dyn_constant_t &constant = program->constants[i];
    if (!isRead[i]) {
      addresses.push_back(nullptr);
      continue;
    }
    addresses.push_back(reinterpret_cast<const void *>(address));
    if (constant.bytes)
      DYN_RETURN_IF_FAILED(cuda->check(
          cuda->copyToDevice(address, area.at(constant.offset), constant.bytes),
          "copy constants to the device"));
    address += roundUp(constant.bytes);
  }
  return DYN_STATUS_OK;
}

dyn_memory_stats_t CudaProgram::memoryStats() const {
  dyn_memory_stats_t stats = deviceMemory.stats();
  if (residing)
    residing->addStats(stats);
  return stats;
}

std::string CudaProgram::codeName() const {
  if (cuda->isEmulator)
    return "the emulator";
  return "sm_" + std::to_string(capability[0]) + std::to_string(capability[1]);
}

dyn_status_t CudaProgram::join(dyn_communicator &communicator) {
  Current current(*this);
  DYN_RETURN_IF_FAILED(current.check());
  return otherRanks->join(communicator);
}

//===----------------------------------------------------------------------===//
// Executions
//===----------------------------------------------------------------------===//

dyn_status_t CudaProgram::openSpace(const MemorySource &source,
                                    void *givenStream,
                                    std::unique_ptr<DeviceSpace> &out) const {
  return CudaSpace::open(*this, source, givenStream, out);
}

//===- Context.cpp - An artifact made ready for a device ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include "Options.h"
#include "Ranks.h"
#include "Routes.h"
#include "Stream.h"
#include "Types.h"

#include <cstring>

using namespace dyn::rt;

dyn_status_t dyn_context::initialize(dyn_artifact &artifact,
                                     const dyn_context_options_t &options) {
  loaded = Ref<dyn_artifact>::share(&artifact);
  threads = Ref<dyn_pool>::share(options.pool);
  peers = Ref<dyn_communicator>::share(options.communicator);
  DYN_RETURN_IF_FAILED(readGuessMode(guessing));
  if (uint32_t routers = loaded->desc().router_count)
    switches.reset(new GuessSwitch[routers]);
  dyn_status_t opened = open(options);
  if (!peers)
    return opened;
  std::string code = program ? program->codeName() : dyn_isa_name(chosenIsa);
  DYN_RETURN_IF_FAILED(agreeOnArtifact(artifact, code.c_str(), *peers, opened));
  return program ? program->join(*peers) : DYN_STATUS_OK;
}

dyn_status_t dyn_context::open(const dyn_context_options_t &options) {
  if (options.device == DYN_DEVICE_CPU)
    return openCpu(options);
  if (const DeviceKind *kind = findDeviceKind(options.device))
    return openDevice(*kind, options);
  std::string others;
  for (const DeviceKind *kind = deviceKinds; kind->name; ++kind)
    others += std::string(" or ") + kind->name;
  return fail(DYN_STATUS_UNSUPPORTED,
              "device %d is not in this build of the runtime: expected "
              "DYN_DEVICE_CPU%s",
              int(options.device), others.c_str());
}

dyn_status_t dyn_context::openCpu(const dyn_context_options_t &options) {
  if (options.device_library)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "device_library: expected none on the CPU, got '%s'",
                options.device_library);
  if (options.device_memory_limit)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "device_memory_limit: expected none on the CPU, got %llu",
                (unsigned long long)options.device_memory_limit);
  for (auto [name, value] : {std::pair("gemm_library", options.gemm_library),
                             {"gemm_table", options.gemm_table},
                             {"exchange_library", options.exchange_library}})
    if (value)
      return fail(DYN_STATUS_INVALID_ARGUMENT,
                  "%s: expected none on the CPU, got '%s'", name, value);
  if (options.tune_gemms)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "tune_gemms: expected none on the CPU, got %u",
                options.tune_gemms);
  // Part of a copy that is as large as the cache is still in it.
  streamBytes =
      options.stream_from ? options.stream_from : lastCacheBytes() / 4 * 3;
  DYN_RETURN_IF_FAILED(chooseDriver(options.driver));
  DYN_RETURN_IF_FAILED(limitMemory(options.memory_limit));
  return chooseIsa(options.isa);
}

/// Constants that fit are mapped, as without a limit. Nothing reads those of
/// other ranks.
dyn_status_t dyn_context::limitMemory(uint64_t given) {
  uint64_t limit;
  DYN_RETURN_IF_FAILED(Residency::chooseLimit(given, /*isOfHost=*/true, limit));
  if (!limit || loaded->desc().constants_bytes <= limit ||
      (peers && bytesOfOwnConstants(loaded->desc(), peers.get()) <= limit))
    return DYN_STATUS_OK;
  residing = std::make_unique<Residency>();
  return residing->open(loaded->desc(), loaded->constants(), limit);
}

void dyn_context::populateLike(const dyn_artifact &other) const {
  loaded->populateCode();
  if (!program && !residing)
    loaded->constants().populateLike(other.constants());
}

dyn_status_t dyn_context::openDevice(const DeviceKind &kind,
                                     const dyn_context_options_t &options) {
  if (options.isa)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "isa: expected none on a device, got '%s'", options.isa);
  if (options.stream_from)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "stream_from: expected none on a device, got %llu",
                (unsigned long long)options.stream_from);
  DYN_RETURN_IF_FAILED(kind.open(*loaded, options, program));
  source = program->memorySource();
  return chooseDriver(options.driver);
}

KernelName dyn_context::kernelName(uint32_t kernel) const {
  if (program)
    return {program->desc().kernels[kernel].name,
            program->desc().kernels[kernel].kind};
  const dyn_kernel_t &desc = loaded->desc().kernels[kernel];
  return {desc.name, desc.kind};
}

Sites dyn_context::sites() const {
  if (program)
    return {program->desc().sites, program->desc().site_count};
  return {loaded->desc().sites, loaded->desc().site_count};
}

dyn_status_t dyn_context::chooseDriver(const dyn_driver_t *given) {
  dyn_driver_t driver;
  DYN_RETURN_IF_FAILED(readOptions(given, "dyn_driver_t", driver));
  if (!driver.allocate != !driver.deallocate)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "dyn_driver_t: expected both allocate and deallocate, or "
                "neither");
  if (driver.stream && !program)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "dyn_driver_t: expected no stream on the CPU");
  givenStream = driver.stream;
  if (driver.allocate)
    source = {driver.user, driver.allocate, driver.deallocate};
  return DYN_STATUS_OK;
}

/// Whether any kernel has code for an instruction set.
static bool holdsCode(const dyn_descriptor_t &root, dyn_isa_t isa) {
  for (uint32_t i = 0; i < root.kernel_count; ++i)
    if (root.kernels[i].body[isa])
      return true;
  return false;
}

/// Bits are promised per instruction set, so one is chosen for the whole
/// artifact: the highest that the processor supports and any kernel has code
/// for. A kernel without a version for it runs its next lower one.
dyn_status_t dyn_context::chooseIsa(const char *wanted) {
  std::optional<dyn_isa_t> processor = processorIsa();
  if (!processor)
    return fail(DYN_STATUS_UNSUPPORTED,
                "this processor is below x86-64-v2, the least that dyn runs "
                "on");
  dyn_isa_t limit = *processor;
  if (wanted) {
    std::optional<dyn_isa_t> parsed = parseIsa(wanted);
    if (!parsed)
      return fail(
          DYN_STATUS_INVALID_ARGUMENT,
          "unknown instruction set '%s': expected x86-64-v2, x86-64-v3, "
          "x86-64-v4, x86-64-v4-vnni, x86-64-v4-bf16 or x86-64-v4-amx",
          wanted);
    if (*parsed > limit)
      return fail(DYN_STATUS_UNSUPPORTED,
                  "%s was asked for: this processor has %s",
                  dyn_isa_name(*parsed), dyn_isa_name(limit));
    limit = *parsed;
  }

  const dyn_descriptor_t &root = loaded->desc();
  // The process's signal frames grow with these registers, so they are
  // requested only for code that needs them.
  if (limit == DYN_ISA_X86_64_V4_AMX && holdsCode(root, limit) &&
      !requestTileRegisters()) {
    if (wanted)
      return fail(DYN_STATUS_UNSUPPORTED,
                  "%s was asked for: the system refuses its registers to this "
                  "process",
                  dyn_isa_name(limit));
    // Processors with these registers have x86-64-v4-bf16, but gain nothing
    // from it: two multiply-adds take less time than its one instruction.
    limit = DYN_ISA_X86_64_V4_VNNI;
  }
  int best = -1;
  for (uint32_t i = 0; i < root.kernel_count; ++i) {
    const dyn_kernel_t &kernel = root.kernels[i];
    int isa = limit;
    while (isa >= 0 && !kernel.body[isa])
      --isa;
    if (isa < 0)
      return fail(DYN_STATUS_UNSUPPORTED,
                  "'%s' holds no code of kernel '%s' for %s or less; compile "
                  "it with --isa=%s",
                  loaded->info().path, kernel.name, dyn_isa_name(limit),
                  dyn_isa_name(limit) +
                      std::char_traits<char>::length("x86-64-"));
    best = isa > best ? isa : best;
    code.push_back({kernel.geometry[isa], kernel.body[isa]});
  }
  chosenIsa = best < 0 ? limit : dyn_isa_t(best);
  // An artifact without kernels that gain from an extension has the base
  // level's code.
  bool extends = limit > DYN_ISA_X86_64_V4 && chosenIsa >= DYN_ISA_X86_64_V4;
  if (wanted && chosenIsa != limit && !extends)
    return fail(DYN_STATUS_UNSUPPORTED,
                "'%s' holds no code for %s: the next lower it has is %s",
                loaded->info().path, dyn_isa_name(limit),
                dyn_isa_name(chosenIsa));
  return DYN_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// ABI
//===----------------------------------------------------------------------===//

dyn_status_t dyn_context_create(dyn_artifact_t *artifact,
                                const dyn_context_options_t *options,
                                dyn_context_t **out_context) {
  return guarded([&]() -> dyn_status_t {
    if (!out_context)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "out_context is null");
    *out_context = nullptr;
    if (!artifact)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "artifact is null");
    dyn_context_options_t given;
    DYN_RETURN_IF_FAILED(readOptions(options, "dyn_context_options_t", given));
    DYN_RETURN_IF_FAILED(routeProfiles.start());
    auto context = Ref<dyn_context_t>::adopt(new dyn_context_t());
    DYN_RETURN_IF_FAILED(context->initialize(*artifact, given));
    *out_context = context.take();
    return DYN_STATUS_OK;
  });
}

void dyn_context_retain(dyn_context_t *context) {
  if (context)
    context->retain();
}
void dyn_context_release(dyn_context_t *context) {
  if (context)
    context->release();
}
dyn_artifact_t *dyn_context_artifact(const dyn_context_t *context) {
  return context ? &context->artifact() : nullptr;
}
dyn_isa_t dyn_context_isa(const dyn_context_t *context) {
  return context ? context->isa() : DYN_ISA_X86_64_V2;
}
uint32_t dyn_context_kernel_count(const dyn_context_t *context) {
  return context ? context->kernelCount() : 0;
}

dyn_status_t dyn_context_find_entry(const dyn_context_t *context,
                                    const char *name, uint32_t *out_entry) {
  if (!context || !out_entry)
    return fail(DYN_STATUS_INVALID_ARGUMENT, "context or out_entry is null");
  const dyn_descriptor_t &root = context->artifact().desc();
  if (!name)
    name =
        root.entries[0].ranks ? root.entries[0].part_of : root.entries[0].name;
  const dyn_entry_t *other = nullptr;
  for (uint32_t i = 0; i < root.entry_count; ++i) {
    const dyn_entry_t &entry = root.entries[i];
    if (!entry.ranks || std::strcmp(entry.part_of, name) != 0)
      continue;
    if (isOwnPart(entry, context->communicator())) {
      *out_entry = i;
      return DYN_STATUS_OK;
    }
    other = &entry;
  }
  if (other)
    return checkPart(*other, context->communicator());
  return dyn_artifact_find_entry(&context->artifact(), name, out_entry);
}

dyn_status_t dyn_context_memory_stats(const dyn_context_t *context,
                                      dyn_memory_stats_t *out_stats) {
  if (!context)
    return fail(DYN_STATUS_INVALID_ARGUMENT, "context is null");
  dyn_memory_stats_t stats = {};
  if (const DeviceProgram *program = context->device())
    stats = program->memoryStats();
  else if (const Residency *residency = context->residency())
    stats = residency->stats();
  return fillInfo(stats, "dyn_memory_stats_t", out_stats);
}
dyn_status_t dyn_context_guess_stats(const dyn_context_t *context,
                                     uint32_t router,
                                     dyn_guess_stats_t *out_stats) {
  if (!context)
    return fail(DYN_STATUS_INVALID_ARGUMENT, "context is null");
  const dyn_descriptor_t &root = context->artifact().desc();
  if (router >= root.router_count)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "router %u does not exist: the artifact has %u", router,
                root.router_count);
  dyn_guess_stats_t stats = {};
  stats.key = root.routers[router].key;
  if (const GuessSwitch *guesses = context->guesses()) {
    GuessSwitch::Counts counts = guesses[router].counts();
    stats.calls = counts.calls;
    stats.guesses = counts.guesses;
    stats.rows = counts.rows;
    stats.right = counts.right;
    stats.is_on = counts.isOn;
  }
  return fillInfo(stats, "dyn_guess_stats_t", out_stats);
}
dyn_status_t dyn_context_gemm_info(const dyn_context_t *context,
                                   dyn_gemm_info_t *out_info) {
  if (!context)
    return fail(DYN_STATUS_INVALID_ARGUMENT, "context is null");
  dyn_gemm_info_t info = {};
  info.library = "";
  info.reason = "the CPU has none";
  if (const DeviceProgram *program = context->device())
    info = program->gemmInfo();
  return fillInfo(info, "dyn_gemm_info_t", out_info);
}
dyn_status_t dyn_context_exchange_info(const dyn_context_t *context,
                                       dyn_exchange_info_t *out_info) {
  if (!context)
    return fail(DYN_STATUS_INVALID_ARGUMENT, "context is null");
  dyn_exchange_info_t info = {};
  info.library = "";
  info.reason = "the CPU needs none";
  if (const DeviceProgram *program = context->device())
    info = program->exchangeInfo();
  return fillInfo(info, "dyn_exchange_info_t", out_info);
}
dyn_status_t dyn_context_write_gemms(const dyn_context_t *context,
                                     const char *path) {
  return guarded([&]() -> dyn_status_t {
    if (!context)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "context is null");
    if (!path)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "path is null");
    if (!context->device())
      return fail(DYN_STATUS_UNSUPPORTED,
                  "there is no GEMM library to write a table of: the "
                  "CPU has none");
    return context->device()->writeGemms(path);
  });
}
void dyn_context_trim(const dyn_context_t *context) {
  if (context && context->device())
    context->device()->trim();
}

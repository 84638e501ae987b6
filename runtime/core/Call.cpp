//===- Call.cpp - The services that compiled code calls -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include "Clock.h"
#include "RedZones.h"
#include "Trace.h"
#include "Types.h"

#include <algorithm>
#include <cstring>

using namespace dyn::rt;

//===----------------------------------------------------------------------===//
// The function table
//===----------------------------------------------------------------------===//

static void *serveReserve(dyn_call_t *call, uint32_t arena, int64_t bytes) {
  return call->reserve(arena, bytes);
}
static void *serveOutput(dyn_call_t *call, uint32_t index,
                         const int64_t *sizes) {
  return call->output(index, sizes);
}
static int32_t serveLaunch(dyn_call_t *call, uint32_t kernel,
                           void *const *buffers, const int64_t *dims,
                           uint64_t siteBase) {
  return call->launch({kernel, 0, buffers, dims, siteBase});
}
static int32_t serveLaunchMany(dyn_call_t *call, uint32_t count,
                               const dyn_launch_t *launches) {
  return call->launchMany(count, launches);
}
static int32_t serveFail(dyn_call_t *call, uint64_t site, int64_t value) {
  return call->failAt(site, value);
}
static int32_t serveCheck(dyn_call_t *call) { return call->check(); }
static int32_t serveRead(dyn_call_t *call, void *to, const void *from,
                         int64_t bytes) {
  return call->read(to, from, bytes);
}
static int32_t serveWrite(dyn_call_t *call, void *to, const void *from,
                          int64_t bytes) {
  return call->write(to, from, bytes);
}
static int32_t serveProbe(dyn_call_t *call, uint32_t router,
                          const int64_t *offsets, const int64_t *seats,
                          const int64_t *order, int64_t cells,
                          int64_t choices) {
  if (!call->recorded)
    return DYN_STATUS_OK;
  return call->probe(router, offsets, seats, order, cells, choices);
}

static int32_t serveFetch(dyn_call_t *call, const int64_t *offsets,
                          uint32_t count, const dyn_range_t *ranges) {
  return call->fetch(offsets, count, ranges, /*isSure=*/true);
}
static int32_t serveExpect(dyn_call_t *call, const int64_t *offsets,
                           uint32_t count, const dyn_range_t *ranges) {
  return call->fetch(offsets, count, ranges, /*isSure=*/false);
}

static int64_t serveGuess(dyn_call_t *call, uint32_t router,
                          uint32_t paysFrom) {
  return call->guess(router, paysFrom);
}
static int32_t serveGuessed(dyn_call_t *call, uint32_t router,
                            const int64_t *routes, const int64_t *guess,
                            const int64_t *rest) {
  return call->guessed(router, routes, guess, rest);
}

static int64_t serveExchangeStart(dyn_call_t *call, uint32_t count,
                                  const int64_t *among, const void *rows,
                                  int64_t rowCount, void *result,
                                  int64_t resultCount, int64_t rowBytes,
                                  const int64_t *sends, const int64_t *receives,
                                  uint64_t site) {
  return call->exchangeStart({count, among, static_cast<const char *>(rows),
                              rowCount, static_cast<char *>(result),
                              resultCount, rowBytes, sends, receives, site});
}
static int32_t serveExchangeWait(dyn_call_t *call, int64_t exchange) {
  return call->exchangeWait(exchange);
}

static const dyn_services_t services = {
    sizeof(dyn_services_t),
    0,
    serveReserve,
    serveOutput,
    serveLaunch,
    serveFail,
    serveCheck,
    serveProbe,
    serveLaunchMany,
    serveRead,
    serveWrite,
    serveFetch,
    serveGuess,
    serveGuessed,
    serveExpect,
    serveExchangeStart,
    serveExchangeWait,
};

dyn_status_t dyn_call::run() {
  const dyn_entry_t &entry = signature.desc();
  DYN_RETURN_IF_FAILED(begin());
  dyn_frame_t frame = {&services, this, space.inputs.data(), space.dims.data(),
                       context.constants()};
  int32_t returned = entry.fn(&frame);
  if (status != DYN_STATUS_OK) {
    leave();
    return status;
  }
  if (returned != DYN_STATUS_OK)
    return fail(DYN_STATUS_INTERNAL,
                "entry '%s' returned status %d without a reason", entry.name,
                int(returned));
  DYN_RETURN_IF_FAILED(check());
  DYN_RETURN_IF_FAILED(checkRanks());
  for (uint32_t i = 0; i < entry.output_count; ++i)
    if (!space.outputs[i].address)
      return fail(DYN_STATUS_INTERNAL,
                  "entry '%s' left output '%s' without "
                  "memory",
                  entry.name, entry.outputs[i].name);
  return end();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void CallMemory::resize(size_t arenaCount, size_t outputCount,
                        const MemorySource &source) {
  for (auto [buffers, count] :
       {std::pair(&arenas, arenaCount), {&outputs, outputCount}})
    while (buffers->size() < count)
      buffers->emplace_back().setSource(source);
  if (!scratch.data())
    scratch.setSource(source);
}

void *dyn_call::reserve(uint32_t arena, int64_t bytes) noexcept {
  if (status != DYN_STATUS_OK)
    return nullptr;
  const dyn_entry_t &entry = signature.desc();
  if (arena >= entry.arena_count || bytes < 0) {
    failWith(fail(DYN_STATUS_INTERNAL,
                  "entry '%s' asked for %lld bytes of arena %u of %u",
                  entry.name, (long long)bytes, arena, entry.arena_count));
    return nullptr;
  }
  Buffer &buffer = space.memory.arenas[arena];
  if (dyn_status_t failure = buffer.reserve(bytes, space.allocations)) {
    failWith(failure);
    return nullptr;
  }
  if (bytes > space.arenaUse[arena])
    space.arenaUse[arena] = bytes;
  return buffer.data();
}

void *dyn_call::output(uint32_t index, const int64_t *sizes) noexcept {
  if (status != DYN_STATUS_OK)
    return nullptr;
  const dyn_entry_t &entry = signature.desc();
  if (index >= entry.output_count || space.outputs[index].address) {
    failWith(fail(DYN_STATUS_INTERNAL,
                  "entry '%s' asked for output %u of %u out of turn",
                  entry.name, index, entry.output_count));
    return nullptr;
  }
  const dyn_port_t &port = entry.outputs[index];
  Output &out = space.outputs[index];
  for (uint32_t axis = 0; axis < port.rank; ++axis) {
    int64_t expected = port.sizes[axis].extent;
    if (sizes[axis] < 0 || (expected >= 0 && sizes[axis] != expected)) {
      failWith(fail(DYN_STATUS_INTERNAL,
                    "output '%s', axis %u: expected %s, got %lld", port.name,
                    axis, port.sizes[axis].text, (long long)sizes[axis]));
      return nullptr;
    }
    out.shape[axis] = sizes[axis];
  }
  std::optional<int64_t> bytes = tensorBytes(port.dtype, port.rank, out.shape);
  if (!bytes) {
    failWith(fail(DYN_STATUS_OUT_OF_MEMORY,
                  "output '%s': the number of bytes does not fit in 63 bits",
                  port.name));
    return nullptr;
  }
  if (out.bytes != *bytes)
    out.data = nullptr;
  out.bytes = *bytes;
  return out.address = allocateOutput(index);
}

void *dyn_call::findOutputMemory(uint32_t index, Buffer &own) {
  const dyn_port_t &port = signature.desc().outputs[index];
  Output &out = space.outputs[index];
  if (options.output) {
    void *given =
        options.output(options.output_user, index, dyn_dtype_t(port.dtype),
                       port.rank, out.shape, uint64_t(out.bytes));
    if (!given)
      failWith(fail(DYN_STATUS_OUT_OF_MEMORY,
                    "output '%s': the host gave no memory for %lld bytes",
                    port.name, (long long)out.bytes));
    return given;
  }
  if (dyn_status_t failure =
          own.reserve(out.bytes + redzones::size(), space.allocations)) {
    failWith(failure);
    return nullptr;
  }
  redzones::limit(own.data(), uint64_t(out.bytes), own.bytes());
  return own.data();
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

dyn_status_t dyn_call::beginExchange(const RowExchange &wanted,
                                     const ExchangeTerms &terms,
                                     int64_t &number) {
  return exchanges.begin(wanted, hostCarrier(), terms, context.sites(), number);
}

void dyn_call::traceExchange(const char *name, uint64_t begin, int64_t bytes) {
  if (options.trace)
    options.trace->add({name, "exchange", begin, now(), lane, 0, 1, 0, bytes});
}

int64_t dyn_call::exchangeStart(const RowExchange &wanted) noexcept {
  int64_t number = -1;
  if (status != DYN_STATUS_OK || checkInterrupt())
    return number;
  uint64_t begin = now();
  dyn_status_t begun = guarded([&]() -> dyn_status_t {
    if (!context.communicator())
      return fail(DYN_STATUS_INTERNAL,
                  "compiled code exchanges rows without other ranks");
    dyn_communicator &communicator = *context.communicator();
    uint64_t timeout =
        deadline ? std::max<uint64_t>(deadline, begin + 1) - begin : 0;
    RankError error = heard;
    if (uint64_t site = errorSite(); site != UINT64_MAX)
      error.merge({uint32_t(site), communicator.rank});
    return beginExchange(wanted, {communicator, timeout, options.cancel, error},
                         number);
  });
  traceExchange("exchange_start", begin, wanted.rowCount * wanted.rowBytes);
  return failWith(begun) == DYN_STATUS_OK ? number : -1;
}

dyn_status_t dyn_call::exchangeWait(int64_t exchange) noexcept {
  if (status != DYN_STATUS_OK)
    return status;
  uint64_t begin = now();
  dyn_status_t ended =
      guarded([&] { return exchanges.wait(exchange, context.sites(), heard); });
  traceExchange("exchange_wait", begin, 0);
  return failWith(ended);
}

dyn_status_t dyn_call::checkRanks() {
  if (!heard)
    return DYN_STATUS_OK;
  context.sites().report(heard.site);
  std::string reason = dyn_last_error();
  return failWith(fail(DYN_STATUS_RANK_FAILED, "rank %u failed: %s", heard.rank,
                       reason.c_str()));
}

/// Other ranks would wait for exchanges that do not come.
void dyn_call::leave() {
  if (!signature.desc().ranks || !context.communicator())
    return;
  std::string reason = dyn_last_error();
  context.communicator()->abort(status, reason);
  exchanges.endAll();
  fail(status, "%s", reason.c_str());
}

//===----------------------------------------------------------------------===//
// Interrupts
//===----------------------------------------------------------------------===//

dyn_status_t dyn_call::checkInterrupt() {
  if (options.cancel && __atomic_load_n(options.cancel, __ATOMIC_RELAXED))
    return failWith(fail(DYN_STATUS_CANCELLED, "the call was cancelled"));
  if (deadline && now() >= deadline)
    return failWith(fail(DYN_STATUS_DEADLINE_EXCEEDED,
                         "the call took longer than its limit of %llu.%03u ms",
                         (unsigned long long)(options.timeout_ns / 1000000),
                         unsigned(options.timeout_ns / 1000 % 1000)));
  return DYN_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Guesses
//===----------------------------------------------------------------------===//

dyn_status_t dyn_call::checkRouter(uint32_t router) {
  uint32_t count = context.artifact().desc().router_count;
  if (router < count)
    return DYN_STATUS_OK;
  return failWith(fail(DYN_STATUS_INTERNAL,
                       "compiled code guesses router %u of %u", router, count));
}

int64_t dyn_call::guess(uint32_t router, uint32_t paysFrom) noexcept {
  if (status != DYN_STATUS_OK || checkRouter(router) || !mayGuess)
    return 0;
  GuessMode mode = context.guessMode();
  if (mode == GuessMode::Adapt && !canRunBeside())
    return 0;
  bool guesses = context.guesses()[router].ask(paysFrom, mode);
  if (!guesses || failWith(beginGuess(router)))
    return 0;
  hasGuessed = true;
  return 1;
}

//===----------------------------------------------------------------------===//
// Probes
//===----------------------------------------------------------------------===//

dyn_status_t dyn_call::probe(uint32_t router, const int64_t *offsets,
                             const int64_t *seats, const int64_t *order,
                             int64_t cells, int64_t choices) noexcept {
  const dyn_descriptor_t &root = context.artifact().desc();
  if (router >= root.router_count || cells < 0 || choices < 0)
    return failWith(fail(DYN_STATUS_INTERNAL,
                         "compiled code shows %lld cells with %lld choices of "
                         "router %u of %u",
                         (long long)cells, (long long)choices, router,
                         root.router_count));
  while (cells && choices && seats[(cells - 1) * choices] == DYN_NO_CELL)
    --cells;
  // Cells without choices are not recorded.
  recorded->add(router, root.routers[router].paths, offsets, seats, order,
                choices ? cells : 0, choices);
  return DYN_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Data errors
//===----------------------------------------------------------------------===//

dyn_status_t dyn_call::failAt(uint64_t site, int64_t value) noexcept {
  if (status != DYN_STATUS_OK)
    return status;
  // A data error that an earlier kernel met comes first in program order.
  DYN_RETURN_IF_FAILED(check());
  return failWith(context.sites().report(site, &value, &signature.desc(),
                                         space.dims.data()));
}

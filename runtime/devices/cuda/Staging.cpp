//===- Staging.cpp - Exchanges of rows through memory of the host ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Staging.h"

#include "CudaSpace.h"

using namespace dyn::rt;

static uint64_t address(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

dyn_status_t StagingArea::take(int64_t bytes, uint64_t &allocations,
                               Stage *&out) {
  out = nullptr;
  for (const auto &stage : stages)
    if (stage->state == Stage::Free)
      out = stage.get();
  if (!out) {
    stages.push_back(std::make_unique<Stage>());
    out = stages.back().get();
    out->memory.setSource(pinned);
  }
  DYN_RETURN_IF_FAILED(out->memory.reserve(bytes, allocations));
  out->state = Stage::InExchange;
  return DYN_STATUS_OK;
}

void StagingArea::settle() {
  for (const auto &stage : stages)
    if (stage->state == Stage::OnStream)
      stage->state = Stage::Free;
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

namespace {
/// An exchange that the communicator has begun between stages.
class StagedExchange final : public PendingExchange {
public:
  StagedExchange(CudaSpace &space, Stage &stage,
                 const std::vector<ExchangePart> &parts)
      : space(space), stage(stage), parts(parts) {}
  ~StagedExchange() override {
    if (stage.state == Stage::InExchange)
      stage.state = Stage::Free;
  }

  dyn_status_t begin(const ExchangeTerms &terms);
  dyn_status_t wait(RankError &heard) override;

private:
  CudaSpace &space;
  Stage &stage;
  std::vector<ExchangePart> parts;  ///< on the device
  std::vector<ExchangePart> staged; ///< in the stage
  std::unique_ptr<PendingExchange> begun;
};
} // namespace

dyn_status_t StagedExchange::begin(const ExchangeTerms &terms) {
  const Driver &cuda = space.program.driver();
  auto *next = static_cast<char *>(stage.memory.data());
  for (const ExchangePart &part : parts) {
    ExchangePart own = part;
    own.send = next;
    if (part.sends) {
      ++space.copiesToHost;
      space.stagedBytes += part.sends;
      DYN_RETURN_IF_FAILED(
          cuda.check(cuda.copyToHostAsync(next, address(part.send), part.sends,
                                          space.stream),
                     "copy rows for other ranks from the device"));
    }
    next += part.sends;
    own.receive = next;
    next += part.receives;
    staged.push_back(own);
  }
  ++space.waits;
  DYN_RETURN_IF_FAILED(space.synchronize());
  DYN_RETURN_IF_FAILED(
      terms.communicator.exchange(staged, terms.timeoutNs, terms.cancel,
                                  Rows::MovedHere, terms.error, begun));
  // Kernels run beside it from now on.
  begun->moveAlone();
  return DYN_STATUS_OK;
}

dyn_status_t StagedExchange::wait(RankError &heard) {
  if (!begun)
    return DYN_STATUS_OK;
  DYN_RETURN_IF_FAILED(begun->wait(heard));
  const Driver &cuda = space.program.driver();
  stage.state = Stage::OnStream;
  space.isQueued = true;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].receives)
      continue;
    ++space.copiesToDevice;
    space.stagedBytes += parts[i].receives;
    DYN_RETURN_IF_FAILED(cuda.check(
        cuda.copyToDeviceAsync(address(parts[i].receive), staged[i].receive,
                               parts[i].receives, space.stream),
        "copy rows of other ranks to the device"));
  }
  return DYN_STATUS_OK;
}

dyn_status_t StagedCarrier::clear(void *rows, uint64_t bytes) {
  const Driver &cuda = space.program.driver();
  space.isQueued = true;
  return cuda.check(cuda.memsetAsync(address(rows), 0, bytes, space.stream),
                    "fill memory of the device");
}

dyn_status_t StagedCarrier::copy(void *to, const void *from, uint64_t bytes) {
  const Driver &cuda = space.program.driver();
  space.isQueued = true;
  return cuda.check(
      cuda.copyOnDeviceAsync(address(to), address(from), bytes, space.stream),
      "copy rows on the device");
}

dyn_status_t StagedCarrier::begin(const std::vector<ExchangePart> &parts,
                                  const ExchangeTerms &terms,
                                  std::unique_ptr<PendingExchange> &out) {
  uint64_t bytes = 0;
  for (const ExchangePart &part : parts)
    bytes += part.sends + part.receives;
  Stage *stage = nullptr;
  DYN_RETURN_IF_FAILED(space.staging.take(int64_t(bytes), allocations, stage));
  auto exchange = std::make_unique<StagedExchange>(space, *stage, parts);
  DYN_RETURN_IF_FAILED(exchange->begin(terms));
  out = std::move(exchange);
  return DYN_STATUS_OK;
}

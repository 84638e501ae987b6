//===- RankExchange.cpp - Exchanges of calls with some ranks --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankCommunicator.h"

using namespace dyn::rt;

namespace {
class Pending final : public PendingExchange {
public:
  explicit Pending(dyn_request_t *request) : request(request) {}
  void moveAlone() override { dyn::rt::moveAlone(*request); }
  dyn_status_t wait(RankError &heard) override {
    dyn_status_t status =
        static_cast<RankCommunicator &>(*request->communicator.get())
            .wait(*request);
    heard.merge(request->heard);
    return status;
  }

private:
  std::unique_ptr<dyn_request_t> request;
};
} // namespace

dyn_status_t RankGroup::exchange(const std::vector<ExchangePart> &parts,
                                 uint64_t timeoutNs,
                                 const volatile int32_t *cancel, Rows rows,
                                 const RankError &error,
                                 std::unique_ptr<PendingExchange> &out) {
  auto request = std::make_unique<dyn_request>(*this, Operation::Exchange, 1);
  for (const ExchangePart &part : parts)
    request->rounds[0].exchange(part.rank,
                                {const_cast<void *>(part.send), part.sends},
                                {part.receive, part.receives});
  request->rows = rows;
  request->header.error = error;
  dyn_transfer_options_t options = {sizeof(options), timeoutNs, cancel};
  dyn_request_t *begun = nullptr;
  DYN_RETURN_IF_FAILED(begin(std::move(request), &options, &begun));
  out = std::make_unique<Pending>(begun);
  return DYN_STATUS_OK;
}

uint64_t RankGroup::timeout() { return whole().getTimeout(); }

void RankGroup::abort(dyn_status_t status, const std::string &reason) {
  whole().abortAll(status, reason);
}

//===- Ranks.cpp - Runs of a model on several ranks -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdlib>
#include <optional>
#include <thread>
#include <vector>

using namespace dyn::run;

std::string Rank::fileOf(llvm::StringRef name) const {
  std::string text = name.str();
  size_t at = communicator ? text.find("%r") : std::string::npos;
  if (at != std::string::npos)
    text.replace(at, 2, std::to_string(dyn_communicator_rank(communicator)));
  return text;
}

/// Prints the lines of a rank, and gives its error the rank's name.
static llvm::Error finish(uint32_t rank, llvm::StringRef lines,
                          llvm::Error error) {
  while (!lines.empty()) {
    auto [line, rest] = lines.split('\n');
    llvm::outs() << "rank " << rank << ": " << line << '\n';
    lines = rest;
  }
  if (!error)
    return error;
  return llvm::createStringError("rank " + llvm::Twine(rank) + ": " +
                                 llvm::toString(std::move(error)));
}

llvm::Error dyn::run::runOnThreads(unsigned count, RankBody body) {
  std::vector<dyn_communicator_t *> made(count);
  if (dyn_communicator_create_threads(count, nullptr, made.data()))
    return llvm::createStringError(llvm::StringRef(dyn_last_error()));
  std::vector<std::string> texts(count);
  std::vector<std::optional<llvm::Error>> errors(count);
  std::vector<std::thread> threads;
  for (unsigned rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      llvm::raw_string_ostream os(texts[rank]);
      errors[rank].emplace(body({made[rank], &os, int(rank)}));
      // Others hear at once that a rank has ended.
      dyn_communicator_release(made[rank]);
    });
  llvm::Error all = llvm::Error::success();
  for (unsigned rank = 0; rank < count; ++rank) {
    threads[rank].join();
    all = llvm::joinErrors(std::move(all),
                           finish(rank, texts[rank], std::move(*errors[rank])));
  }
  return all;
}

/// As torchrun, Open MPI and MPICH say it; 0 if no launcher does.
static int getLocalRank() {
  for (const char *variable :
       {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"})
    if (const char *text = std::getenv(variable))
      return std::atoi(text);
  return 0;
}

llvm::Error dyn::run::runAsProcess(llvm::StringRef communicator,
                                   RankBody body) {
  dyn_communicator_t *made = nullptr;
  dyn_status_t status =
      communicator == "sockets"
          ? dyn_communicator_create_sockets(nullptr, nullptr, &made)
          : dyn_communicator_create_plugin("libdyn_mpi.so", nullptr, &made);
  if (status)
    return llvm::createStringError(llvm::StringRef(dyn_last_error()));
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::Error error = body({made, &os, getLocalRank()});
  uint32_t rank = dyn_communicator_rank(made);
  dyn_communicator_release(made);
  return finish(rank, text, std::move(error));
}

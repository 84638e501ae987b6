//===- MpiThatFails.cpp - Requests of MPI that end with an error ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of a plugin, whose calls it answers in place of MPI. After some
// requests, all fail, as they do when MPI finds that a peer is lost.
//
//===----------------------------------------------------------------------===//

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

extern "C" int MPI_Testall(int count, MPI_Request *requests, int *flag,
                           MPI_Status *statuses) {
  static int ended = 0;
  int status = PMPI_Testall(count, requests, flag, statuses);
  ended += *flag;
  return ended > 60 ? MPI_ERR_OTHER : status;
}

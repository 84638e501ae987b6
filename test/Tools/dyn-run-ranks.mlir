// A matrix product whose columns are divided between two ranks, as the parts of a local program: each
// part has its own columns of the weights, gathers the result, and meanwhile reduces its input. All
// bits are those of one process.
//
// RUN: dyn-compile %s -o %t.so
// RUN: dyn-compile --describe %t.so | FileCheck %s --check-prefix=DESCRIBE
// RUN: dyn-run %t.so --entry=whole --input x=random:13x8 --output=%t.npz
// RUN: dyn-run %t.so --entry=main --ranks=2 --input x=random:13x8 --check=%t.npz --tolerance=0 | FileCheck %s --check-prefix=CLOSE
// RUN: dyn-run %t.so --entry=main --ranks=2 --communicator=threads --input x=random:0x8 --repeat=3 | FileCheck %s --check-prefix=EMPTY
// RUN: dyn-run %t.so --entry=main --ranks=2 --input x=random:13x8 --output=%t.%%r.npz
// RUN: cmp %t.0.npz %t.1.npz
//
// DESCRIBE: entry main_0: rank 0 of 2 of main, reads
// DESCRIBE: entry main_1: rank 1 of 2 of main, reads
// DESCRIBE: entry whole
// DESCRIBE-NEXT: input x
//
// CLOSE: rank 0: y: close
// CLOSE: rank 0: s: close
// CLOSE: rank 1: y: close
// CLOSE: rank 1: s: close
//
// EMPTY: rank 0: first call:
// EMPTY: rank 1: y: f32[6, 0] =
//
// Each rank has a device of its own.
// RUN: dyn-compile %s -o %t.emu.so --target=cpu,emu
// RUN: dyn-run %t.emu.so --device=emu --entry=whole --input x=random:13x8 --output=%t.emu.npz
// RUN: env DYN_EMU_DEVICES=2 dyn-run %t.emu.so --device=emu --entry=main --ranks=2 --input x=random:13x8 --check=%t.emu.npz --tolerance=0 | FileCheck %s --check-prefix=CLOSE
// RUN: env DYN_EMU_DEVICES=2 dyn-run %t.emu.so --device=emu --entry=main --ranks=2 --exchange-library=none --input x=random:13x8 --check=%t.emu.npz --tolerance=0 | FileCheck %s --check-prefix=CLOSE
// RUN: not env DYN_EMU_DEVICES=2 dyn-run %t.emu.so --device=emu --entry=main --ranks=2 --exchange-library=libnone.so --input x=random:13x8 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: rank 0: no exchange library: libnone.so
// RUN: not dyn-run %t.so --entry=whole --exchange-library=none --input x=random:13x8 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: exchange_library: expected none on the CPU, got 'none'
// RUN: not dyn-run %t.emu.so --device=emu --entry=main --ranks=2 --input x=random:13x8 2>&1 | FileCheck %s --check-prefix=DEVICES
// DEVICES: rank 1: device 1 of CUDA does not exist: there are 1
// RUN: not env RANK=0 LOCAL_RANK=3 WORLD_SIZE=1 MASTER_ADDR=127.0.0.1 DYN_MASTER_PORT=29878 dyn-run %t.emu.so --device=emu --communicator=sockets --input x=random:13x8 2>&1 | FileCheck %s --check-prefix=LOCAL
// LOCAL: rank 0: device 3 of CUDA does not exist: there are 1
//
// Each process of a launcher is a rank.
// RUN: not env RANK=0 WORLD_SIZE=1 MASTER_ADDR=127.0.0.1 DYN_MASTER_PORT=29879 dyn-run %t.so --communicator=sockets --input x=random:13x8 2>&1 | FileCheck %s --check-prefix=PROCESS
// PROCESS: error: rank 0: '{{.*}}' is for 2 ranks: the communicator has 1
//
// RUN: not dyn-run %t.so --input x=random:13x8 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not dyn-run %t.so --entry=main_0 --input x=random:13x8 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: 'main' is for 2 ranks: expected --ranks=2, or --communicator in each process of a launcher
// RUN: not dyn-run %t.so --entry=main --ranks=3 --input x=random:13x8 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: rank 0: '{{.*}}' is for 2 ranks: the communicator has 3
// SIZE-NEXT: rank 1: '{{.*}}' is for 2 ranks: the communicator has 3
// RUN: not dyn-run %t.so --ranks=0 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: --ranks: expected at least 1
// RUN: not dyn-run %t.so --communicator=mail 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: --communicator: expected threads, sockets or mpi, found 'mail'
// RUN: not dyn-run %t.so --communicator=threads 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: --communicator: expected --ranks beside it
// RUN: not dyn-run %t.so --communicator=mpi --ranks=2 2>&1 | FileCheck %s --check-prefix=LAUNCHER
// LAUNCHER: --ranks: expected none: the launcher of the processes says how many
// RUN: not dyn-run %t.so --ranks=2 --stats 2>&1 | FileCheck %s --check-prefix=STATS
// STATS: --stats: expected one process without other ranks
// RUN: not env -u RANK -u OMPI_COMM_WORLD_RANK -u PMI_RANK dyn-run %t.so --communicator=sockets 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: no rank is set

dhlo.dim @N in [0, 64]

func.func @main_0(%x: tensor<?x8xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<6x?xf32, #dhlo.dims<N>> {dhlo.name = "y"}, tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "s"})
    attributes {dhlo.entry, dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  %w = dhlo.constant dense<[[1.0, 2.0, 3.0], [0.5, 1.5, 2.5], [1.25, 1.0, 0.75], [2.0, 3.0, 4.0],
    [1.0, 2.0, 3.0], [0.5, 1.5, 2.5], [1.25, 1.0, 0.75], [2.0, 3.0, 4.0]]> : tensor<8x3xf32>
  %0 = dhlo.dot_general %w, %x batch = 0 lhs_contract = [0] rhs_contract = [1]
      : (tensor<8x3xf32>, tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<3x?xf32, #dhlo.dims<N>>
  %s = dhlo.from_dims [0, 3, 0, 3] : tensor<4xi64>
  %r = dhlo.from_dims [0, 3, 3, 6] : tensor<4xi64>
  %t = dist.exchange_start %0 among [0, 1] sends %s receives %r
      : (tensor<3x?xf32, #dhlo.dims<N>>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %1 = dhlo.reduce sum %x axes = [1] : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
  %y = dist.exchange_wait %t : !dist.request -> tensor<6x?xf32, #dhlo.dims<N>>
  return %y, %1 : tensor<6x?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>
}

func.func @main_1(%x: tensor<?x8xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<6x?xf32, #dhlo.dims<N>> {dhlo.name = "y"}, tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "s"})
    attributes {dhlo.entry, dist.part = #dist.part<"main", rank = 1, ranks = 2>} {
  %w = dhlo.constant dense<[[4.0, 5.0, 6.0], [3.5, 4.5, 5.5], [0.5, 0.25, 0.125], [5.0, 6.0, 7.0],
    [4.0, 5.0, 6.0], [3.5, 4.5, 5.5], [0.5, 0.25, 0.125], [5.0, 6.0, 7.0]]> : tensor<8x3xf32>
  %0 = dhlo.dot_general %w, %x batch = 0 lhs_contract = [0] rhs_contract = [1]
      : (tensor<8x3xf32>, tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<3x?xf32, #dhlo.dims<N>>
  %s = dhlo.from_dims [0, 3, 0, 3] : tensor<4xi64>
  %r = dhlo.from_dims [0, 3, 3, 6] : tensor<4xi64>
  %t = dist.exchange_start %0 among [0, 1] sends %s receives %r
      : (tensor<3x?xf32, #dhlo.dims<N>>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %1 = dhlo.reduce sum %x axes = [1] : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
  %y = dist.exchange_wait %t : !dist.request -> tensor<6x?xf32, #dhlo.dims<N>>
  return %y, %1 : tensor<6x?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>
}

func.func @whole(%x: tensor<?x8xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<6x?xf32, #dhlo.dims<N>> {dhlo.name = "y"}, tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "s"})
    attributes {dhlo.entry} {
  %w = dhlo.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.5, 1.5, 2.5, 3.5, 4.5, 5.5],
    [1.25, 1.0, 0.75, 0.5, 0.25, 0.125], [2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.5, 1.5, 2.5, 3.5, 4.5, 5.5],
    [1.25, 1.0, 0.75, 0.5, 0.25, 0.125], [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]]> : tensor<8x6xf32>
  %y = dhlo.dot_general %w, %x batch = 0 lhs_contract = [0] rhs_contract = [1]
      : (tensor<8x6xf32>, tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<6x?xf32, #dhlo.dims<N>>
  %1 = dhlo.reduce sum %x axes = [1] : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
  return %y, %1 : tensor<6x?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>
}

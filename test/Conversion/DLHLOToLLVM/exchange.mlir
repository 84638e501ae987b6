// RUN: dyn-opt %s --convert-dlhlo-to-llvm | FileCheck %s
// RUN: dyn-opt %s --convert-dlhlo-to-llvm=device | FileCheck %s
// Exchanges are calls of the runtime, and the entry says which part it is and what it reads.

// CHECK: llvm.mlir.global internal constant @dyn.ranks.0(dense<[1, 0]> : tensor<2xi64>)
// CHECK: dlhlo.entry @main_1
// CHECK-SAME: {dist.part = #dist.part<"main", rank = 1, ranks = 2>, dlhlo.constants = array<i32: 1>}
dlhlo.entry @main_1 calls "dyn.entry.main_1" : (tensor<4xi64>) -> tensor<4xi64> inputs ["x"] outputs ["y"] dims [] arenas 0 {dist.part = #dist.part<"main", rank = 1, ranks = 2>}
dlhlo.constant @other : tensor<1xi64> {
  %0 = dhlo.constant dense<0> : tensor<1xi64>
  dlhlo.yield %0 : tensor<1xi64>
}
dlhlo.constant @w : tensor<4xi64> {
  %0 = dhlo.constant dense<[0, 2, 2, 4]> : tensor<4xi64>
  dlhlo.yield %0 : tensor<4xi64>
}
// CHECK-LABEL: llvm.func @dyn.entry.main_1(
// CHECK: llvm.getelementptr %{{.*}}[112]
// CHECK: %[[START:.*]] = llvm.load
// CHECK: llvm.getelementptr %{{.*}}[120]
// CHECK: %[[WAIT:.*]] = llvm.load
func.func @dyn.entry.main_1(%x: !dlhlo.buffer) {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %y = dlhlo.output 0 sizes (%c4)
  %w = dlhlo.constant_buffer @w
  // CHECK: %[[RANKS:.*]] = llvm.mlir.addressof @dyn.ranks.0
  // CHECK: %[[T:.*]] = llvm.call %[[START]](%{{.*}}, %{{.*}}, %[[RANKS]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr, i64) -> i64
  // CHECK: llvm.icmp "slt" %[[T]]
  %t = dist.buffer_start %x[%c4] to %y[%c4] bytes %c8 among [1, 0] sends %w receives %w site = 3
  // CHECK: llvm.call %[[WAIT]](%{{.*}}, %[[T]]) : !llvm.ptr, (!llvm.ptr, i64) -> i32
  dist.buffer_wait %t
  return
}

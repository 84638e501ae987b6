// Announcements of weights on their way to the runtime.
// RUN: dyn-opt %s -dyn-form-kernels -dyn-plan-buffers | FileCheck %s --check-prefix=BUFFERS
// RUN: dyn-opt %s -dyn-form-kernels -dyn-plan-buffers -dyn-lower-entries | FileCheck %s --check-prefix=LLVM

dlhlo.constant @first : tensor<4xf32> {
  %0 = dhlo.constant dense<1.0> : tensor<4xf32>
  dlhlo.yield %0 : tensor<4xf32>
}
dlhlo.constant @w : tensor<2x4xf32> {
  %0 = dhlo.constant dense<1.0> : tensor<2x4xf32>
  dlhlo.yield %0 : tensor<2x4xf32>
}

// BUFFERS-LABEL: func.func @dyn.entry.main(
// BUFFERS:       dlhlo.dispatch @neg dims() buffers(%{{.*}}, %[[O:.*]]) site_base
// BUFFERS-NEXT:  dlhlo.fetch %[[O]] [#dlhlo.range<@w, path = 0, offset = 0, bytes = 16>, #dlhlo.range<@first, path = 1, offset = 4, bytes = 8>] : !dlhlo.buffer
// BUFFERS-NEXT:  dlhlo.fetch %[[O]] [#dlhlo.range<@w, path = 1, offset = 16, bytes = 16>] : !dlhlo.buffer
// BUFFERS-NEXT:  dlhlo.fetch predicted [#dlhlo.range<@w, path = 1, offset = 16, bytes = 16>]{{$}}

// Three words for each range: the constant and the path, the offset, the bytes.
// LLVM-DAG:   llvm.mlir.global internal constant @dyn.ranges.0(dense<[1, 0, 16, 4294967296, 4, 8]> : tensor<6xi64>)
// LLVM-DAG:   llvm.mlir.global internal constant @dyn.ranges.1(dense<[4294967297, 16, 16]> : tensor<3xi64>)
// LLVM-LABEL: llvm.func @dyn.entry.main(
// LLVM:       llvm.getelementptr %{{.*}}[80]
// LLVM-NEXT:  %[[FETCH:.*]] = llvm.load
// LLVM:       llvm.getelementptr %{{.*}}[104]
// LLVM-NEXT:  %[[EXPECT:.*]] = llvm.load
// LLVM:       %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// LLVM:       %[[RANGES:.*]] = llvm.mlir.addressof @dyn.ranges.0
// LLVM:       llvm.call %[[FETCH]](%{{.*}}, %{{.*}}, %[[TWO]], %[[RANGES]]) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr) -> i32
// LLVM:       llvm.mlir.addressof @dyn.ranges.1
// A prediction, without offsets.
// LLVM:       %[[NONE:.*]] = llvm.mlir.zero : !llvm.ptr
// LLVM:       llvm.mlir.addressof @dyn.ranges.2
// LLVM:       llvm.call %[[EXPECT]](%{{.*}}, %[[NONE]], %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr) -> i32

func.func @main(%i: tensor<3xi64> {dhlo.name = "i"}) -> (tensor<3xi64> {dhlo.name = "o"}) attributes {dhlo.entry} {
  %o = dlhlo.fusion loop (%i) : (tensor<3xi64>) -> tensor<3xi64> {
  ^bb0(%a: tensor<3xi64>):
    %1 = dhlo.neg %a : tensor<3xi64>
    dlhlo.yield %1 : tensor<3xi64>
  }
  dlhlo.fetch %o [#dlhlo.range<@w, path = 0, offset = 0, bytes = 16>, #dlhlo.range<@first, path = 1, offset = 4, bytes = 8>] : tensor<3xi64>
  dlhlo.fetch %o [#dlhlo.range<@w, path = 1, offset = 16, bytes = 16>] : tensor<3xi64>
  dlhlo.fetch predicted [#dlhlo.range<@w, path = 1, offset = 16, bytes = 16>]
  return %o : tensor<3xi64>
}

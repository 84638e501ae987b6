// RUN: dyn-opt %s -split-input-file -convert-kernel-to-gpu -canonicalize | FileCheck %s

// A thread has four adjacent elements, in accesses of 16 bytes; what is left at the end
// goes one by one. The grid says how many blocks of 256 threads that takes.

// CHECK-LABEL: func.func @flat.grid(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK:       gpu.module @flat
// CHECK:         llvm.func @flat(%[[P:.*]]: !llvm.ptr {llvm.align = 8 : i64, llvm.byval = !llvm.array<9 x i64>})
// CHECK-SAME:      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256>}
// CHECK:           %[[SIZES:.*]] = llvm.getelementptr %[[P]][3]
// CHECK:           llvm.load %[[SIZES]]
// CHECK:           llvm.load %[[P]] {{.*}} -> !llvm.ptr
// CHECK:           nvvm.read.ptx.sreg.tid.x
// CHECK:           nvvm.read.ptx.sreg.ctaid.x
// CHECK:           scf.if
// CHECK:             scf.if
// CHECK:               llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:               arith.addf %{{.*}} : vector<4xf32>
// CHECK:               llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK:             else
// CHECK:               scf.for
// CHECK:                 arith.addf %{{.*}} : f32
dlhlo.kernel @flat loop {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>, %y: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.add %x, %y : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

// -----

// Sizes that are multiples of four have no end to treat. Four elements of 2 bytes
// are an access of 8.

// CHECK-LABEL: gpu.module @even
// CHECK:         scf.if
// CHECK-NOT:     scf.for
// CHECK:         llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<4xf16>
// CHECK-NOT:     scf.for
dlhlo.kernel @even loop {
^bb0(%x: tensor<?xf16, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?] multiple_of 8
  %0 = dhlo.neg %x : tensor<?xf16, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?xf16, #dhlo.dims<d0>>
}

// -----

// Lines of seven are never a multiple of four: a thread has one element.

// CHECK-LABEL: gpu.module @odd
// CHECK-NOT:     llvm.func @odd$wide
// CHECK:         llvm.func @odd(
// CHECK-NOT:     vector
// CHECK:         llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NOT:     vector
// CHECK:         llvm.return
dlhlo.kernel @odd loop {
^bb0(%x: tensor<?x7xf32, #dhlo.dims<d0>>, %y: tensor<7xf32>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.broadcast %y axes = [1] : (tensor<7xf32>) -> tensor<?x7xf32, #dhlo.dims<d0>>
  %1 = dhlo.add %x, %0 : tensor<?x7xf32, #dhlo.dims<d0>>
  dlhlo.yield %1 : tensor<?x7xf32, #dhlo.dims<d0>>
}

// -----

// Of lines of a dynamic length there is a version for multiples of four, and
// one for others; each has a grid of its own.

// CHECK-LABEL: func.func @lines.grid(
// CHECK-SAME:    %[[SIZES:.*]]: !llvm.ptr, %[[OUT:.*]]: !llvm.ptr)
// CHECK:         %[[COLUMNS:.*]] = llvm.load
// CHECK:         %[[REST:.*]] = arith.remui %[[COLUMNS]], %c4
// CHECK:         %[[IS_NARROW:.*]] = arith.cmpi ne, %[[REST]], %c0
// CHECK:         %[[VERSION:.*]] = arith.extui %[[IS_NARROW]] : i1 to i64
// CHECK:         %[[BLOCKS:.*]] = arith.select
// CHECK:         llvm.store %[[VERSION]], %[[OUT]]
// CHECK:         llvm.store %[[BLOCKS]]
// CHECK:       llvm.func @lines$wide(
// CHECK-NOT:     alignment = 4 :
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-NOT:     alignment = 4 :
// CHECK:       llvm.func @lines$narrow(
// CHECK-NOT:     vector
// CHECK:         llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NOT:     vector
// CHECK:         llvm.return
dlhlo.kernel @lines loop {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>, %y: tensor<?xf32, #dhlo.dims<d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.broadcast %y axes = [1] : (tensor<?xf32, #dhlo.dims<d1>>) -> tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %1 = dhlo.add %x, %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

// -----

// Results of different sizes have their parts of the threads. Accesses of f64 hold
// two.

// CHECK-LABEL: gpu.module @two
// CHECK:         vector<2xf64>
// CHECK:         arith.andi
dlhlo.kernel @two loop {
^bb0(%x: tensor<?xf64, #dhlo.dims<d0>>, %y: tensor<?xf64, #dhlo.dims<d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.neg %x : tensor<?xf64, #dhlo.dims<d0>>
  %1 = dhlo.neg %y : tensor<?xf64, #dhlo.dims<d1>>
  dlhlo.yield %0, %1 : tensor<?xf64, #dhlo.dims<d0>>, tensor<?xf64, #dhlo.dims<d1>>
}

// -----

// Data errors go to the word that the parameters name. Where lanes go different ways
// each is computed by itself, in registers.

// CHECK-LABEL: gpu.module @divide
// CHECK:         llvm.atomicrmw umin
dlhlo.kernel @divide loop {
^bb0(%x: tensor<?xi32, #dhlo.dims<d0>>, %y: tensor<?xi32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.div %x, %y : tensor<?xi32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?xi32, #dhlo.dims<d0>>
}

// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector | FileCheck %s

// Elementwise code is flat whatever the rank: no division, one vector loop and
// one loop for what is left.

// CHECK-LABEL: func.func @flat.geometry(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK-LABEL: func.func @flat.body(
// CHECK-SAME:    !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK:       scf.for
// CHECK:         llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK:         arith.addf %{{.*}} : vector<16xf32>
// CHECK:         llvm.store
// CHECK:       scf.for
// CHECK-NOT:     vector<
// CHECK:         arith.addf %{{.*}} : f32
dlhlo.kernel @flat loop {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>, %y: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.add %x, %y : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

// -----

// Merging heads reads full vectors: the last axis is split as below the reshape.

// CHECK-LABEL: func.func @heads.body(
// CHECK:       scf.for
// CHECK:         %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK-NOT:     vector<
// CHECK:         llvm.store %[[V]]
dlhlo.kernel @heads loop {
^bb0(%x: tensor<?x3x?x32xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.transpose %x permutation = [0, 2, 1, 3] : (tensor<?x3x?x32xf32, #dhlo.dims<d0, d1>>) -> tensor<?x?x3x32xf32, #dhlo.dims<d0, d1>>
  %1 = dhlo.reshape %0 : (tensor<?x?x3x32xf32, #dhlo.dims<d0, d1>>) -> tensor<?x?x96xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %1 : tensor<?x?x96xf32, #dhlo.dims<d0, d1>>
}

// -----

// Data errors go to the word of the call, by site.

// CHECK-LABEL: func.func @divide.body(
// CHECK:       llvm.atomicrmw umin
dlhlo.kernel @divide loop {
^bb0(%x: tensor<?xi32, #dhlo.dims<d0>>, %y: tensor<?xi32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.div %x, %y : tensor<?xi32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?xi32, #dhlo.dims<d0>>
}

// -----

// Rows of a table are asked for some rows ahead, by their indices: here two lines. A
// gather of single elements has no rows to ask for.

// CHECK-LABEL: func.func @rows.body(
// CHECK:       scf.for
// CHECK-COUNT-2: llvm.intr.prefetch
// CHECK-NOT:     llvm.intr.prefetch
// CHECK:         llvm.store %{{.*}} : vector<16xf32>, !llvm.ptr
dlhlo.kernel @rows loop {
^bb0(%t: tensor<?x32xf32, #dhlo.dims<d2>>, %i: tensor<?x?xi64, #dhlo.dims<d0, d1>>, %x: tensor<?x?x32xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  dhlo.dim @d2 in [0, ?]
  %0 = dhlo.gather %t, %i axis = 0 batch = 0 : (tensor<?x32xf32, #dhlo.dims<d2>>, tensor<?x?xi64, #dhlo.dims<d0, d1>>) -> tensor<?x?x32xf32, #dhlo.dims<d0, d1>>
  %1 = dhlo.add %0, %x : tensor<?x?x32xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %1 : tensor<?x?x32xf32, #dhlo.dims<d0, d1>>
}

// -----

// CHECK-LABEL: func.func @elements.body(
// CHECK-NOT:   llvm.intr.prefetch
// CHECK:       return
dlhlo.kernel @elements loop {
^bb0(%t: tensor<?xf32, #dhlo.dims<d2>>, %i: tensor<?x32xi64, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d2 in [0, ?]
  %0 = dhlo.gather %t, %i axis = 0 batch = 0 : (tensor<?xf32, #dhlo.dims<d2>>, tensor<?x32xi64, #dhlo.dims<d0>>) -> tensor<?x32xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x32xf32, #dhlo.dims<d0>>
}

// -----

// Of a concatenation along the innermost axis, each part is covered by vectors of
// one operand, shorter ones at its end: no test says which operand it is.

// CHECK-LABEL: func.func @parts.body(
// CHECK-NOT:   arith.cmpi slt
// CHECK:       llvm.load {{.*}} -> vector<16xf32>
// CHECK:       llvm.load {{.*}} -> vector<8xf32>
// CHECK:       llvm.load {{.*}} -> vector<4xf32>
// CHECK-NOT:   vector.insert
// CHECK:       return
dlhlo.kernel @parts loop {
^bb0(%x: tensor<?x16xf32, #dhlo.dims<d0>>, %y: tensor<?x12xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.concat %x, %y axis = 1 : (tensor<?x16xf32, #dhlo.dims<d0>>, tensor<?x12xf32, #dhlo.dims<d0>>) -> tensor<?x28xf32, #dhlo.dims<d0>>
  %1 = dhlo.neg %0 : tensor<?x28xf32, #dhlo.dims<d0>>
  dlhlo.yield %1 : tensor<?x28xf32, #dhlo.dims<d0>>
}

// -----

// The parts of a pad are before, in and behind its operand. Only those before and behind
// have indices to reflect.

// CHECK-LABEL: func.func @padded.body(
// CHECK:       llvm.intr.masked.gather {{.*}} -> vector<2xf32>
// CHECK:       scf.for %{{.*}} to %{{.*}} step %c16_i64
// CHECK-NOT:   scf.if
// CHECK:       %[[V:.*]] = llvm.load {{.*}} -> vector<16xf32>
// CHECK-NOT:   scf.if
// CHECK:       llvm.store %[[V]]
// CHECK:       llvm.intr.masked.gather {{.*}} -> vector<2xf32>
// CHECK:       return
dlhlo.kernel @padded loop {
^bb0(%x: tensor<?x32xf32, #dhlo.dims<d0>>, %c: tensor<f32>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.pad %x, %c reflect low = [0, 3] high = [0, 2] : (tensor<?x32xf32, #dhlo.dims<d0>>, tensor<f32>) -> tensor<?x37xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x37xf32, #dhlo.dims<d0>>
}

// -----

// Indices of windows are those of a load: each window is a vector.

// CHECK-LABEL: func.func @windows.body(
// CHECK-NOT:   llvm.intr.masked.gather
// CHECK:       %[[V:.*]] = llvm.load {{.*}} -> vector<16xf32>
// CHECK:       llvm.store
// CHECK:       return
dlhlo.kernel @windows loop {
^bb0(%x: tensor<?x34xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<3x32xi64>
  %1 = dhlo.iota axis = 1 start = [0] step = [1] : tensor<3x32xi64>
  %2 = dhlo.add %0, %1 : tensor<3x32xi64>
  %3 = dhlo.gather %x, %2 axis = 1 batch = 0 : (tensor<?x34xf32, #dhlo.dims<d0>>, tensor<3x32xi64>) -> tensor<?x3x32xf32, #dhlo.dims<d0>>
  dlhlo.yield %3 : tensor<?x3x32xf32, #dhlo.dims<d0>>
}

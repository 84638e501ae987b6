// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector | FileCheck %s

// Channels to the end: vectors along the pixels are loaded, turned in four
// steps of shuffles, and stored along the channels; single elements at the
// edges.

// CHECK-LABEL: func.func @square.body(
// CHECK:       scf.for
// CHECK-COUNT-16: llvm.load %{{.*}} -> vector<16xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: llvm.store %{{.*}} : vector<16xf32>
// CHECK:         scf.for
// CHECK:           llvm.load %{{.*}} -> f32
// CHECK:           llvm.store %{{.*}} : f32
dlhlo.kernel @square transpose {
^bb0(%x: tensor<?x96x?x?xf32, #dhlo.dims<N, H, W>>):
  dhlo.dim @N in [0, ?]
  dhlo.dim @H in [0, ?]
  dhlo.dim @W in [0, ?]
  %0 = dhlo.transpose %x permutation = [0, 2, 3, 1] : (tensor<?x96x?x?xf32, #dhlo.dims<N, H, W>>) -> tensor<?x?x?x96xf32, #dhlo.dims<N, H, W>>
  dlhlo.yield %0 : tensor<?x?x?x96xf32, #dhlo.dims<N, H, W>>
}

// -----

// Three colours of 16 pixels are adjacent and become one vector.

// CHECK-LABEL: func.func @short.body(
// CHECK-COUNT-3: llvm.load %{{.*}} -> vector<16xf32>
// CHECK:       vector.shuffle
// CHECK:       llvm.store %{{.*}} : vector<48xf32>
dlhlo.kernel @short transpose {
^bb0(%x: tensor<?x3x?x?xf32, #dhlo.dims<N, H, W>>):
  dhlo.dim @N in [0, ?]
  dhlo.dim @H in [0, ?]
  dhlo.dim @W in [0, ?]
  %0 = dhlo.transpose %x permutation = [0, 2, 3, 1] : (tensor<?x3x?x?xf32, #dhlo.dims<N, H, W>>) -> tensor<?x?x?x3xf32, #dhlo.dims<N, H, W>>
  dlhlo.yield %0 : tensor<?x?x?x3xf32, #dhlo.dims<N, H, W>>
}

// -----

// Twelve channels are less than a vector: each row overwrites what is behind the
// one before, and the last vector is of the last two rows.

// CHECK-LABEL: func.func @dozen.body(
// CHECK-COUNT-12: llvm.load %{{.*}} -> vector<16xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-15: llvm.store %{{.*}} : vector<16xf32>
// CHECK:       vector.shuffle
// CHECK-NEXT:  vector.shuffle
// CHECK:       llvm.store %{{.*}} : vector<16xf32>
// CHECK-NOT:   vector.shuffle
// CHECK:       llvm.store %{{.*}} : f32
dlhlo.kernel @dozen transpose {
^bb0(%x: tensor<?x12x?x?xf32, #dhlo.dims<N, H, W>>):
  dhlo.dim @N in [0, ?]
  dhlo.dim @H in [0, ?]
  dhlo.dim @W in [0, ?]
  %0 = dhlo.transpose %x permutation = [0, 2, 3, 1] : (tensor<?x12x?x?xf32, #dhlo.dims<N, H, W>>) -> tensor<?x?x?x12xf32, #dhlo.dims<N, H, W>>
  dlhlo.yield %0 : tensor<?x?x?x12xf32, #dhlo.dims<N, H, W>>
}

// -----

// Channels to the front: of three, a block has all, each of 16 pixels.

// CHECK-LABEL: func.func @few.body(
// CHECK-COUNT-3: llvm.store %{{.*}} : vector<16xf32>
// CHECK-NOT:   vector<16xf32>, !llvm.ptr
// CHECK:       llvm.store %{{.*}} : f32
dlhlo.kernel @few transpose {
^bb0(%x: tensor<?x?x?x3xf32, #dhlo.dims<N, H, W>>):
  dhlo.dim @N in [0, ?]
  dhlo.dim @H in [0, ?]
  dhlo.dim @W in [0, ?]
  %0 = dhlo.transpose %x permutation = [0, 3, 1, 2] : (tensor<?x?x?x3xf32, #dhlo.dims<N, H, W>>) -> tensor<?x3x?x?xf32, #dhlo.dims<N, H, W>>
  dlhlo.yield %0 : tensor<?x3x?x?xf32, #dhlo.dims<N, H, W>>
}

// -----

// Another operand in the order of the result is read along its rows.

// CHECK-LABEL: func.func @added.body(
// CHECK-COUNT-16: llvm.load %{{.*}} -> vector<16xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK:       llvm.load %{{.*}} -> vector<16xf32>
// CHECK-NEXT:  arith.addf {{.*}} : vector<16xf32>
// CHECK-NOT:   vector.from_elements
dlhlo.kernel @added transpose {
^bb0(%x: tensor<?x96x?xf32, #dhlo.dims<N, P>>, %y: tensor<?x?x96xf32, #dhlo.dims<N, P>>):
  dhlo.dim @N in [0, ?]
  dhlo.dim @P in [0, ?]
  %0 = dhlo.transpose %x permutation = [0, 2, 1] : (tensor<?x96x?xf32, #dhlo.dims<N, P>>) -> tensor<?x?x96xf32, #dhlo.dims<N, P>>
  %1 = dhlo.add %0, %y : tensor<?x?x96xf32, #dhlo.dims<N, P>>
  dlhlo.yield %1 : tensor<?x?x96xf32, #dhlo.dims<N, P>>
}

// -----

// Two pixels of each block follow each other: vectors along rows of all blocks.

// CHECK-LABEL: func.func @blocks.body(
// CHECK-COUNT-16: llvm.load %{{.*}} -> vector<16xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: llvm.store %{{.*}} : vector<16xf32>
dlhlo.kernel @blocks transpose {
^bb0(%x: tensor<?x?x?x2x2x32xf32, #dhlo.dims<N, H, W>>):
  dhlo.dim @N in [0, ?]
  dhlo.dim @H in [0, ?]
  dhlo.dim @W in [0, ?]
  dhlo.dim @P = 2 * @H
  dhlo.dim @Q = 2 * @W
  %0 = dhlo.transpose %x permutation = [0, 1, 3, 2, 4, 5] : (tensor<?x?x?x2x2x32xf32, #dhlo.dims<N, H, W>>) -> tensor<?x?x2x?x2x32xf32, #dhlo.dims<N, H, W>>
  %1 = dhlo.reshape %0 : (tensor<?x?x2x?x2x32xf32, #dhlo.dims<N, H, W>>) -> tensor<?x?x?x32xf32, #dhlo.dims<N, P, Q>>
  %2 = dhlo.transpose %1 permutation = [0, 3, 1, 2] : (tensor<?x?x?x32xf32, #dhlo.dims<N, P, Q>>) -> tensor<?x32x?x?xf32, #dhlo.dims<N, P, Q>>
  dlhlo.yield %2 : tensor<?x32x?x?xf32, #dhlo.dims<N, P, Q>>
}

// -----

// Where the last axis stays, rows are copied.

// CHECK-LABEL: func.func @heads.body(
// CHECK-NOT:   vector.shuffle
// CHECK:       llvm.store %{{.*}} : vector<16xf32>
dlhlo.kernel @heads transpose {
^bb0(%x: tensor<?x12x64xf32, #dhlo.dims<N>>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.transpose %x permutation = [1, 0, 2] : (tensor<?x12x64xf32, #dhlo.dims<N>>) -> tensor<12x?x64xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<12x?x64xf32, #dhlo.dims<N>>
}

// -----

// The last vector of 24 elements reaches back over the first: no code for rests.

// CHECK-LABEL: func.func @rest.body(
// CHECK:       %[[LAST:.*]] = arith.constant 8 : i64
// CHECK:         arith.minsi %{{.*}}, %[[LAST]]
// CHECK:         llvm.store %{{.*}} : vector<16xf32>
// CHECK-NOT:   llvm.store
dlhlo.kernel @rest loop {
^bb0(%x: tensor<?x24xf32, #dhlo.dims<N>>, %b: tensor<24xf32>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.broadcast %b axes = [1] : (tensor<24xf32>) -> tensor<?x24xf32, #dhlo.dims<N>>
  %1 = dhlo.add %x, %0 : tensor<?x24xf32, #dhlo.dims<N>>
  dlhlo.yield %1 : tensor<?x24xf32, #dhlo.dims<N>>
}

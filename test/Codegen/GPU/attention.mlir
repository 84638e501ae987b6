// RUN: dyn-opt %s -convert-kernel-to-gpu -canonicalize -cse | FileCheck %s

// One loop over the keys, 64 at a time: dot products with the rows, the largest
// score by a butterfly of the 16 threads of a row, weights in shared memory, the matmul
// of them with values.

// CHECK-LABEL: func.func @heads.grid(
// CHECK:       gpu.module @heads
// Few rows: a thread has one.
// CHECK:         llvm.func @heads$few(
// CHECK:         scf.for
// CHECK-SAME:      -> (f32, f32, vector<4xf32>)
// Many rows: it has four.
// CHECK:         llvm.func @heads$many(
// CHECK:         scf.for %[[KEY:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:           nvvm.barrier0
// CHECK:           math.fma %{{.*}} : vector<4xf32>
// CHECK:           nvvm.barrier0
// CHECK-COUNT-4:   nvvm.shfl.sync bfly
// CHECK:           nvvm.barrier0
// CHECK:           math.fma %{{.*}} : vector<4xf32>
// CHECK:           nvvm.barrier0
// CHECK:         arith.divf
// CHECK:         llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>
dlhlo.kernel @heads attention {
^bb0(%q: tensor<?x12x?x64xf32, #dhlo.dims<B, S>>, %k: tensor<?x12x?x64xf32, #dhlo.dims<B, T>>, %m: tensor<?x1x1x?xf32, #dhlo.dims<B, T>>):
  dhlo.dim @B in [0, ?]
  dhlo.dim @S in [0, ?]
  dhlo.dim @T in [0, ?]
  %0 = dhlo.attention %q, %k, %k mask %m scale = 0.125
      : (tensor<?x12x?x64xf32, #dhlo.dims<B, S>>, tensor<?x12x?x64xf32, #dhlo.dims<B, T>>, tensor<?x12x?x64xf32, #dhlo.dims<B, T>>, tensor<?x1x1x?xf32, #dhlo.dims<B, T>>) -> tensor<?x12x?x64xf32, #dhlo.dims<B, S>>
  dlhlo.yield %0 : tensor<?x12x?x64xf32, #dhlo.dims<B, S>>
}

// Heads side by side in rows, shared by groups of queries: read and written where they
// are.

// CHECK-LABEL: gpu.module @grouped
// CHECK:         llvm.func @grouped$many(
// CHECK:           llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>
dlhlo.kernel @grouped attention {
^bb0(%q: tensor<?x?x32x128xf32, #dhlo.dims<B, S>>, %k: tensor<?x?x8x128xf32, #dhlo.dims<B, T>>):
  dhlo.dim @B in [0, ?]
  dhlo.dim @S in [0, ?]
  dhlo.dim @T in [0, ?]
  %0 = dhlo.transpose %q permutation = [0, 2, 1, 3] : (tensor<?x?x32x128xf32, #dhlo.dims<B, S>>) -> tensor<?x32x?x128xf32, #dhlo.dims<B, S>>
  %1 = dhlo.transpose %k permutation = [0, 2, 1, 3] : (tensor<?x?x8x128xf32, #dhlo.dims<B, T>>) -> tensor<?x8x?x128xf32, #dhlo.dims<B, T>>
  %2 = dhlo.attention %0, %1, %1 scale = 0.125 causal
      : (tensor<?x32x?x128xf32, #dhlo.dims<B, S>>, tensor<?x8x?x128xf32, #dhlo.dims<B, T>>, tensor<?x8x?x128xf32, #dhlo.dims<B, T>>) -> tensor<?x32x?x128xf32, #dhlo.dims<B, S>>
  %3 = dhlo.transpose %2 permutation = [0, 2, 1, 3] : (tensor<?x32x?x128xf32, #dhlo.dims<B, S>>) -> tensor<?x?x32x128xf32, #dhlo.dims<B, S>>
  dlhlo.yield %3 : tensor<?x?x32x128xf32, #dhlo.dims<B, S>>
}

// Of wide heads a thread has two rows, few or many.

// CHECK-LABEL: gpu.module @widest
// CHECK:         llvm.func @widest(
// CHECK-NOT:     llvm.func
dlhlo.kernel @widest attention {
^bb0(%q: tensor<?x2x?x256xf32, #dhlo.dims<B, S>>, %k: tensor<?x2x?x256xf32, #dhlo.dims<B, T>>, %m: tensor<?x2x?x?xi1, #dhlo.dims<B, S, T>>):
  dhlo.dim @B in [0, ?]
  dhlo.dim @S in [0, ?]
  dhlo.dim @T in [0, ?]
  %0 = dhlo.attention %q, %k, %k mask %m scale = 0.125
      : (tensor<?x2x?x256xf32, #dhlo.dims<B, S>>, tensor<?x2x?x256xf32, #dhlo.dims<B, T>>, tensor<?x2x?x256xf32, #dhlo.dims<B, T>>, tensor<?x2x?x?xi1, #dhlo.dims<B, S, T>>) -> tensor<?x2x?x256xf32, #dhlo.dims<B, S>>
  dlhlo.yield %0 : tensor<?x2x?x256xf32, #dhlo.dims<B, S>>
}

// Of 16 bits by tensor cores: queries in registers, full accesses of keys, weights as
// they are in registers, and values that ldmatrix transposes. Adjacent threads exchange pairs
// of the result.

// CHECK-LABEL: gpu.module @half
// CHECK:         llvm.func @half(
// CHECK-SAME:      nvvm.minctasm = 2
// CHECK:         scf.for
// CHECK-COUNT-4:   llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xi16>
// CHECK:           nvvm.barrier0
// CHECK:           scf.for
// CHECK:             llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<8xi16>
// CHECK-COUNT-2:     nvvm.mma.sync
// CHECK:             nvvm.shfl.sync bfly
// CHECK:             nvvm.ldmatrix
// CHECK-COUNT-2:     nvvm.mma.sync
// CHECK:           nvvm.barrier0
// CHECK-NOT:       nvvm.barrier0
// CHECK:         nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c1_i32
// CHECK:         llvm.store %{{.*}} {alignment = 8 : i64} : vector<4xf16>
dlhlo.kernel @half attention {
^bb0(%q: tensor<?x12x?x64xf16, #dhlo.dims<B, S>>, %k: tensor<?x12x?x64xf16, #dhlo.dims<B, T>>, %m: tensor<?x1x1x?xf16, #dhlo.dims<B, T>>):
  dhlo.dim @B in [0, ?]
  dhlo.dim @S in [0, ?]
  dhlo.dim @T in [0, ?]
  %0 = dhlo.attention %q, %k, %k mask %m scale = 0.125
      : (tensor<?x12x?x64xf16, #dhlo.dims<B, S>>, tensor<?x12x?x64xf16, #dhlo.dims<B, T>>, tensor<?x12x?x64xf16, #dhlo.dims<B, T>>, tensor<?x1x1x?xf16, #dhlo.dims<B, T>>) -> tensor<?x12x?x64xf16, #dhlo.dims<B, S>>
  dlhlo.yield %0 : tensor<?x12x?x64xf16, #dhlo.dims<B, S>>
}

// Sums of wider heads leave room for one block on a multiprocessor.

// CHECK-LABEL: gpu.module @bf16
// CHECK-NOT:     nvvm.minctasm
// CHECK:         nvvm.mma.sync
dlhlo.kernel @bf16 attention {
^bb0(%q: tensor<?x?x32x128xbf16, #dhlo.dims<B, S>>, %k: tensor<?x?x8x128xbf16, #dhlo.dims<B, T>>):
  dhlo.dim @B in [0, ?]
  dhlo.dim @S in [0, ?]
  dhlo.dim @T in [0, ?]
  %0 = dhlo.transpose %q permutation = [0, 2, 1, 3] : (tensor<?x?x32x128xbf16, #dhlo.dims<B, S>>) -> tensor<?x32x?x128xbf16, #dhlo.dims<B, S>>
  %1 = dhlo.transpose %k permutation = [0, 2, 1, 3] : (tensor<?x?x8x128xbf16, #dhlo.dims<B, T>>) -> tensor<?x8x?x128xbf16, #dhlo.dims<B, T>>
  %2 = dhlo.attention %0, %1, %1 scale = 0.125 causal
      : (tensor<?x32x?x128xbf16, #dhlo.dims<B, S>>, tensor<?x8x?x128xbf16, #dhlo.dims<B, T>>, tensor<?x8x?x128xbf16, #dhlo.dims<B, T>>) -> tensor<?x32x?x128xbf16, #dhlo.dims<B, S>>
  %3 = dhlo.transpose %2 permutation = [0, 2, 1, 3] : (tensor<?x32x?x128xbf16, #dhlo.dims<B, S>>) -> tensor<?x?x32x128xbf16, #dhlo.dims<B, S>>
  dlhlo.yield %3 : tensor<?x?x32x128xbf16, #dhlo.dims<B, S>>
}

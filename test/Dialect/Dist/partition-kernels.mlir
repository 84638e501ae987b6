// RUN: dyn-opt %s --dist-propagate --dist-partition --canonicalize --cse --dlhlo-hoist-constants --dlhlo-fuse \
// RUN:   --dlhlo-outline-kernels --dlhlo-merge-kernels | FileCheck %s

// Ranks share kernels, the matmul and the transpose after an exchange, and
// each has its own part of the weights.

dist.mesh @mesh ["m" = 4]
dhlo.dim @N in [0, 512]

// CHECK-COUNT-4: dlhlo.constant @{{.*}} : tensor<64x64xf32>
// CHECK-NOT: dlhlo.constant
// CHECK-COUNT-2: dlhlo.kernel
// CHECK-NOT: dlhlo.kernel
// CHECK: func.func @main_0
// CHECK: func.func @main_3
func.func @main(%x: tensor<?x64xf32, #dhlo.dims<N>>) -> tensor<?x256xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 65536, key = "w"> : tensor<64x256xf32>
  %v = dist.reshard %w : tensor<64x256xf32> to <@mesh, [[], ["m"]]>
  %0 = dhlo.dot_general %x, %v batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x64xf32, #dhlo.dims<N>>, tensor<64x256xf32>) -> tensor<?x256xf32, #dhlo.dims<N>>
  %1 = dhlo.tanh %0 : tensor<?x256xf32, #dhlo.dims<N>>
  return %1 : tensor<?x256xf32, #dhlo.dims<N>>
}

// A perceptron whose second matmul is divided by its sums, compiled for 1, 2, 4 and 8 ranks: all have
// the same bits, also of fewer rows than ranks. Adds of segments are fused like others.
//
// RUN: dyn-compile %s -o %t.1.so --tensor-parallel=reduce --isa=v3
// RUN: sed 's/"m" = 1/"m" = 2/' %s > %t.2.mlir
// RUN: dyn-compile %t.2.mlir -o %t.2.so --tensor-parallel=reduce --isa=v3
// RUN: sed 's/"m" = 1/"m" = 4/' %s > %t.4.mlir
// RUN: dyn-compile %t.4.mlir -o %t.4.so --tensor-parallel=reduce --isa=v3
// RUN: sed 's/"m" = 1/"m" = 8/' %s > %t.8.mlir
// RUN: dyn-compile %t.8.mlir -o %t.8.so --tensor-parallel=reduce --isa=v3
// RUN: dyn-run %t.1.so --entry=main --ranks=1 --input x=random:7x16 --output=%t.7.npz
// RUN: dyn-run %t.2.so --entry=main --ranks=2 --input x=random:7x16 --check=%t.7.npz --tolerance=0 | FileCheck %s
// RUN: dyn-run %t.4.so --entry=main --ranks=4 --input x=random:7x16 --check=%t.7.npz --tolerance=0 | FileCheck %s
// RUN: dyn-run %t.8.so --entry=main --ranks=8 --input x=random:7x16 --check=%t.7.npz --tolerance=0 | FileCheck %s
// RUN: dyn-run %t.1.so --entry=main --ranks=1 --input x=random:1x16 --output=%t.npz
// RUN: dyn-run %t.8.so --entry=main --ranks=8 --input x=random:1x16 --check=%t.npz --tolerance=0 | FileCheck %s
// RUN: dyn-run %t.4.so --entry=main --ranks=4 --input x=random:0x16
//
// CHECK: rank 0: y: close
// CHECK: rank 1: y: close
//
// The segments are why they differ from those of one chain.
// RUN: dyn-compile %t.2.mlir -o %t.gather.so --isa=v3
// RUN: not dyn-run %t.gather.so --entry=main --ranks=2 --input x=random:7x16 --check=%t.7.npz --tolerance=0
// RUN: dyn-compile %t.2.mlir -o %t.so --tensor-parallel=reduce --tensor-parallel-segments=1 --isa=v3 --remarks-filter=dist-propagate 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: gathers the axis of its sums: 2 ranks do not divide 1 segments
// RUN: dyn-run %t.gather.so --entry=main --ranks=2 --input x=random:7x16 --output=%t.%%r.npz
// RUN: dyn-run %t.so --entry=main --ranks=2 --input x=random:7x16 --check=%t.0.npz --tolerance=0

dist.mesh @mesh ["m" = 1]
dhlo.dim @N in [0, 64]

func.func @main(%x: tensor<?x16xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?x16xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %i = dhlo.iota axis = 1 start = [1] step = [1] : tensor<16x64xf32>
  %j = dhlo.iota axis = 0 start = [2] step = [3] : tensor<16x64xf32>
  %k = dhlo.mul %i, %j : tensor<16x64xf32>
  %r = dhlo.sin %k : tensor<16x64xf32>
  %w0 = dist.reshard %r : tensor<16x64xf32> to <@mesh, [[], ["m"]]>
  %t = dhlo.transpose %r permutation = [1, 0] : (tensor<16x64xf32>) -> tensor<64x16xf32>
  %w1 = dist.reshard %t : tensor<64x16xf32> to <@mesh, [["m"], []]>
  %0 = dhlo.dot_general %x, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x16xf32, #dhlo.dims<N>>, tensor<16x64xf32>) -> tensor<?x64xf32, #dhlo.dims<N>>
  %1 = dhlo.tanh %0 : tensor<?x64xf32, #dhlo.dims<N>>
  %2 = dhlo.dot_general %1, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x64xf32, #dhlo.dims<N>>, tensor<64x16xf32>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %3 = dhlo.add %2, %x : tensor<?x16xf32, #dhlo.dims<N>>
  return %3 : tensor<?x16xf32, #dhlo.dims<N>>
}

// RUN: dyn-opt %s --dlhlo-fuse --remarks-filter=dlhlo-fuse -o /dev/null 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: dyn-opt %s --dlhlo-fuse=device=true --remarks-filter=dlhlo-fuse -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: echo '{"cpu": {"functionCost": 2, "roundTripCost": 30}}' > %t.json
// RUN: dyn-opt %s --dlhlo-fuse=target-info=%t.json --remarks-filter=dlhlo-fuse -o /dev/null 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: dyn-compile %s --remarks-filter=dlhlo-.* --emit=fusions -o /dev/null 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: dyn-opt %s --dlhlo-fuse -o /dev/null 2>&1 | count 0
// RUN: not dyn-opt %s --dlhlo-fuse=target-info=%t.none 2>&1 | FileCheck %s --check-prefix=NONE

// Each decision whether a kernel computes a value again is a remark with the
// costs of both: instructions for each vector.

// NONE: error: target info: {{.*}}.none: No such file or directory

dhlo.dim @N in [1, 64]
dhlo.dim @D in [2, 64]
dhlo.dim @E = @D - 1

// Two positions: an addition is computed at both, an exponential is stored.
// CPU-DAG: remark: [Passed] dhlo.neg {{.*}}"computed in the kernel of dhlo.exp", fused=1, split=4
// CPU-DAG: remark: [Missed] dhlo.exp {{.*}}"not computed again in the kernel of dhlo.sub", fused=32, split=19
// CPU-DAG: remark: [Passed] dhlo.slice {{.*}}"computed in the kernel of dhlo.sub", fused=1, split=4
// DEVICE-DAG: remark: [Missed] dhlo.exp {{.*}}, fused=32, split=19
// DEVICE-DAG: remark: [Passed] dhlo.slice {{.*}}, fused=0, split=3
// FILE-DAG: remark: [Passed] dhlo.exp {{.*}}"computed in the kernel of dhlo.sub", fused=4, split=32
// FILE-DAG: remark: [Passed] dhlo.neg {{.*}}"computed in the kernel of dhlo.sub", fused=2, split=31
func.func @differences(%x: tensor<?x?xf32, #dhlo.dims<N, D>> {dhlo.name = "x"}) -> (tensor<?x?xf32, #dhlo.dims<N, E>> {dhlo.name = "y"})
    attributes {dhlo.entry} {
  %n = dhlo.neg %x : tensor<?x?xf32, #dhlo.dims<N, D>>
  %e = dhlo.exp %n : tensor<?x?xf32, #dhlo.dims<N, D>>
  %a = dhlo.slice %e starts = [0, 1] strides = [1, 1] : (tensor<?x?xf32, #dhlo.dims<N, D>>) -> tensor<?x?xf32, #dhlo.dims<N, E>>
  %b = dhlo.slice %e starts = [0, 0] strides = [1, 1] : (tensor<?x?xf32, #dhlo.dims<N, D>>) -> tensor<?x?xf32, #dhlo.dims<N, E>>
  %y = dhlo.sub %a, %b : tensor<?x?xf32, #dhlo.dims<N, E>>
  return %y : tensor<?x?xf32, #dhlo.dims<N, E>>
}

// One value for each row that all columns read: a number of times that sizes
// decide. Doubling it again takes no longer than to load the double. What leads
// to the stored value is computed once, in its kernel.
// CPU-DAG: remark: [Passed] dhlo.exp {{.*}}"computed in the kernel of dhlo.tanh", fused=16, split=19
// CPU-DAG: remark: [Passed] dhlo.add {{.*}}"computed in the kernel of dhlo.mul", fused=1, split=4
// CPU-DAG: remark: [Missed] dhlo.tanh {{.*}}"not computed again in the kernel of dhlo.mul", fused=unbounded, split=19
func.func @repeated(%x: tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "x"}, %z: tensor<?x?xf32, #dhlo.dims<N, D>> {dhlo.name = "z"})
    -> (tensor<?x?xf32, #dhlo.dims<N, D>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %e = dhlo.exp %x : tensor<?xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %e : tensor<?xf32, #dhlo.dims<N>>
  %d = dhlo.add %t, %t : tensor<?xf32, #dhlo.dims<N>>
  %b = dhlo.broadcast %d axes = [0] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?x?xf32, #dhlo.dims<N, D>>
  %y = dhlo.mul %b, %z : tensor<?x?xf32, #dhlo.dims<N, D>>
  return %y : tensor<?x?xf32, #dhlo.dims<N, D>>
}

// The conversion of a float to an integer compares it with bounds: indices that
// a gather reads for each row are stored.
// CPU-DAG: remark: [Passed] dhlo.abs {{.*}}"computed in the kernel of dhlo.convert", fused=1, split=4
// CPU-DAG: remark: [Missed] dhlo.convert {{.*}}"not computed again in the kernel of dhlo.gather", fused=unbounded, split=9
func.func @indices(%x: tensor<?xf64, #dhlo.dims<N>> {dhlo.name = "x"}, %z: tensor<?x?xf32, #dhlo.dims<N, D>> {dhlo.name = "z"})
    -> (tensor<?x?xf32, #dhlo.dims<N, N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %a = dhlo.abs %x : tensor<?xf64, #dhlo.dims<N>>
  %i = dhlo.convert %a : (tensor<?xf64, #dhlo.dims<N>>) -> tensor<?xi64, #dhlo.dims<N>>
  %y = dhlo.gather %z, %i axis = 1 batch = 0 : (tensor<?x?xf32, #dhlo.dims<N, D>>, tensor<?xi64, #dhlo.dims<N>>) -> tensor<?x?xf32, #dhlo.dims<N, N>>
  return %y : tensor<?x?xf32, #dhlo.dims<N, N>>
}

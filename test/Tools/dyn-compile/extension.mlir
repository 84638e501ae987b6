// RUN: rm -rf %t && mkdir %t && dyn-compile %s -o %t/m.so --isa=v2,v3,v4,v4-vnni,v4-amx
// RUN: dyn-compile --describe %t/m.so | FileCheck %s
// RUN: dyn-run --reference %s --input=x=random:5x6 --seed=3 --output=%t/o.npz
// RUN: dyn-run %t/m.so --isa=v2 --input=x=random:5x6 --seed=3 --check=%t/o.npz --tolerance=0
// RUN: dyn-run %t/m.so --isa=v3 --input=x=random:5x6 --seed=3 --check=%t/o.npz --tolerance=0
// REQUIRES: avx512vnni
// RUN: dyn-run %t/m.so --isa=v4 --input=x=random:5x6 --seed=3 --check=%t/o.npz --tolerance=0
// RUN: dyn-run %t/m.so --isa=v4-vnni --stats --input=x=random:5x6 --seed=3 --check=%t/o.npz --tolerance=0 | FileCheck %s --check-prefix=ISA

// An artifact without a kernel that gains by it has no code for the extension, and
// runs the level's.
// RUN: dyn-compile %S/Inputs/bias.mlir -o %t/bias.so --isa=v4,v4-vnni,v4-amx
// RUN: dyn-compile --describe %t/bias.so | FileCheck %s --check-prefix=PLAIN
// RUN: dyn-run %t/bias.so --isa=v4-vnni --stats --input=x=random:2x384 --input=b=random:384 | FileCheck %s --check-prefix=LEVEL

// CHECK: kernels: 2 for x86-64-v2 x86-64-v3 x86-64-v4 x86-64-v4-vnni x86-64-v4-amx
// ISA: isa: x86-64-v4-vnni
// LEVEL: isa: x86-64-v4{{$}}
// PLAIN: kernels: {{[0-9]+}} for x86-64-v4{{$}}
dhlo.dim @N in [0, ?]
func.func @main(%x: tensor<?x6xi8, #dhlo.dims<N>> {dhlo.name = "x"}) -> (tensor<?x3xi32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %w = dhlo.constant dense<[[-128, 127, 0], [1, 2, 3], [127, -128, 5], [9, 9, 9], [-1, -2, -3], [100, 50, 25]]> : tensor<6x3xi8>
  %2 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x6xi8, #dhlo.dims<N>>, tensor<6x3xi8>) -> tensor<?x3xi32, #dhlo.dims<N>>
  return %2 : tensor<?x3xi32, #dhlo.dims<N>>
}

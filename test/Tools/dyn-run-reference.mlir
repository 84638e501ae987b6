// RUN: dyn-run --reference %s --entry=twice --input=x=random:3 --seed=1 | FileCheck %s
// RUN: dyn-run --reference %s --entry=twice --input=x=random:3 --seed=1 --output=%t.npz
// RUN: dyn-run --reference %s --entry=twice --input=x=random:3 --seed=1 --check=%t.npz
// RUN: not dyn-run --reference %s --entry=twice --input=x=random:9 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not dyn-run --reference %s --entry=none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not dyn-run --reference %s --entry=divide --input=i=random:2:0:1 2>&1 | FileCheck %s --check-prefix=DATA

// CHECK: twice: f32[3] =
// RANGE: input 'x', axis 0: expected N in [1, 8], got 9
// NONE: the module has no function 'none'
// DATA: dhlo.div at {{.*}}: integer division by zero

dhlo.dim @N in [1, 8]

func.func @twice(%x: tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "twice"}) {
  %0 = dhlo.add %x, %x : tensor<?xf32, #dhlo.dims<N>>
  return %0 : tensor<?xf32, #dhlo.dims<N>>
}

func.func @divide(%i: tensor<2xi64> {dhlo.name = "i"}) -> tensor<2xi64> {
  %0 = dhlo.div %i, %i : tensor<2xi64>
  return %0 : tensor<2xi64>
}

// RUN: rm -rf %t && mkdir %t && dyn-compile %s -o %t/m.so
// RUN: dyn-run --reference %s --entry=matrix --input=x=random:0x3:0:2 --seed=1 --output=%t/o.npz
// RUN: dyn-run %t/m.so --entry=matrix --input=x=random:0x3:0:2 --seed=1 --check=%t/o.npz --tolerance=0 --threads=2
// RUN: dyn-run --reference %s --entry=matrix --input=x=random:3x0:0:2 --seed=1 --output=%t/o.npz
// RUN: dyn-run %t/m.so --entry=matrix --input=x=random:3x0:0:2 --seed=1 --check=%t/o.npz --tolerance=0 --threads=2
// RUN: dyn-run --reference %s --entry=matrix --input=x=random:1x1:0:1 --seed=1 --output=%t/o.npz
// RUN: dyn-run %t/m.so --entry=matrix --input=x=random:1x1:0:1 --seed=1 --check=%t/o.npz --tolerance=0 --threads=2
// RUN: dyn-run --reference %s --entry=matrix --input=x=random:1x1:0:2 --seed=1 --output=%t/o.npz
// RUN: dyn-run %t/m.so --entry=matrix --input=x=random:1x1:0:2 --seed=1 --check=%t/o.npz --tolerance=0 --threads=2
// RUN: dyn-run --reference %s --entry=matrix --input=x=random:1x1:1:2 --seed=1 --output=%t/o.npz
// RUN: dyn-run %t/m.so --entry=matrix --input=x=random:1x1:1:2 --seed=1 --check=%t/o.npz --tolerance=0 --threads=2
// RUN: dyn-run --reference %s --entry=matrix --input=x=random:7x9:0:1 --seed=1 --output=%t/o.npz
// RUN: dyn-run %t/m.so --entry=matrix --input=x=random:7x9:0:1 --seed=1 --check=%t/o.npz --tolerance=0 --threads=2
// RUN: dyn-run --reference %s --entry=matrix --input=x=random:7x9:0:2 --seed=1 --output=%t/o.npz
// RUN: dyn-run %t/m.so --entry=matrix --input=x=random:7x9:0:2 --seed=1 --check=%t/o.npz --tolerance=0 --threads=2
// RUN: dyn-run --reference %s --entry=matrix --input=x=random:7x9:1:2 --seed=1 --output=%t/o.npz
// RUN: dyn-run %t/m.so --entry=matrix --input=x=random:7x9:1:2 --seed=1 --check=%t/o.npz --tolerance=0 --threads=2
// RUN: dyn-run --reference %s --entry=matrix --input=x=random:509x97:0:1 --seed=1 --output=%t/o.npz
// RUN: dyn-run %t/m.so --entry=matrix --input=x=random:509x97:0:1 --seed=1 --check=%t/o.npz --tolerance=0 --threads=2
// RUN: dyn-run --reference %s --entry=matrix --input=x=random:509x97:0:2 --seed=1 --output=%t/o.npz
// RUN: dyn-run %t/m.so --entry=matrix --input=x=random:509x97:0:2 --seed=1 --check=%t/o.npz --tolerance=0 --threads=2
// RUN: dyn-run --reference %s --entry=matrix --input=x=random:509x97:1:2 --seed=1 --output=%t/o.npz
// RUN: dyn-run %t/m.so --entry=matrix --input=x=random:509x97:1:2 --seed=1 --check=%t/o.npz --tolerance=0 --threads=2
// RUN: dyn-run --reference %s --entry=scalar --input=x=random::-1:0.0 --output=%t/o.npz
// RUN: dyn-run %t/m.so --entry=scalar --input=x=random::-1:0.0 --check=%t/o.npz --tolerance=0
// RUN: dyn-run --reference %s --entry=scalar --input=x=random::1:2 --output=%t/o.npz
// RUN: dyn-run %t/m.so --entry=scalar --input=x=random::1:2 --check=%t/o.npz --tolerance=0
// RUN: dyn-run %t/m.so --entry=matrix --input=x=random:2x2:1:2 | FileCheck %s --check-prefix=ALL
// RUN: dyn-run %t/m.so --entry=matrix --input=x=random:2x2:0:1 | FileCheck %s --check-prefix=NONE
// RUN: dyn-run %t/m.so --entry=scalar --input=x=random::1:2 | FileCheck %s --check-prefix=SCALAR

// A data-dependent size: the compiled model against the interpreter,
// with nothing found, with everything, with sizes of 0 and rank 0.

// ALL: indices: i64[4, 2] = 0 0 0 1 1 0
// ALL: twice: i64[4, 2] = 0 0 0 2 2 0
// NONE: indices: i64[0, 2]
// SCALAR: indices: i64[1, 0]

dhlo.dim @H in [0, ?]
dhlo.dim @W in [0, ?]
dhlo.dim @K in [0, ?]
dhlo.dim @S in [0, 1]
dhlo.dim @L in [0, ?]

// The rows go on to another kernel.
func.func @matrix(%x: tensor<?x?xi32, #dhlo.dims<H, W>> {dhlo.name = "x"})
    -> (tensor<?x2xi64, #dhlo.dims<K>> {dhlo.name = "indices"},
        tensor<?x2xi64, #dhlo.dims<K>> {dhlo.name = "twice"}) attributes {dhlo.entry} {
  %0 = dhlo.nonzero %x binds @K : (tensor<?x?xi32, #dhlo.dims<H, W>>) -> tensor<?x2xi64, #dhlo.dims<K>>
  %1 = dhlo.add %0, %0 : tensor<?x2xi64, #dhlo.dims<K>>
  return %0, %1 : tensor<?x2xi64, #dhlo.dims<K>>, tensor<?x2xi64, #dhlo.dims<K>>
}

func.func @scalar(%x: tensor<f32> {dhlo.name = "x"})
    -> (tensor<?x0xi64, #dhlo.dims<S>> {dhlo.name = "indices"}) attributes {dhlo.entry} {
  %0 = dhlo.nonzero %x binds @S : (tensor<f32>) -> tensor<?x0xi64, #dhlo.dims<S>>
  return %0 : tensor<?x0xi64, #dhlo.dims<S>>
}

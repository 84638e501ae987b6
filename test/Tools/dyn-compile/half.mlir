// RUN: rm -rf %t && mkdir %t && dyn-compile %s -o %t/m.so --isa=v2,v3,v4
// RUN: dyn-run --reference %s --input=x=random:1000:-9:9 --input=y=random:1000:1:3 --seed=3 --output=%t/o.npz
// RUN: dyn-run %t/m.so --isa=v2 --input=x=random:1000:-9:9 --input=y=random:1000:1:3 --seed=3 --check=%t/o.npz --tolerance=0
// RUN: dyn-run %t/m.so --isa=v3 --input=x=random:1000:-9:9 --input=y=random:1000:1:3 --seed=3 --check=%t/o.npz --tolerance=0

// What no instruction does with halves is in the artifact, which needs no library.
dhlo.dim @N in [0, ?]
func.func @main(%x: tensor<?xf16, #dhlo.dims<N>> {dhlo.name = "x"},
                %y: tensor<?xf16, #dhlo.dims<N>> {dhlo.name = "y"})
    -> (tensor<?xf16, #dhlo.dims<N>> {dhlo.name = "rem"}, tensor<?xf64, #dhlo.dims<N>> {dhlo.name = "wide"}) attributes {dhlo.entry} {
  %0 = dhlo.rem %x, %y : tensor<?xf16, #dhlo.dims<N>>
  %1 = dhlo.convert %x : (tensor<?xf16, #dhlo.dims<N>>) -> tensor<?xf64, #dhlo.dims<N>>
  return %0, %1 : tensor<?xf16, #dhlo.dims<N>>, tensor<?xf64, #dhlo.dims<N>>
}

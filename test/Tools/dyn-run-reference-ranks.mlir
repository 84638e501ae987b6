// RUN: dyn-opt %s --dist-propagate --dist-partition -o %t.local.mlir
// RUN: dyn-run %s --reference --input x=random:5x3 > %t.global
// RUN: dyn-run %t.local.mlir --reference --input x=random:5x3 | diff %t.global -
// RUN: dyn-run %t.local.mlir --reference --entry main --input x=random:5x3 | diff %t.global -
// RUN: dyn-run %t.local.mlir --reference --entry main_2 --input x=random:5x3 | diff %t.global -

// All ranks of an entry run together; the results are those of the rank named,
// or of the first one.

dist.mesh @mesh ["m" = 3]
dhlo.dim @N

func.func @main(%x: tensor<?x3xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?x3xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %0 = dhlo.tanh %x : tensor<?x3xf32, #dhlo.dims<N>>
  %1 = dist.reshard %0 : tensor<?x3xf32, #dhlo.dims<N>> to <@mesh, [["m"], []]>
  return %1 : tensor<?x3xf32, #dhlo.dims<N>>
}

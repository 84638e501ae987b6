// RUN: dyn-opt %s -split-input-file -verify-diagnostics --dist-partition

dist.mesh @one ["m" = 2]
// expected-error @+1 {{expected one mesh in a module}}
dist.mesh @two ["m" = 2]

// -----

dist.mesh @mesh ["m" = 2]
dhlo.dim @N
// expected-error @+1 {{argument 0, axis 0: expected the size @N on an axis that is not divided, too}}
func.func @main(%x: tensor<?xf32, #dhlo.dims<N>> {dist.sharding = #dist.sharding<@mesh, [["m"]]>})
    attributes {dhlo.entry} {
  return
}

// -----

dist.mesh @mesh ["m" = 2]
// expected-error @+1 {{expected a function of one block, with tensors in its signature}}
func.func @main(%x: index) attributes {dhlo.entry} {
  return
}

// RUN: dyn-opt %s --dlhlo-plan-buffers --canonicalize --cse | FileCheck %s
// RUN: dyn-opt %s --dlhlo-plan-buffers=reuse=false --canonicalize --cse | FileCheck %s --check-prefix=ALONE

// Each bind ends a segment. %a is read in the first alone and lies in the arena
// that all segments share, as %d does later. %b is read by the second segment,
// so it has an arena of its own; %c, which the third makes when nothing reads %b
// any more, takes the arena over. %kept is read to the end and keeps its own.

// CHECK:      arenas 3
// CHECK:      func.func @dyn.entry.main
// CHECK:      dlhlo.reserve %[[LOCAL:c[0-9]]] bytes %{{.*}} {dlhlo.formula = #dhlo.expr<4 * @N>}
// CHECK:      dlhlo.reserve %[[KEPT:c[0-9]]] bytes %{{.*}} {dlhlo.formula = #dhlo.expr<4 * @N>}
// CHECK:      dlhlo.reserve %[[LEASED:c[0-9]]] bytes %{{.*}} {dlhlo.formula = #dhlo.expr<4 * @N>}
// CHECK:      dlhlo.load
// CHECK:      dlhlo.reserve %[[LOCAL]] bytes %{{.*}} {dlhlo.formula = #dhlo.expr<4 * @N>}
// CHECK:      dlhlo.load
// CHECK:      dlhlo.reserve %[[LEASED]] bytes %{{.*}} {dlhlo.formula = #dhlo.expr<64 * ((4 * @P + 63) floordiv 64)>}
// CHECK:      dlhlo.load
// CHECK-NOT:  dlhlo.reserve
// CHECK:      return

// Without reuse nothing is shared.
// ALONE: arenas 5

dhlo.dim @N in [0, ?] multiple_of 16
dhlo.dim @M in [0, 100]
dhlo.dim @P in [0, 100]
dhlo.dim @Q in [0, 100]
dlhlo.kernel @neg loop {
^bb0(%x: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.neg %x : tensor<?xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?xf32, #dhlo.dims<d0>>
}
dlhlo.kernel @count loop {
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?xf32, #dhlo.dims<d0>>
}
func.func @main(%x: tensor<?xf32, #dhlo.dims<N>>, %m: tensor<i64>, %p: tensor<i64>, %q: tensor<i64>)
    -> (tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<P>>, tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<Q>>) attributes {dhlo.entry} {
  %kept = dlhlo.launch @neg dims [@N] (%x) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
  %a = dlhlo.launch @neg dims [@N] (%kept) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
  %b = dlhlo.launch @neg dims [@N] (%a) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
  dhlo.bind @M = %m : tensor<i64>
  %d = dlhlo.launch @neg dims [@N] (%b) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
  %y0 = dlhlo.launch @neg dims [@N] (%d) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
  dhlo.bind @P = %p : tensor<i64>
  %c = dlhlo.launch @count dims [@P] () : () -> tensor<?xf32, #dhlo.dims<P>>
  dhlo.bind @Q = %q : tensor<i64>
  %y1 = dlhlo.launch @neg dims [@P] (%c) : (tensor<?xf32, #dhlo.dims<P>>) -> tensor<?xf32, #dhlo.dims<P>>
  %y2 = dlhlo.launch @neg dims [@N] (%kept) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
  %y3 = dlhlo.launch @count dims [@Q] () : () -> tensor<?xf32, #dhlo.dims<Q>>
  return %y0, %y1, %y2, %y3 : tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<P>>, tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<Q>>
}

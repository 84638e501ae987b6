// A path converts its rows to integers that the rows of the other path exceed. The guess that all rows are of
// this path is an error, which is not the call's: it runs again without a guess.
// RUN: sed -e 's/ {cell.speculate.*}//' %s > %t.plain.mlir
// RUN: dyn-compile %t.plain.mlir --isa=v3 -o %t.plain.so
// RUN: dyn-run %t.plain.so --input x=random:23x1:0:300 --output %t.npz
// RUN: dyn-compile %s --isa=v3 -o %t.so
// RUN: env DYN_GUESSES=always dyn-run %t.so --input x=random:23x1:0:300 --check %t.npz --tolerance 0 --stats=json --repeat=3 | FileCheck %s
// RUN: env DYN_GUESSES=always dyn-run %t.so --input x=random:23x1:0:300 --check %t.npz --tolerance 0 --threads=2
// RUN: dyn-opt %s -cell-insert-probes -cell-speculate -o %t.guess.mlir
// RUN: dyn-run --reference %t.guess.mlir --input x=random:23x1:0:300 --check %t.npz --tolerance 0
// An error that the program has on its own is reported.
// RUN: not env DYN_GUESSES=always dyn-run %t.so --input x=random:23x1:-300:-200 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: "guesses": {{[34]}},
// ERROR: dhlo.convert at {{.*}}

dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @main(%x: tensor<?x1xf32, #dhlo.dims<N>> {dhlo.name = "x"}) -> (tensor<?x1xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %r = cell.route(%x) : (tensor<?x1xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xf32, #dhlo.dims<N>>):
    %hundred = dhlo.constant dense<100.0> : tensor<f32>
    %limit = dhlo.broadcast %hundred axes = [] : (tensor<f32>) -> tensor<?x1xf32, #dhlo.dims<N>>
    %is = dhlo.compare lt %a, %limit : tensor<?x1xf32, #dhlo.dims<N>> -> tensor<?x1xi1, #dhlo.dims<N>>
    %i = dhlo.convert %is : (tensor<?x1xi1, #dhlo.dims<N>>) -> tensor<?x1xi64, #dhlo.dims<N>>
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  %rows = cell.dispatch %x, %r : (tensor<?x1xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x1xf32, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x1xf32, #dhlo.dims<N>>) -> tensor<?x1xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x1xf32, #dhlo.dims<K0>>):
    %0 = dhlo.neg %a : tensor<?x1xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x1xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x1xf32, #dhlo.dims<K1>>):
    %i = dhlo.convert %a : (tensor<?x1xf32, #dhlo.dims<K1>>) -> tensor<?x1xi8, #dhlo.dims<K1>>
    %0 = dhlo.convert %i : (tensor<?x1xi8, #dhlo.dims<K1>>) -> tensor<?x1xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x1xf32, #dhlo.dims<K1>>
  }
  %z = cell.combine %y, %r sum : (tensor<?x1xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x1xf32, #dhlo.dims<N>>
  return %z : tensor<?x1xf32, #dhlo.dims<N>>
}

// Stacked paths run by a guess in a chain of launches beside their router, as others do. Their rest has as many
// rows as the guess lacks, so a right guess computes none again. Results have the same bits, whatever is chosen and
// guessed, with any number of threads.
// RUN: dyn-opt %s --cell-insert-probes --cell-speculate --cell-stack-siblings -mlir-print-local-scope | FileCheck %s
// RUN: dyn-compile %s --emit=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: sed -e 's/ {cell.speculate.*}//' %s > %t.plain.mlir
// RUN: dyn-compile %t.plain.mlir --isa=v3 -o %t.plain.so
// RUN: dyn-compile %s --isa=v3 -o %t.so
// RUN: dyn-run %t.plain.so --input x=random:2x12000 --input ids=random:2x1:1:2 --output %t.1.npz
// RUN: dyn-run %t.so --input x=random:2x12000 --input ids=random:2x1:1:2 --check %t.1.npz --tolerance 0
// RUN: dyn-run %t.so --input x=random:2x12000 --input ids=random:2x1:1:2 --check %t.1.npz --tolerance 0 --threads=3
// RUN: dyn-run %t.plain.so --input x=random:2x12000 --input ids=random:2x1:0:2 --output %t.0.npz
// RUN: env DYN_GUESSES=always dyn-run %t.so --input x=random:2x12000 --input ids=random:2x1:0:2 --check %t.0.npz --tolerance 0
// RUN: env DYN_GUESSES=always dyn-run %t.so --input x=random:2x12000 --input ids=random:2x1:0:2 --check %t.0.npz --tolerance 0 --threads=2
// RUN: env DYN_GUESSES=never dyn-run %t.so --input x=random:2x12000 --input ids=random:2x1:0:2 --check %t.0.npz --tolerance 0 --threads=2
// RUN: dyn-run %t.so --input x=random:1x12000 --input ids=random:1x1:1:2 --threads=2 --repeat=100 --stats | FileCheck %s --check-prefix=RIGHT
// RUN: dyn-run %t.so --input x=random:1x12000 --input ids=random:1x1:0:1 --threads=2 --repeat=100 --stats | FileCheck %s --check-prefix=WRONG
// RUN: dyn-run %t.so --input x=random:1x12000 --input ids=random:1x1:1:2 --threads=2 --repeat=20 --trace=%t.json
// RUN: FileCheck %s --check-prefix=TRACE --input-file=%t.json

// CHECK:      dhlo.dim @rest in [0, ?] at_most @N
// CHECK-NOT:  cell.switch
// CHECK:      %[[GUESS:.*]] = cell.route() : () -> !cell.routes<@N * @guess, 2, @N * @guess>
// CHECK:      dhlo.grouped_dot {{.*}} -> tensor<?x2xf32, #dhlo.dims<d>>
// CHECK:      %[[R:.*]] = cell.route(%arg0, %arg1)
// CHECK:      %[[REST:.*]] = cell.route(%arg0, %arg1)
// CHECK:      %[[OFFSETS:.*]] = cell.offsets %[[REST]]
// CHECK:      dhlo.guessed
// CHECK:      dhlo.bind @rest = {{.*}} {dhlo.after_guess}
// CHECK:      %[[LAST:.*]] = dhlo.grouped_dot {{.*}} -> tensor<?x2xf32, #dhlo.dims<rest>>
// CHECK:      %[[ZEROS:.*]] = dhlo.broadcast {{.*}} -> tensor<?x2xf32, #dhlo.dims<[[D:.*]]>>
// CHECK:      %[[ALL:.*]] = dhlo.concat %[[LAST]], %[[ZEROS]] axis = 0
// CHECK:      cell.select %[[R]] from(%[[REST]], %[[GUESS]]) rows(%[[ALL]], {{.*}})

// KERNELS:     dlhlo.launch_many {{.*}} attributes {dlhlo.chains = array<i64: 1, 1, 1, 1, 1, 2, {{.*}}>} {
// KERNELS:     dhlo.guessed
// KERNELS:     dhlo.bind @rest

// RIGHT: guesses of 'main.0': [[N:10[0-9]]] of [[N]] calls, [[N]] of [[N]] rows right, on
// WRONG: guesses of 'main.0': 64 of 10{{[0-9]}} calls, 0 of 64 rows right, off
// TRACE: "name":"chains","cat":"launch"

dhlo.dim @N in [1, 64]
dhlo.dim @K0
dhlo.dim @K1
func.func @main(%x: tensor<?x12000xf32, #dhlo.dims<N>> {dhlo.name = "x"}, %ids: tensor<?x1xi64, #dhlo.dims<N>> {dhlo.name = "ids"})
    -> (tensor<?x2xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %r = cell.route(%x, %ids) : (tensor<?x12000xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x12000xf32, #dhlo.dims<N>>, %i: tensor<?x1xi64, #dhlo.dims<N>>):
    %q = dhlo.neg %a : tensor<?x12000xf32, #dhlo.dims<N>>
    %s0, %t0 = dhlo.sort %q axis = 1 : tensor<?x12000xf32, #dhlo.dims<N>>, tensor<?x12000xi64, #dhlo.dims<N>>
    %n0 = dhlo.sin %s0 : tensor<?x12000xf32, #dhlo.dims<N>>
    %s1, %t1 = dhlo.sort %n0 axis = 1 : tensor<?x12000xf32, #dhlo.dims<N>>, tensor<?x12000xi64, #dhlo.dims<N>>
    %f = dhlo.reduce max %s1 axes = [1] : (tensor<?x12000xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
    %g = dhlo.reshape %f : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?x1xf32, #dhlo.dims<N>>
    %h = dhlo.constant dense<100.0> : tensor<f32>
    %hh = dhlo.broadcast %h axes = [] : (tensor<f32>) -> tensor<?x1xf32, #dhlo.dims<N>>
    %c = dhlo.compare gt %g, %hh : tensor<?x1xf32, #dhlo.dims<N>> -> tensor<?x1xi1, #dhlo.dims<N>>
    %z = dhlo.constant dense<0> : tensor<i64>
    %zz = dhlo.broadcast %z axes = [] : (tensor<i64>) -> tensor<?x1xi64, #dhlo.dims<N>>
    %ch = dhlo.select %c, %zz, %i : tensor<?x1xi1, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>
    cell.choose %ch : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  %rows = cell.dispatch %x, %r : (tensor<?x12000xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x12000xf32, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x12000xf32, #dhlo.dims<N>>) -> tensor<?x2xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x12000xf32, #dhlo.dims<K0>>):
    %s0, %t0 = dhlo.sort %a axis = 1 : tensor<?x12000xf32, #dhlo.dims<K0>>, tensor<?x12000xi64, #dhlo.dims<K0>>
    %n0 = dhlo.tanh %s0 : tensor<?x12000xf32, #dhlo.dims<K0>>
    %s1, %t1 = dhlo.sort %n0 axis = 1 : tensor<?x12000xf32, #dhlo.dims<K0>>, tensor<?x12000xi64, #dhlo.dims<K0>>
    %w = dhlo.constant dense<0.25> : tensor<12000x2xf32>
    %m = dhlo.dot_general %s1, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x12000xf32, #dhlo.dims<K0>>, tensor<12000x2xf32>) -> tensor<?x2xf32, #dhlo.dims<K0>>
    dhlo.yield %m : tensor<?x2xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x12000xf32, #dhlo.dims<K1>>):
    %s0, %t0 = dhlo.sort %a axis = 1 : tensor<?x12000xf32, #dhlo.dims<K1>>, tensor<?x12000xi64, #dhlo.dims<K1>>
    %n0 = dhlo.tanh %s0 : tensor<?x12000xf32, #dhlo.dims<K1>>
    %s1, %t1 = dhlo.sort %n0 axis = 1 : tensor<?x12000xf32, #dhlo.dims<K1>>, tensor<?x12000xi64, #dhlo.dims<K1>>
    %w = dhlo.constant dense<0.75> : tensor<12000x2xf32>
    %m = dhlo.dot_general %s1, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x12000xf32, #dhlo.dims<K1>>, tensor<12000x2xf32>) -> tensor<?x2xf32, #dhlo.dims<K1>>
    dhlo.yield %m : tensor<?x2xf32, #dhlo.dims<K1>>
  }
  %o = cell.combine %y, %r sum : (tensor<?x2xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x2xf32, #dhlo.dims<N>>
  return %o : tensor<?x2xf32, #dhlo.dims<N>>
}

// A mixture of experts, two of eight for each token, lowered, interpreted and compiled.
// RUN: dyn-opt %s -convert-cell-to-dhlo -canonicalize -cse | FileCheck %s
// RUN: dyn-compile %s --isa=v2,v3,v4 -o %t.so
// RUN: dyn-compile %s --emit=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: dyn-run --reference %s --input x=random:33x16 --seed=3 --output %t.33.npz
// RUN: dyn-run %t.so --input x=random:33x16 --seed=3 --check %t.33.npz --tolerance 1e-5
// RUN: dyn-run %t.so --input x=random:33x16 --seed=3 --check %t.33.npz --tolerance 1e-5 --threads=3
// RUN: dyn-run %t.so --input x=random:33x16 --seed=3 --check %t.33.npz --tolerance 1e-5 --isa=v2
// RUN: dyn-run %t.so --input x=random:33x16 --seed=3 --check %t.33.npz --tolerance 1e-5 --isa=v3
// RUN: dyn-run --reference %s --input x=random:1x16 --seed=3 --output %t.1.npz
// RUN: dyn-run %t.so --input x=random:1x16 --seed=3 --check %t.1.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input x=random:0x16 --output %t.0.npz
// RUN: dyn-run %t.so --input x=random:0x16 --check %t.0.npz

// One sort, one gather of tokens, matmuls of all experts at once, and nothing for
// dropped tokens: a router of scores drops none.

// CHECK-LABEL: func.func @main(
// CHECK:       %[[W:.*]], %[[IDS:.*]] = dhlo.top_k
// CHECK:       %[[OFFSETS:.*]], %[[ORDER:.*]], %[[SEATS:.*]] = dhlo.group %[[IDS]]
// CHECK-NOT:   dhlo.select
// CHECK:       %[[CELLS:.*]] = dhlo.div %[[ORDER]]
// CHECK:       %[[ROWS:.*]] = dhlo.gather %arg0, %[[CELLS]]
// CHECK:       %[[HIDDEN:.*]] = dhlo.grouped_dot %[[ROWS]], %{{.*}}, %[[OFFSETS]]
// CHECK:       dhlo.grouped_dot %{{.*}}, %{{.*}}, %[[OFFSETS]]
// CHECK:       dhlo.gather %{{.*}}, %[[SEATS]]
// CHECK:       dhlo.dot_general
// CHECK-NOT:   cell.

// Between the router and what follows the layer are five launches, whatever the number of experts. The
// first matmul takes its rows from where the tokens are, so these are read and written as often as they
// are routed; the way back is one kernel.
// KERNELS:      dlhlo.kernel @gather_grouped_dot_gelu contraction
// KERNELS:      dlhlo.kernel @gather_dot_general loop
// KERNELS:      dlhlo.launch @group
// KERNELS:      dlhlo.launch @div
// KERNELS-NEXT: dlhlo.launch @gather_grouped_dot_gelu
// KERNELS-NEXT: dlhlo.launch @grouped_dot dims
// KERNELS-NEXT: dlhlo.launch @gather_dot_general
// KERNELS-NOT:  dlhlo.launch

dhlo.dim @N in [0, 512]
dhlo.dim @R = 2 * @N

func.func @main(%x: tensor<?x16xf32, #dhlo.dims<N>> {dhlo.name = "x"}) -> (tensor<?x16xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %g = dhlo.rng normal low = 0.0 high = 1.0 stream = 1 seed = 1 : tensor<16x8xf32>
  %up = dhlo.rng normal low = 0.0 high = 0.25 stream = 2 seed = 1 : tensor<8x16x24xf32>
  %down = dhlo.rng normal low = 0.0 high = 0.25 stream = 3 seed = 1 : tensor<8x24x16xf32>
  %r = cell.route(%x, %g) key = "mlp" : (tensor<?x16xf32, #dhlo.dims<N>>, tensor<16x8xf32>) -> !cell.routes<@N, 8, @R> {
  ^bb0(%cells: tensor<?x16xf32, #dhlo.dims<N>>, %gate: tensor<16x8xf32>):
    %s = dhlo.dot_general %cells, %gate batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x16xf32, #dhlo.dims<N>>, tensor<16x8xf32>) -> tensor<?x8xf32, #dhlo.dims<N>>
    %p = dhlo.softmax %s axis = 1 : tensor<?x8xf32, #dhlo.dims<N>>
    %w, %ids = dhlo.top_k %p axis = 1 largest : (tensor<?x8xf32, #dhlo.dims<N>>) -> (tensor<?x2xf32, #dhlo.dims<N>>, tensor<?x2xi64, #dhlo.dims<N>>)
    cell.choose %ids weights(%w : tensor<?x2xf32, #dhlo.dims<N>>) : tensor<?x2xi64, #dhlo.dims<N>>
  }
  %rows = cell.dispatch %x, %r : (tensor<?x16xf32, #dhlo.dims<N>>, !cell.routes<@N, 8, @R>) -> tensor<?x16xf32, #dhlo.dims<R>>
  %o = cell.offsets %r : !cell.routes<@N, 8, @R> -> tensor<9xi64>
  %h = dhlo.grouped_dot %rows, %up, %o : (tensor<?x16xf32, #dhlo.dims<R>>, tensor<8x16x24xf32>, tensor<9xi64>) -> tensor<?x24xf32, #dhlo.dims<R>>
  %a = dhlo.gelu erf %h : tensor<?x24xf32, #dhlo.dims<R>>
  %z = dhlo.grouped_dot %a, %down, %o : (tensor<?x24xf32, #dhlo.dims<R>>, tensor<8x24x16xf32>, tensor<9xi64>) -> tensor<?x16xf32, #dhlo.dims<R>>
  %y = cell.combine %z, %r sum : (tensor<?x16xf32, #dhlo.dims<R>>, !cell.routes<@N, 8, @R>) -> tensor<?x16xf32, #dhlo.dims<N>>
  return %y : tensor<?x16xf32, #dhlo.dims<N>>
}

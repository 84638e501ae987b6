// RUN: dyn-opt %s --verify-diagnostics --dist-exchange-routes

dist.mesh @early ["m" = 1]
// expected-error @+1 {{expected one mesh beside routers that are placed on ranks}}
dist.mesh @late ["m" = 1] first = 1
func.func @main(%x: tensor<7x2xf32>) -> tensor<7x2xf32> attributes {dhlo.entry} {
  %r = cell.route(%x) : (tensor<7x2xf32>) -> !cell.routes<7, 2, 7> {
  ^bb0(%a: tensor<7x2xf32>):
    %w, %i = dhlo.top_k %a axis = 1 largest : (tensor<7x2xf32>) -> (tensor<7x1xf32>, tensor<7x1xi64>)
    cell.choose %i weights(%w : tensor<7x1xf32>) : tensor<7x1xi64>
  } {dist.placement = array<i64: 1, 0>}
  %rows = cell.dispatch %x, %r : (tensor<7x2xf32>, !cell.routes<7, 2, 7>) -> tensor<7x2xf32>
  %y = cell.combine %rows, %r sum : (tensor<7x2xf32>, !cell.routes<7, 2, 7>) -> tensor<7x2xf32>
  return %y : tensor<7x2xf32>
}

// Loops that scatter into what they carry: two that begin with one value, which is read
// behind them, and one in another loop, whose carried value it begins with.

// RUN: dyn-compile %s --target=cpu,emu -o %t.so
// RUN: dyn-run --reference %s --input a=random:7x8 --seed=1 --output %t.npz
// RUN: dyn-run %t.so --input a=random:7x8 --seed=1 --check %t.npz --tolerance 1e-6
// RUN: dyn-run %t.so --device=emu --input a=random:7x8 --seed=1 --check %t.npz --tolerance 1e-6
// RUN: dyn-run --reference %s --input a=random:1x8 --seed=2 --output %t.npz
// RUN: dyn-run %t.so --repeat 3 --input a=random:1x8 --seed=2 --check %t.npz --tolerance 1e-6

dhlo.dim @T in [1, ?]

func.func @main(%a: tensor<?x8xf32, #dhlo.dims<T>> {dhlo.name = "a"}) -> (tensor<?x8xf32, #dhlo.dims<T>> {dhlo.name = "y"}, tensor<?x8xf32, #dhlo.dims<T>> {dhlo.name = "z"}) attributes {dhlo.entry} {
  %go = dhlo.constant dense<true> : tensor<i1>
  %first = dhlo.constant dense<0> : tensor<1x1xi64>
  %one = dhlo.constant dense<1> : tensor<1x1xi64>
  %row = dhlo.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]]> : tensor<1x8xf32>
  %size = dhlo.from_dims [@T] : tensor<1xi64>
  %count = dhlo.reshape %size : (tensor<1xi64>) -> tensor<1x1xi64>
  %init = dhlo.exp %a : tensor<?x8xf32, #dhlo.dims<T>>
  %u:2 = dhlo.while %go carries(%first, %init) loop_dims [] init_dims [] next_dims [] result_dims []
        : (tensor<1x1xi64>, tensor<?x8xf32, #dhlo.dims<T>>) -> (tensor<1x1xi64>, tensor<?x8xf32, #dhlo.dims<T>>) {
    ^bb0(%i: tensor<1x1xi64>, %rows: tensor<?x8xf32, #dhlo.dims<T>>):
      %next = dhlo.scatter_nd %rows, %i, %row add : (tensor<?x8xf32, #dhlo.dims<T>>, tensor<1x1xi64>, tensor<1x8xf32>) -> tensor<?x8xf32, #dhlo.dims<T>>
      %j = dhlo.add %i, %one : tensor<1x1xi64>
      %again = dhlo.compare lt %j, %count : tensor<1x1xi64> -> tensor<1x1xi1>
      %flag = dhlo.reshape %again : (tensor<1x1xi1>) -> tensor<i1>
      dhlo.yield %flag, %j, %next : tensor<i1>, tensor<1x1xi64>, tensor<?x8xf32, #dhlo.dims<T>>
    }
  // The outer loop runs twice, and the inner one adds to each row.
  %v:2 = dhlo.while %go carries(%first, %init) loop_dims [] init_dims [] next_dims [] result_dims []
        : (tensor<1x1xi64>, tensor<?x8xf32, #dhlo.dims<T>>) -> (tensor<1x1xi64>, tensor<?x8xf32, #dhlo.dims<T>>) {
    ^bb0(%n: tensor<1x1xi64>, %outer: tensor<?x8xf32, #dhlo.dims<T>>):
      %w:2 = dhlo.while %go carries(%first, %outer) loop_dims [] init_dims [] next_dims [] result_dims []
            : (tensor<1x1xi64>, tensor<?x8xf32, #dhlo.dims<T>>) -> (tensor<1x1xi64>, tensor<?x8xf32, #dhlo.dims<T>>) {
        ^bb0(%i: tensor<1x1xi64>, %rows: tensor<?x8xf32, #dhlo.dims<T>>):
          %next = dhlo.scatter_nd %rows, %i, %row add : (tensor<?x8xf32, #dhlo.dims<T>>, tensor<1x1xi64>, tensor<1x8xf32>) -> tensor<?x8xf32, #dhlo.dims<T>>
          %j = dhlo.add %i, %one : tensor<1x1xi64>
          %again = dhlo.compare lt %j, %count : tensor<1x1xi64> -> tensor<1x1xi1>
          %flag = dhlo.reshape %again : (tensor<1x1xi1>) -> tensor<i1>
          dhlo.yield %flag, %j, %next : tensor<i1>, tensor<1x1xi64>, tensor<?x8xf32, #dhlo.dims<T>>
        }
      %m = dhlo.add %n, %one : tensor<1x1xi64>
      %again = dhlo.compare le %m, %one : tensor<1x1xi64> -> tensor<1x1xi1>
      %flag = dhlo.reshape %again : (tensor<1x1xi1>) -> tensor<i1>
      dhlo.yield %flag, %m, %w#1 : tensor<i1>, tensor<1x1xi64>, tensor<?x8xf32, #dhlo.dims<T>>
    }
  %y = dhlo.sub %u#1, %init : tensor<?x8xf32, #dhlo.dims<T>>
  %z = dhlo.sub %v#1, %init : tensor<?x8xf32, #dhlo.dims<T>>
  return %y, %z : tensor<?x8xf32, #dhlo.dims<T>>, tensor<?x8xf32, #dhlo.dims<T>>
}

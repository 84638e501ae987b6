// Requests that cannot be met.
// RUN: dyn-opt %s -split-input-file -dhlo-remove-padding=mask=mask -verify-diagnostics

dhlo.dim @B
dhlo.dim @S
// expected-error @below {{the model has no input called 'mask' to remove padding by; it has 'x', 'input1'}}
func.func @name(%x: tensor<?xf32, #dhlo.dims<B>> {dhlo.name = "x"}, %y: tensor<?xf32, #dhlo.dims<B>>) attributes {dhlo.entry} {
  return
}

// -----

dhlo.dim @B
// expected-error @below {{expected a mask of rank 2 to remove padding by, found 'mask' of type}}
func.func @rank(%x: tensor<?xi1, #dhlo.dims<B>> {dhlo.name = "mask"}) attributes {dhlo.entry} {
  return
}

// -----

dhlo.dim @B
dhlo.dim @S
// expected-error @below {{padding cannot be removed: no attention has a mask that follows from 'mask'}}
func.func @nothing(%x: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) attributes {dhlo.entry} {
  return
}

// -----

// The rows of one sentence see another's.
dhlo.dim @B
dhlo.dim @S
func.func @mixed(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>> attributes {dhlo.entry} {
  %k = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  // expected-error @below {{padding cannot be removed: rows are not kept apart by dhlo.cumulative}}
  %c = dhlo.cumulative sum %a axis = 0 : tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  return %c : tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
}

// -----

// A causal row without keys sees those that are removed.
dhlo.dim @B
dhlo.dim @S
func.func @causal(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>> attributes {dhlo.entry} {
  %c = dhlo.constant dense<-3.0e+38> : tensor<f32>
  %z = dhlo.constant dense<0.0> : tensor<f32>
  %i = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %cs = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %zs = dhlo.broadcast %z axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %k = dhlo.select %i, %zs, %cs : tensor<?x1x1x?xi1, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  // expected-error @below {{padding cannot be removed: this attention is causal, and its mask is no condition: a row without keys sees them all}}
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 causal : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  return %a : tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
}

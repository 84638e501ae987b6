// RUN: dyn-opt %s -split-input-file -dhlo-remove-padding=min-intensity=0 -verify-diagnostics -canonicalize -cse | FileCheck %s

// When padding is removed and when it stays, by one property at a time; a remark says which.

// The mask is a condition, and the first token of each sentence is read.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @condition
// CHECK:       dhlo.nonzero
func.func @condition(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, 
    // expected-remark @below {{padding is removed: no row where}}
    %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x1x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %k = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %u = dhlo.transpose %a permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v = dhlo.reshape %u : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.dot_general %v, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %s = dhlo.slice %p starts = [0, 0, 0] strides = [1, 1, 1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x1x8xf32, #dhlo.dims<B>>
  return %s : tensor<?x1x8xf32, #dhlo.dims<B>>
}

// -----

// A function that is no entry is left alone.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @no_entry
// CHECK-NOT:   dhlo.nonzero
// CHECK:       return
func.func @no_entry(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x1x8xf32, #dhlo.dims<B>> {
  %k = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %u = dhlo.transpose %a permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v = dhlo.reshape %u : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.dot_general %v, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %s = dhlo.slice %p starts = [0, 0, 0] strides = [1, 1, 1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x1x8xf32, #dhlo.dims<B>>
  return %s : tensor<?x1x8xf32, #dhlo.dims<B>>
}

// -----

// A mask that is true where a token is missing: what is computed of it removes these.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @negated
// CHECK:       dhlo.nonzero
func.func @negated(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x1x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  // expected-remark @below {{padding is removed: no row where this mask is zero}}
  %n = dhlo.not %mask : tensor<?x?xi1, #dhlo.dims<B, S>>
  %k = dhlo.reshape %n : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %u = dhlo.transpose %a permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v = dhlo.reshape %u : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.dot_general %v, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %s = dhlo.slice %p starts = [0, 0, 0] strides = [1, 1, 1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x1x8xf32, #dhlo.dims<B>>
  return %s : tensor<?x1x8xf32, #dhlo.dims<B>>
}

// -----

// Negated where it has no rows and columns any more, it keeps what it should remove.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @true_there
// CHECK-NOT:   dhlo.nonzero
// CHECK:       return
func.func @true_there(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x1x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %k = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %n = dhlo.not %k : tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  // expected-remark @below {{padding stays: the mask of this attention leaves keys of masked rows in: it is true there}}
  %a = dhlo.attention %x, %x, %x mask %n scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %u = dhlo.transpose %a permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v = dhlo.reshape %u : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.dot_general %v, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %s = dhlo.slice %p starts = [0, 0, 0] strides = [1, 1, 1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x1x8xf32, #dhlo.dims<B>>
  return %s : tensor<?x1x8xf32, #dhlo.dims<B>>
}

// -----

// Negated twice it is not.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @twice_negated
// CHECK:       dhlo.nonzero
func.func @twice_negated(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, 
    // expected-remark @below {{padding is removed: no row where}}
    %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x1x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %n = dhlo.not %mask : tensor<?x?xi1, #dhlo.dims<B, S>>
  %o = dhlo.not %n : tensor<?x?xi1, #dhlo.dims<B, S>>
  %k = dhlo.reshape %o : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %u = dhlo.transpose %a permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v = dhlo.reshape %u : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.dot_general %v, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %s = dhlo.slice %p starts = [0, 0, 0] strides = [1, 1, 1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x1x8xf32, #dhlo.dims<B>>
  return %s : tensor<?x1x8xf32, #dhlo.dims<B>>
}

// -----

// With another condition that may remove more keys it still removes these.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @other_condition
// CHECK:       dhlo.nonzero
func.func @other_condition(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, 
    // expected-remark @below {{padding is removed: no row where}}
    %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}, %c: tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %k = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %n = dhlo.and %k, %c : tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %a = dhlo.attention %x, %x, %x mask %n scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %u = dhlo.transpose %a permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v = dhlo.reshape %u : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.dot_general %v, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %s = dhlo.slice %p starts = [0, 0, 0] strides = [1, 1, 1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x1x8xf32, #dhlo.dims<B>>
  return %s : tensor<?x1x8xf32, #dhlo.dims<B>>
}

// -----

// With one that may bring them back it does not, and nothing follows from the mask.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @either_condition
// CHECK-NOT:   dhlo.nonzero
// CHECK:       return
func.func @either_condition(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}, %c: tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %k = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %n = dhlo.or %k, %c : tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %a = dhlo.attention %x, %x, %x mask %n scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %u = dhlo.transpose %a permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v = dhlo.reshape %u : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.dot_general %v, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %s = dhlo.slice %p starts = [0, 0, 0] strides = [1, 1, 1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x1x8xf32, #dhlo.dims<B>>
  return %s : tensor<?x1x8xf32, #dhlo.dims<B>>
}

// -----

// The first token of each head: positions are read on the second axis alone.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @heads
// CHECK-NOT:   dhlo.nonzero
// CHECK:       return
func.func @heads(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x2x1x4xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %k = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %s = dhlo.slice %a starts = [0, 0, 0, 0] strides = [1, 1, 1, 1] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x2x1x4xf32, #dhlo.dims<B>>
  // expected-remark @below {{padding stays: masked rows are part of the output 'output0'}}
  return %s : tensor<?x2x1x4xf32, #dhlo.dims<B>>
}

// -----

// The last token, counted from the end.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @last_token
// CHECK:       dhlo.nonzero
func.func @last_token(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, 
    // expected-remark @below {{padding is removed: no row where}}
    %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x1x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %k = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %u = dhlo.transpose %a permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v = dhlo.reshape %u : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.dot_general %v, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %s = dhlo.slice %p starts = [0, @S - 1, 0] strides = [1, 1, 1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x1x8xf32, #dhlo.dims<B>>
  return %s : tensor<?x1x8xf32, #dhlo.dims<B>>
}

// -----

// Two tokens are no position: rows that may be masked are an output.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @two_tokens
// CHECK-NOT:   dhlo.nonzero
// CHECK:       return
func.func @two_tokens(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x2x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %k = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %u = dhlo.transpose %a permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v = dhlo.reshape %u : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.dot_general %v, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %s = dhlo.slice %p starts = [0, 0, 0] strides = [1, 1, 1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x2x8xf32, #dhlo.dims<B>>
  // expected-remark @below {{padding stays: masked rows are part of the output 'output0'}}
  return %s : tensor<?x2x8xf32, #dhlo.dims<B>>
}

// -----

// A sum over all tokens without the mask reads masked rows, too.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @every_token
// CHECK-NOT:   dhlo.nonzero
// CHECK:       return
func.func @every_token(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %k = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %u = dhlo.transpose %a permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v = dhlo.reshape %u : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.dot_general %v, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %s = dhlo.reduce sum %p axes = [1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x8xf32, #dhlo.dims<B>>
  // expected-remark @below {{padding stays: masked rows are part of the output 'output0'}}
  return %s : tensor<?x8xf32, #dhlo.dims<B>>
}

// -----

// A number beside which any score is lost: 2 to the power of 120 and more.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @beyond_scores
// CHECK:       dhlo.nonzero
func.func @beyond_scores(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, 
    // expected-remark @below {{padding is removed: no row where}}
    %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x1x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %c = dhlo.constant dense<-1.32922800e+36> : tensor<f32>
  %z = dhlo.constant dense<0.0> : tensor<f32>
  %i = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %cs = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %zs = dhlo.broadcast %z axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %k = dhlo.select %i, %zs, %cs : tensor<?x1x1x?xi1, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %u = dhlo.transpose %a permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v = dhlo.reshape %u : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.dot_general %v, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %s = dhlo.slice %p starts = [0, 0, 0] strides = [1, 1, 1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x1x8xf32, #dhlo.dims<B>>
  return %s : tensor<?x1x8xf32, #dhlo.dims<B>>
}

// -----

// One that is a little greater.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @among_scores
// CHECK-NOT:   dhlo.nonzero
// CHECK:       return
func.func @among_scores(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x1x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %c = dhlo.constant dense<-1.32922700e+36> : tensor<f32>
  %z = dhlo.constant dense<0.0> : tensor<f32>
  %i = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %cs = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %zs = dhlo.broadcast %z axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %k = dhlo.select %i, %zs, %cs : tensor<?x1x1x?xi1, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  // expected-remark @below {{beside which great scores are not lost}}
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %u = dhlo.transpose %a permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v = dhlo.reshape %u : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.dot_general %v, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %s = dhlo.slice %p starts = [0, 0, 0] strides = [1, 1, 1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x1x8xf32, #dhlo.dims<B>>
  return %s : tensor<?x1x8xf32, #dhlo.dims<B>>
}

// -----

// Minus infinity is a condition.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @infinity
// CHECK:       dhlo.nonzero
func.func @infinity(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, 
    // expected-remark @below {{padding is removed: no row where}}
    %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x1x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %c = dhlo.constant dense<0xFF800000> : tensor<f32>
  %z = dhlo.constant dense<0.0> : tensor<f32>
  %i = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %cs = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %zs = dhlo.broadcast %z axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %k = dhlo.select %i, %zs, %cs : tensor<?x1x1x?xi1, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %u = dhlo.transpose %a permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v = dhlo.reshape %u : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.dot_general %v, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %s = dhlo.slice %p starts = [0, 0, 0] strides = [1, 1, 1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x1x8xf32, #dhlo.dims<B>>
  return %s : tensor<?x1x8xf32, #dhlo.dims<B>>
}

// RUN: dyn-opt %s -split-input-file -verify-diagnostics

func.func @softmax_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.softmax' op expected axis in [0, 2), found 2}}
  %0 = dhlo.softmax %x axis = 2 : tensor<4x8xf32>
  return
}

// -----

func.func @layer_norm_c1(%x: tensor<4x8xf32>, %g: tensor<8xf32>) {
  // expected-error @+1 {{'dhlo.layer_norm' op expected axis in [0, 2), found 2}}
  %0 = dhlo.layer_norm %x, %g axis = 2 eps = 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @layer_norm_c2_scale(%x: tensor<4x8xf32>, %g: tensor<7xf32>) {
  // expected-error @+1 {{'dhlo.layer_norm' op expected size 8 at axis 0 of scale, found 7}}
  %0 = dhlo.layer_norm %x, %g axis = 1 eps = 1.0e-5 : (tensor<4x8xf32>, tensor<7xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @layer_norm_c2_bias(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.layer_norm' op expected bias of rank 1, found rank 2}}
  %0 = dhlo.layer_norm %x, %g, %b axis = 1 eps = 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @layer_norm_c2_type(%x: tensor<4x8xf32>, %g: tensor<8xf16>) {
  // expected-error @+1 {{'dhlo.layer_norm' op expected scale with elements of type 'f32', found 'f16'}}
  %0 = dhlo.layer_norm %x, %g axis = 1 eps = 1.0e-5 : (tensor<4x8xf32>, tensor<8xf16>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_c1(%x: tensor<4x8xf32>, %g: tensor<8xf32>) {
  // expected-error @+1 {{'dhlo.rms_norm' op expected axis in [0, 2), found 2}}
  %0 = dhlo.rms_norm %x, %g axis = 2 eps = 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_c2(%x: tensor<4x8xf32>, %g: tensor<7xf32>) {
  // expected-error @+1 {{'dhlo.rms_norm' op expected size 8 at axis 0 of scale, found 7}}
  %0 = dhlo.rms_norm %x, %g axis = 1 eps = 1.0e-5 : (tensor<4x8xf32>, tensor<7xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @attention_c1_rank(%q: tensor<4x5x8xf32>, %k: tensor<1x2x6x8xf32>, %v: tensor<1x2x6x3xf32>) {
  // expected-error @+1 {{'dhlo.attention' op expected query of rank 4, found rank 3}}
  %0 = dhlo.attention %q, %k, %v scale = 1.0 : (tensor<4x5x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x3xf32>) -> tensor<1x4x5x3xf32>
  return
}

// -----

func.func @attention_c1_key(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x6x7xf32>, %v: tensor<1x2x6x3xf32>) {
  // expected-error @+1 {{'dhlo.attention' op expected size 8 at axis 3 of key, found 7}}
  %0 = dhlo.attention %q, %k, %v scale = 1.0 : (tensor<1x4x5x8xf32>, tensor<1x2x6x7xf32>, tensor<1x2x6x3xf32>) -> tensor<1x4x5x3xf32>
  return
}

// -----

func.func @attention_c1_value(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x6x8xf32>, %v: tensor<1x2x7x3xf32>) {
  // expected-error @+1 {{'dhlo.attention' op expected size 6 at axis 2 of value, found 7}}
  %0 = dhlo.attention %q, %k, %v scale = 1.0 : (tensor<1x4x5x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x7x3xf32>) -> tensor<1x4x5x3xf32>
  return
}

// -----

func.func @attention_c1_heads(%q: tensor<1x4x5x8xf32>, %k: tensor<1x3x6x8xf32>, %v: tensor<1x3x6x3xf32>) {
  // expected-error @+1 {{'dhlo.attention' op expected a number of query heads divisible by 3, found 4}}
  %0 = dhlo.attention %q, %k, %v scale = 1.0 : (tensor<1x4x5x8xf32>, tensor<1x3x6x8xf32>, tensor<1x3x6x3xf32>) -> tensor<1x4x5x3xf32>
  return
}

// -----

func.func @attention_c1_mask_rank(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x6x8xf32>, %v: tensor<1x2x6x3xf32>, %m: tensor<5x6xf32>) {
  // expected-error @+1 {{'dhlo.attention' op expected mask of rank 4, found rank 2}}
  %0 = dhlo.attention %q, %k, %v mask %m scale = 1.0 : (tensor<1x4x5x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x3xf32>, tensor<5x6xf32>) -> tensor<1x4x5x3xf32>
  return
}

// -----

func.func @attention_c1_mask(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x6x8xf32>, %v: tensor<1x2x6x3xf32>, %m: tensor<1x1x5x5xf32>) {
  // expected-error @+1 {{'dhlo.attention' op expected size 6 at axis 3 of mask, found 5}}
  %0 = dhlo.attention %q, %k, %v mask %m scale = 1.0 : (tensor<1x4x5x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x3xf32>, tensor<1x1x5x5xf32>) -> tensor<1x4x5x3xf32>
  return
}

// -----

func.func @attention_c1_result(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x6x8xf32>, %v: tensor<1x2x6x3xf32>) {
  // expected-error @+1 {{'dhlo.attention' op expected size 3 at axis 3 of result, found 4}}
  %0 = dhlo.attention %q, %k, %v scale = 1.0 : (tensor<1x4x5x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x3xf32>) -> tensor<1x4x5x4xf32>
  return
}

// -----

func.func @attention_c2(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x6x8xf16>, %v: tensor<1x2x6x3xf32>) {
  // expected-error @+1 {{'dhlo.attention' op expected key with elements of type 'f32', found 'f16'}}
  %0 = dhlo.attention %q, %k, %v scale = 1.0 : (tensor<1x4x5x8xf32>, tensor<1x2x6x8xf16>, tensor<1x2x6x3xf32>) -> tensor<1x4x5x3xf32>
  return
}

// -----

func.func @attention_c3(%q: tensor<1x4x5x8xf32>) {
  // expected-error @+1 {{'dhlo.attention' op expected a positive and finite cap, found 0}}
  %0 = dhlo.attention %q, %q, %q scale = 1.0 cap = 0.0 : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @attention_c3_infinite(%q: tensor<1x4x5x8xf32>) {
  // expected-error @+1 {{'dhlo.attention' op expected a positive and finite cap, found }}
  %0 = dhlo.attention %q, %q, %q scale = 1.0 cap = 0x7FF0000000000000 : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @attention_c2_mask(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x6x8xf32>, %v: tensor<1x2x6x3xf32>, %m: tensor<1x1x5x6xi64>) {
  // expected-error @+1 {{'dhlo.attention' op expected mask with elements of type 'f32', found 'i64'}}
  %0 = dhlo.attention %q, %k, %v mask %m scale = 1.0 : (tensor<1x4x5x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x3xf32>, tensor<1x1x5x6xi64>) -> tensor<1x4x5x3xf32>
  return
}

// -----

func.func @lstm_c1_rank(%g: tensor<5x1x8xf32>, %r: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'dhlo.lstm' op expected gates of rank 4, found rank 3}}
  %0, %1, %2 = dhlo.lstm forward %g, %r : (tensor<5x1x8xf32>, tensor<1x2x8xf32>) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  return
}

// -----

func.func @lstm_c1_recurrent_rank(%g: tensor<5x1x1x8xf32>, %r: tensor<2x8xf32>) {
  // expected-error @+1 {{'dhlo.lstm' op expected recurrent of rank 3, found rank 2}}
  %0, %1, %2 = dhlo.lstm forward %g, %r : (tensor<5x1x1x8xf32>, tensor<2x8xf32>) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  return
}

// -----

func.func @lstm_c1_directions(%g: tensor<5x1x1x8xf32>, %r: tensor<2x2x8xf32>) {
  // expected-error @+1 {{'dhlo.lstm' op expected size 1 at axis 0 of recurrent, found 2}}
  %0, %1, %2 = dhlo.lstm forward %g, %r : (tensor<5x1x1x8xf32>, tensor<2x2x8xf32>) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  return
}

// -----

func.func @lstm_c1_recurrent(%g: tensor<5x1x1x8xf32>, %r: tensor<1x2x9xf32>) {
  // expected-error @+1 {{'dhlo.lstm' op expected size 8 at axis 2 of recurrent, found 9}}
  %0, %1, %2 = dhlo.lstm forward %g, %r : (tensor<5x1x1x8xf32>, tensor<1x2x9xf32>) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  return
}

// -----

func.func @lstm_c1_gates(%g: tensor<5x1x1x7xf32>, %r: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'dhlo.lstm' op expected size 8 at axis 3 of gates, found 7}}
  %0, %1, %2 = dhlo.lstm forward %g, %r : (tensor<5x1x1x7xf32>, tensor<1x2x8xf32>) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  return
}

// -----

func.func @lstm_c1_hidden(%g: tensor<5x1x1x8xf32>, %r: tensor<1x2x8xf32>, %h: tensor<1x1x3xf32>) {
  // expected-error @+1 {{'dhlo.lstm' op expected size 2 at axis 2 of hidden, found 3}}
  %0, %1, %2 = dhlo.lstm forward %g, %r hidden %h : (tensor<5x1x1x8xf32>, tensor<1x2x8xf32>, tensor<1x1x3xf32>) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  return
}

// -----

func.func @lstm_c1_cell(%g: tensor<5x1x1x8xf32>, %r: tensor<1x2x8xf32>, %c: tensor<1x4x2xf32>) {
  // expected-error @+1 {{'dhlo.lstm' op expected size 1 at axis 1 of cell, found 4}}
  %0, %1, %2 = dhlo.lstm forward %g, %r cell %c : (tensor<5x1x1x8xf32>, tensor<1x2x8xf32>, tensor<1x4x2xf32>) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  return
}

// -----

func.func @lstm_c1_lengths(%g: tensor<5x1x1x8xf32>, %r: tensor<1x2x8xf32>, %l: tensor<2xi64>) {
  // expected-error @+1 {{'dhlo.lstm' op expected size 1 at axis 0 of lengths, found 2}}
  %0, %1, %2 = dhlo.lstm forward %g, %r lengths %l : (tensor<5x1x1x8xf32>, tensor<1x2x8xf32>, tensor<2xi64>) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  return
}

// -----

func.func @lstm_c1_result(%g: tensor<5x1x1x8xf32>, %r: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'dhlo.lstm' op expected size 5 at axis 0 of result 0, found 6}}
  %0, %1, %2 = dhlo.lstm forward %g, %r : (tensor<5x1x1x8xf32>, tensor<1x2x8xf32>) -> (tensor<6x1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  return
}

// -----

func.func @lstm_c2(%g: tensor<5x1x1x8xf32>, %r: tensor<1x2x8xf64>) {
  // expected-error @+1 {{'dhlo.lstm' op expected recurrent with elements of type 'f32', found 'f64'}}
  %0, %1, %2 = dhlo.lstm forward %g, %r : (tensor<5x1x1x8xf32>, tensor<1x2x8xf64>) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  return
}

// -----

func.func @resize_c1_rank(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.resize' op expected result of rank 2, found rank 1}}
  %0 = dhlo.resize nearest asymmetric floor %x scales = [1.0, 2.0] coefficient = -0.75 : (tensor<4x8xf32>) -> tensor<16xf32>
  return
}

// -----

func.func @resize_c1_type(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.resize' op expected result with elements of type 'f32', found 'f64'}}
  %0 = dhlo.resize nearest asymmetric floor %x scales = [1.0, 2.0] coefficient = -0.75 : (tensor<4x8xf32>) -> tensor<4x16xf64>
  return
}

// -----

func.func @resize_c1_scales(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.resize' op expected 2 scales, found 1}}
  %0 = dhlo.resize nearest asymmetric floor %x scales = [1.0] coefficient = -0.75 : (tensor<4x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @resize_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.resize' op expected scales of at least 0, found -1.000000e+00}}
  %0 = dhlo.resize nearest asymmetric floor %x scales = [1.0, -1.0] coefficient = -0.75 : (tensor<4x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @fft_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.fft' op expected axis in [0, 2), found 2}}
  %0, %1 = dhlo.fft %x axis = 2 : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @fft_c2_real(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.fft' op expected an imaginary part of the operand or the result}}
  %0 = dhlo.fft %x half axis = 1 : (tensor<4x8xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @fft_c2_whole(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'dhlo.fft' op expected 'half', as the result is real}}
  %0 = dhlo.fft %x, %x axis = 1 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @fft_c2_half(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.fft' op expected no 'half', as operand and result are complex}}
  %0, %1 = dhlo.fft %x, %x half axis = 1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>)
  return
}

// -----

func.func @fft_c3_operand(%x: tensor<4x8xf32>, %y: tensor<4x8xf64>) {
  // expected-error @+1 {{'dhlo.fft' op expected imaginary with elements of type 'f32', found 'f64'}}
  %0, %1 = dhlo.fft %x, %y axis = 1 : (tensor<4x8xf32>, tensor<4x8xf64>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @fft_c3_roots(%x: tensor<4x8xf32>, %y: tensor<2x8xf64>) {
  // expected-error @+1 {{'dhlo.fft' op expected roots with elements of type 'f32', found 'f64'}}
  %0, %1 = dhlo.fft %x roots %y axis = 1 : (tensor<4x8xf32>, tensor<2x8xf64>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @fft_c3_result(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.fft' op expected result 1 with elements of type 'f32', found 'f64'}}
  %0, %1 = dhlo.fft %x axis = 1 : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf64>)
  return
}

// -----

func.func @fft_c4_parts(%x: tensor<4x8xf32>, %y: tensor<4x7xf32>) {
  // expected-error @+1 {{'dhlo.fft' op expected size 8 at axis 1 of imaginary, found 7}}
  %0, %1 = dhlo.fft %x, %y axis = 1 : (tensor<4x8xf32>, tensor<4x7xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @fft_c4_result(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.fft' op expected size 5 at axis 1 of result 0, found 8}}
  %0, %1 = dhlo.fft %x half axis = 1 : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @fft_c4_operand(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.fft' op expected size 6 at axis 1 of real, found 8}}
  %0 = dhlo.fft %x, %x half axis = 1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x10xf32>
  return
}

// -----

func.func @fft_c5(%x: tensor<4x8xf32>, %y: tensor<2x7xf32>) {
  // expected-error @+1 {{'dhlo.fft' op expected size 8 at axis 1 of roots, found 7}}
  %0, %1 = dhlo.fft %x roots %y axis = 1 : (tensor<4x8xf32>, tensor<2x7xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return
}

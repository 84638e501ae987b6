// Merged kernels give the values and bits of those that they replace.

// RUN: dyn-compile %s -o %t.so
// RUN: dyn-run --reference %s --entry steps --input x=random:5x56 --seed=1 --output %t.npz
// RUN: dyn-run %t.so --entry steps --input x=random:5x56 --seed=1 --check %t.npz --tolerance 1e-6
// RUN: dyn-run --reference %s --entry numbers --input x=random:3x16 --seed=1 --output %t.npz
// RUN: dyn-run %t.so --entry numbers --input x=random:3x16 --seed=1 --check %t.npz --tolerance 0
// RUN: dyn-run --reference %s --entry pads --input x=random:17x16 --seed=1 --output %t.npz
// RUN: dyn-run %t.so --entry pads --input x=random:17x16 --seed=1 --check %t.npz --tolerance 0
// RUN: dyn-run %t.so --entry pads --input x=random:0x16

dhlo.dim @N

func.func @steps(%x: tensor<?x56xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?x55xf32, #dhlo.dims<N>> {dhlo.name = "y0"}, tensor<?x54xf32, #dhlo.dims<N>> {dhlo.name = "y1"}, tensor<?x53xf32, #dhlo.dims<N>> {dhlo.name = "y2"}, tensor<?x52xf32, #dhlo.dims<N>> {dhlo.name = "y3"}, tensor<?x51xf32, #dhlo.dims<N>> {dhlo.name = "y4"}, tensor<?x50xf32, #dhlo.dims<N>> {dhlo.name = "y5"}, tensor<?x49xf32, #dhlo.dims<N>> {dhlo.name = "y6"}, tensor<?x48xf32, #dhlo.dims<N>> {dhlo.name = "y7"}, tensor<?x47xf32, #dhlo.dims<N>> {dhlo.name = "y8"}, tensor<?x46xf32, #dhlo.dims<N>> {dhlo.name = "y9"}, tensor<?x45xf32, #dhlo.dims<N>> {dhlo.name = "y10"}, tensor<?x44xf32, #dhlo.dims<N>> {dhlo.name = "y11"}, tensor<?x43xf32, #dhlo.dims<N>> {dhlo.name = "y12"}, tensor<?x42xf32, #dhlo.dims<N>> {dhlo.name = "y13"}, tensor<?x41xf32, #dhlo.dims<N>> {dhlo.name = "y14"}, tensor<?x40xf32, #dhlo.dims<N>> {dhlo.name = "y15"}, tensor<?x39xf32, #dhlo.dims<N>> {dhlo.name = "y16"}, tensor<?x38xf32, #dhlo.dims<N>> {dhlo.name = "y17"}, tensor<?x37xf32, #dhlo.dims<N>> {dhlo.name = "y18"}, tensor<?x36xf32, #dhlo.dims<N>> {dhlo.name = "y19"}, tensor<?x35xf32, #dhlo.dims<N>> {dhlo.name = "y20"}, tensor<?x34xf32, #dhlo.dims<N>> {dhlo.name = "y21"}, tensor<?x33xf32, #dhlo.dims<N>> {dhlo.name = "y22"}, tensor<?x32xf32, #dhlo.dims<N>> {dhlo.name = "y23"}, tensor<?x31xf32, #dhlo.dims<N>> {dhlo.name = "y24"}, tensor<?x30xf32, #dhlo.dims<N>> {dhlo.name = "y25"}, tensor<?x29xf32, #dhlo.dims<N>> {dhlo.name = "y26"}, tensor<?x28xf32, #dhlo.dims<N>> {dhlo.name = "y27"}, tensor<?x27xf32, #dhlo.dims<N>> {dhlo.name = "y28"}, tensor<?x26xf32, #dhlo.dims<N>> {dhlo.name = "y29"}, tensor<?x25xf32, #dhlo.dims<N>> {dhlo.name = "y30"}, tensor<?x24xf32, #dhlo.dims<N>> {dhlo.name = "y31"}, tensor<?x23xf32, #dhlo.dims<N>> {dhlo.name = "y32"}, tensor<?x22xf32, #dhlo.dims<N>> {dhlo.name = "y33"}, tensor<?x21xf32, #dhlo.dims<N>> {dhlo.name = "y34"}, tensor<?x20xf32, #dhlo.dims<N>> {dhlo.name = "y35"}, tensor<?x19xf32, #dhlo.dims<N>> {dhlo.name = "y36"}, tensor<?x18xf32, #dhlo.dims<N>> {dhlo.name = "y37"}, tensor<?x17xf32, #dhlo.dims<N>> {dhlo.name = "y38"}, tensor<?x16xf32, #dhlo.dims<N>> {dhlo.name = "y39"}, tensor<?x15xf32, #dhlo.dims<N>> {dhlo.name = "y40"}, tensor<?x14xf32, #dhlo.dims<N>> {dhlo.name = "y41"}, tensor<?x13xf32, #dhlo.dims<N>> {dhlo.name = "y42"}, tensor<?x12xf32, #dhlo.dims<N>> {dhlo.name = "y43"}, tensor<?x11xf32, #dhlo.dims<N>> {dhlo.name = "y44"}, tensor<?x10xf32, #dhlo.dims<N>> {dhlo.name = "y45"}, tensor<?x9xf32, #dhlo.dims<N>> {dhlo.name = "y46"}, tensor<?x8xf32, #dhlo.dims<N>> {dhlo.name = "y47"}) attributes {dhlo.entry} {
  %s0 = dhlo.slice %x starts = [0, 1] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x55xf32, #dhlo.dims<N>>
  %m0 = dhlo.softmax %s0 axis = 1 : tensor<?x55xf32, #dhlo.dims<N>>
  %s1 = dhlo.slice %x starts = [0, 2] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x54xf32, #dhlo.dims<N>>
  %m1 = dhlo.softmax %s1 axis = 1 : tensor<?x54xf32, #dhlo.dims<N>>
  %s2 = dhlo.slice %x starts = [0, 3] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x53xf32, #dhlo.dims<N>>
  %m2 = dhlo.softmax %s2 axis = 1 : tensor<?x53xf32, #dhlo.dims<N>>
  %s3 = dhlo.slice %x starts = [0, 4] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x52xf32, #dhlo.dims<N>>
  %m3 = dhlo.softmax %s3 axis = 1 : tensor<?x52xf32, #dhlo.dims<N>>
  %s4 = dhlo.slice %x starts = [0, 5] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x51xf32, #dhlo.dims<N>>
  %m4 = dhlo.softmax %s4 axis = 1 : tensor<?x51xf32, #dhlo.dims<N>>
  %s5 = dhlo.slice %x starts = [0, 6] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x50xf32, #dhlo.dims<N>>
  %m5 = dhlo.softmax %s5 axis = 1 : tensor<?x50xf32, #dhlo.dims<N>>
  %s6 = dhlo.slice %x starts = [0, 7] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x49xf32, #dhlo.dims<N>>
  %m6 = dhlo.softmax %s6 axis = 1 : tensor<?x49xf32, #dhlo.dims<N>>
  %s7 = dhlo.slice %x starts = [0, 8] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x48xf32, #dhlo.dims<N>>
  %m7 = dhlo.softmax %s7 axis = 1 : tensor<?x48xf32, #dhlo.dims<N>>
  %s8 = dhlo.slice %x starts = [0, 9] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x47xf32, #dhlo.dims<N>>
  %m8 = dhlo.softmax %s8 axis = 1 : tensor<?x47xf32, #dhlo.dims<N>>
  %s9 = dhlo.slice %x starts = [0, 10] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x46xf32, #dhlo.dims<N>>
  %m9 = dhlo.softmax %s9 axis = 1 : tensor<?x46xf32, #dhlo.dims<N>>
  %s10 = dhlo.slice %x starts = [0, 11] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x45xf32, #dhlo.dims<N>>
  %m10 = dhlo.softmax %s10 axis = 1 : tensor<?x45xf32, #dhlo.dims<N>>
  %s11 = dhlo.slice %x starts = [0, 12] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x44xf32, #dhlo.dims<N>>
  %m11 = dhlo.softmax %s11 axis = 1 : tensor<?x44xf32, #dhlo.dims<N>>
  %s12 = dhlo.slice %x starts = [0, 13] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x43xf32, #dhlo.dims<N>>
  %m12 = dhlo.softmax %s12 axis = 1 : tensor<?x43xf32, #dhlo.dims<N>>
  %s13 = dhlo.slice %x starts = [0, 14] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x42xf32, #dhlo.dims<N>>
  %m13 = dhlo.softmax %s13 axis = 1 : tensor<?x42xf32, #dhlo.dims<N>>
  %s14 = dhlo.slice %x starts = [0, 15] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x41xf32, #dhlo.dims<N>>
  %m14 = dhlo.softmax %s14 axis = 1 : tensor<?x41xf32, #dhlo.dims<N>>
  %s15 = dhlo.slice %x starts = [0, 16] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x40xf32, #dhlo.dims<N>>
  %m15 = dhlo.softmax %s15 axis = 1 : tensor<?x40xf32, #dhlo.dims<N>>
  %s16 = dhlo.slice %x starts = [0, 17] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x39xf32, #dhlo.dims<N>>
  %m16 = dhlo.softmax %s16 axis = 1 : tensor<?x39xf32, #dhlo.dims<N>>
  %s17 = dhlo.slice %x starts = [0, 18] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x38xf32, #dhlo.dims<N>>
  %m17 = dhlo.softmax %s17 axis = 1 : tensor<?x38xf32, #dhlo.dims<N>>
  %s18 = dhlo.slice %x starts = [0, 19] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x37xf32, #dhlo.dims<N>>
  %m18 = dhlo.softmax %s18 axis = 1 : tensor<?x37xf32, #dhlo.dims<N>>
  %s19 = dhlo.slice %x starts = [0, 20] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x36xf32, #dhlo.dims<N>>
  %m19 = dhlo.softmax %s19 axis = 1 : tensor<?x36xf32, #dhlo.dims<N>>
  %s20 = dhlo.slice %x starts = [0, 21] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x35xf32, #dhlo.dims<N>>
  %m20 = dhlo.softmax %s20 axis = 1 : tensor<?x35xf32, #dhlo.dims<N>>
  %s21 = dhlo.slice %x starts = [0, 22] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x34xf32, #dhlo.dims<N>>
  %m21 = dhlo.softmax %s21 axis = 1 : tensor<?x34xf32, #dhlo.dims<N>>
  %s22 = dhlo.slice %x starts = [0, 23] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x33xf32, #dhlo.dims<N>>
  %m22 = dhlo.softmax %s22 axis = 1 : tensor<?x33xf32, #dhlo.dims<N>>
  %s23 = dhlo.slice %x starts = [0, 24] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x32xf32, #dhlo.dims<N>>
  %m23 = dhlo.softmax %s23 axis = 1 : tensor<?x32xf32, #dhlo.dims<N>>
  %s24 = dhlo.slice %x starts = [0, 25] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x31xf32, #dhlo.dims<N>>
  %m24 = dhlo.softmax %s24 axis = 1 : tensor<?x31xf32, #dhlo.dims<N>>
  %s25 = dhlo.slice %x starts = [0, 26] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x30xf32, #dhlo.dims<N>>
  %m25 = dhlo.softmax %s25 axis = 1 : tensor<?x30xf32, #dhlo.dims<N>>
  %s26 = dhlo.slice %x starts = [0, 27] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x29xf32, #dhlo.dims<N>>
  %m26 = dhlo.softmax %s26 axis = 1 : tensor<?x29xf32, #dhlo.dims<N>>
  %s27 = dhlo.slice %x starts = [0, 28] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x28xf32, #dhlo.dims<N>>
  %m27 = dhlo.softmax %s27 axis = 1 : tensor<?x28xf32, #dhlo.dims<N>>
  %s28 = dhlo.slice %x starts = [0, 29] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x27xf32, #dhlo.dims<N>>
  %m28 = dhlo.softmax %s28 axis = 1 : tensor<?x27xf32, #dhlo.dims<N>>
  %s29 = dhlo.slice %x starts = [0, 30] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x26xf32, #dhlo.dims<N>>
  %m29 = dhlo.softmax %s29 axis = 1 : tensor<?x26xf32, #dhlo.dims<N>>
  %s30 = dhlo.slice %x starts = [0, 31] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x25xf32, #dhlo.dims<N>>
  %m30 = dhlo.softmax %s30 axis = 1 : tensor<?x25xf32, #dhlo.dims<N>>
  %s31 = dhlo.slice %x starts = [0, 32] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x24xf32, #dhlo.dims<N>>
  %m31 = dhlo.softmax %s31 axis = 1 : tensor<?x24xf32, #dhlo.dims<N>>
  %s32 = dhlo.slice %x starts = [0, 33] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x23xf32, #dhlo.dims<N>>
  %m32 = dhlo.softmax %s32 axis = 1 : tensor<?x23xf32, #dhlo.dims<N>>
  %s33 = dhlo.slice %x starts = [0, 34] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x22xf32, #dhlo.dims<N>>
  %m33 = dhlo.softmax %s33 axis = 1 : tensor<?x22xf32, #dhlo.dims<N>>
  %s34 = dhlo.slice %x starts = [0, 35] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x21xf32, #dhlo.dims<N>>
  %m34 = dhlo.softmax %s34 axis = 1 : tensor<?x21xf32, #dhlo.dims<N>>
  %s35 = dhlo.slice %x starts = [0, 36] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x20xf32, #dhlo.dims<N>>
  %m35 = dhlo.softmax %s35 axis = 1 : tensor<?x20xf32, #dhlo.dims<N>>
  %s36 = dhlo.slice %x starts = [0, 37] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x19xf32, #dhlo.dims<N>>
  %m36 = dhlo.softmax %s36 axis = 1 : tensor<?x19xf32, #dhlo.dims<N>>
  %s37 = dhlo.slice %x starts = [0, 38] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x18xf32, #dhlo.dims<N>>
  %m37 = dhlo.softmax %s37 axis = 1 : tensor<?x18xf32, #dhlo.dims<N>>
  %s38 = dhlo.slice %x starts = [0, 39] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x17xf32, #dhlo.dims<N>>
  %m38 = dhlo.softmax %s38 axis = 1 : tensor<?x17xf32, #dhlo.dims<N>>
  %s39 = dhlo.slice %x starts = [0, 40] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %m39 = dhlo.softmax %s39 axis = 1 : tensor<?x16xf32, #dhlo.dims<N>>
  %s40 = dhlo.slice %x starts = [0, 41] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x15xf32, #dhlo.dims<N>>
  %m40 = dhlo.softmax %s40 axis = 1 : tensor<?x15xf32, #dhlo.dims<N>>
  %s41 = dhlo.slice %x starts = [0, 42] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x14xf32, #dhlo.dims<N>>
  %m41 = dhlo.softmax %s41 axis = 1 : tensor<?x14xf32, #dhlo.dims<N>>
  %s42 = dhlo.slice %x starts = [0, 43] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x13xf32, #dhlo.dims<N>>
  %m42 = dhlo.softmax %s42 axis = 1 : tensor<?x13xf32, #dhlo.dims<N>>
  %s43 = dhlo.slice %x starts = [0, 44] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x12xf32, #dhlo.dims<N>>
  %m43 = dhlo.softmax %s43 axis = 1 : tensor<?x12xf32, #dhlo.dims<N>>
  %s44 = dhlo.slice %x starts = [0, 45] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x11xf32, #dhlo.dims<N>>
  %m44 = dhlo.softmax %s44 axis = 1 : tensor<?x11xf32, #dhlo.dims<N>>
  %s45 = dhlo.slice %x starts = [0, 46] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x10xf32, #dhlo.dims<N>>
  %m45 = dhlo.softmax %s45 axis = 1 : tensor<?x10xf32, #dhlo.dims<N>>
  %s46 = dhlo.slice %x starts = [0, 47] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x9xf32, #dhlo.dims<N>>
  %m46 = dhlo.softmax %s46 axis = 1 : tensor<?x9xf32, #dhlo.dims<N>>
  %s47 = dhlo.slice %x starts = [0, 48] strides = [1, 1] : (tensor<?x56xf32, #dhlo.dims<N>>) -> tensor<?x8xf32, #dhlo.dims<N>>
  %m47 = dhlo.softmax %s47 axis = 1 : tensor<?x8xf32, #dhlo.dims<N>>
  return %m0, %m1, %m2, %m3, %m4, %m5, %m6, %m7, %m8, %m9, %m10, %m11, %m12, %m13, %m14, %m15, %m16, %m17, %m18, %m19, %m20, %m21, %m22, %m23, %m24, %m25, %m26, %m27, %m28, %m29, %m30, %m31, %m32, %m33, %m34, %m35, %m36, %m37, %m38, %m39, %m40, %m41, %m42, %m43, %m44, %m45, %m46, %m47 : tensor<?x55xf32, #dhlo.dims<N>>, tensor<?x54xf32, #dhlo.dims<N>>, tensor<?x53xf32, #dhlo.dims<N>>, tensor<?x52xf32, #dhlo.dims<N>>, tensor<?x51xf32, #dhlo.dims<N>>, tensor<?x50xf32, #dhlo.dims<N>>, tensor<?x49xf32, #dhlo.dims<N>>, tensor<?x48xf32, #dhlo.dims<N>>, tensor<?x47xf32, #dhlo.dims<N>>, tensor<?x46xf32, #dhlo.dims<N>>, tensor<?x45xf32, #dhlo.dims<N>>, tensor<?x44xf32, #dhlo.dims<N>>, tensor<?x43xf32, #dhlo.dims<N>>, tensor<?x42xf32, #dhlo.dims<N>>, tensor<?x41xf32, #dhlo.dims<N>>, tensor<?x40xf32, #dhlo.dims<N>>, tensor<?x39xf32, #dhlo.dims<N>>, tensor<?x38xf32, #dhlo.dims<N>>, tensor<?x37xf32, #dhlo.dims<N>>, tensor<?x36xf32, #dhlo.dims<N>>, tensor<?x35xf32, #dhlo.dims<N>>, tensor<?x34xf32, #dhlo.dims<N>>, tensor<?x33xf32, #dhlo.dims<N>>, tensor<?x32xf32, #dhlo.dims<N>>, tensor<?x31xf32, #dhlo.dims<N>>, tensor<?x30xf32, #dhlo.dims<N>>, tensor<?x29xf32, #dhlo.dims<N>>, tensor<?x28xf32, #dhlo.dims<N>>, tensor<?x27xf32, #dhlo.dims<N>>, tensor<?x26xf32, #dhlo.dims<N>>, tensor<?x25xf32, #dhlo.dims<N>>, tensor<?x24xf32, #dhlo.dims<N>>, tensor<?x23xf32, #dhlo.dims<N>>, tensor<?x22xf32, #dhlo.dims<N>>, tensor<?x21xf32, #dhlo.dims<N>>, tensor<?x20xf32, #dhlo.dims<N>>, tensor<?x19xf32, #dhlo.dims<N>>, tensor<?x18xf32, #dhlo.dims<N>>, tensor<?x17xf32, #dhlo.dims<N>>, tensor<?x16xf32, #dhlo.dims<N>>, tensor<?x15xf32, #dhlo.dims<N>>, tensor<?x14xf32, #dhlo.dims<N>>, tensor<?x13xf32, #dhlo.dims<N>>, tensor<?x12xf32, #dhlo.dims<N>>, tensor<?x11xf32, #dhlo.dims<N>>, tensor<?x10xf32, #dhlo.dims<N>>, tensor<?x9xf32, #dhlo.dims<N>>, tensor<?x8xf32, #dhlo.dims<N>>
}

func.func @numbers(%x: tensor<?x16xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?xi64, #dhlo.dims<N>> {dhlo.name = "y0"}, tensor<?xi64, #dhlo.dims<N>> {dhlo.name = "y1"}, tensor<?xi64, #dhlo.dims<N>> {dhlo.name = "y2"}, tensor<?xi64, #dhlo.dims<N>> {dhlo.name = "y3"}, tensor<?xi64, #dhlo.dims<N>> {dhlo.name = "y4"}, tensor<?xi64, #dhlo.dims<N>> {dhlo.name = "y5"}, tensor<?xi64, #dhlo.dims<N>> {dhlo.name = "y6"}, tensor<?xi64, #dhlo.dims<N>> {dhlo.name = "y7"}) attributes {dhlo.entry} {
  %c0 = dhlo.constant dense<5> : tensor<i64>
  %b0 = dhlo.broadcast %c0 axes = [] : (tensor<i64>) -> tensor<?xi64, #dhlo.dims<N>>
  %c1 = dhlo.constant dense<-1> : tensor<i64>
  %b1 = dhlo.broadcast %c1 axes = [] : (tensor<i64>) -> tensor<?xi64, #dhlo.dims<N>>
  %c2 = dhlo.constant dense<7> : tensor<i64>
  %b2 = dhlo.broadcast %c2 axes = [] : (tensor<i64>) -> tensor<?xi64, #dhlo.dims<N>>
  %c3 = dhlo.constant dense<0> : tensor<i64>
  %b3 = dhlo.broadcast %c3 axes = [] : (tensor<i64>) -> tensor<?xi64, #dhlo.dims<N>>
  %c4 = dhlo.constant dense<2> : tensor<i64>
  %b4 = dhlo.broadcast %c4 axes = [] : (tensor<i64>) -> tensor<?xi64, #dhlo.dims<N>>
  %c5 = dhlo.constant dense<9> : tensor<i64>
  %b5 = dhlo.broadcast %c5 axes = [] : (tensor<i64>) -> tensor<?xi64, #dhlo.dims<N>>
  %c6 = dhlo.constant dense<4> : tensor<i64>
  %b6 = dhlo.broadcast %c6 axes = [] : (tensor<i64>) -> tensor<?xi64, #dhlo.dims<N>>
  %c7 = dhlo.constant dense<3> : tensor<i64>
  %b7 = dhlo.broadcast %c7 axes = [] : (tensor<i64>) -> tensor<?xi64, #dhlo.dims<N>>
  return %b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7 : tensor<?xi64, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<N>>
}

func.func @pads(%x: tensor<?x16xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?x16xf32, #dhlo.dims<N>> {dhlo.name = "y0"}, tensor<?x16xf32, #dhlo.dims<N>> {dhlo.name = "y1"}, tensor<?x16xf32, #dhlo.dims<N>> {dhlo.name = "y2"}, tensor<?x16xf32, #dhlo.dims<N>> {dhlo.name = "y3"}, tensor<?x16xf32, #dhlo.dims<N>> {dhlo.name = "y4"}, tensor<?x16xf32, #dhlo.dims<N>> {dhlo.name = "y5"}, tensor<?x16xf32, #dhlo.dims<N>> {dhlo.name = "y6"}, tensor<?x16xf32, #dhlo.dims<N>> {dhlo.name = "y7"}) attributes {dhlo.entry} {
  %z = dhlo.constant dense<0.0> : tensor<f32>
  %s0 = dhlo.slice %x starts = [0, 0] strides = [1, 1] : (tensor<?x16xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %n0 = dhlo.neg %s0 : tensor<?x4xf32, #dhlo.dims<N>>
  %p0 = dhlo.pad %n0, %z constant low = [0, 0] high = [0, 12] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %s1 = dhlo.slice %x starts = [0, 1] strides = [1, 1] : (tensor<?x16xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %n1 = dhlo.neg %s1 : tensor<?x4xf32, #dhlo.dims<N>>
  %p1 = dhlo.pad %n1, %z constant low = [0, 1] high = [0, 11] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %s2 = dhlo.slice %x starts = [0, 2] strides = [1, 1] : (tensor<?x16xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %n2 = dhlo.neg %s2 : tensor<?x4xf32, #dhlo.dims<N>>
  %p2 = dhlo.pad %n2, %z constant low = [0, 2] high = [0, 10] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %s3 = dhlo.slice %x starts = [0, 3] strides = [1, 1] : (tensor<?x16xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %n3 = dhlo.neg %s3 : tensor<?x4xf32, #dhlo.dims<N>>
  %p3 = dhlo.pad %n3, %z constant low = [0, 3] high = [0, 9] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %s4 = dhlo.slice %x starts = [0, 4] strides = [1, 1] : (tensor<?x16xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %n4 = dhlo.neg %s4 : tensor<?x4xf32, #dhlo.dims<N>>
  %p4 = dhlo.pad %n4, %z constant low = [0, 4] high = [0, 8] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %s5 = dhlo.slice %x starts = [0, 5] strides = [1, 1] : (tensor<?x16xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %n5 = dhlo.neg %s5 : tensor<?x4xf32, #dhlo.dims<N>>
  %p5 = dhlo.pad %n5, %z constant low = [0, 5] high = [0, 7] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %s6 = dhlo.slice %x starts = [0, 6] strides = [1, 1] : (tensor<?x16xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %n6 = dhlo.neg %s6 : tensor<?x4xf32, #dhlo.dims<N>>
  %p6 = dhlo.pad %n6, %z constant low = [0, 6] high = [0, 6] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %s7 = dhlo.slice %x starts = [0, 7] strides = [1, 1] : (tensor<?x16xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %n7 = dhlo.neg %s7 : tensor<?x4xf32, #dhlo.dims<N>>
  %p7 = dhlo.pad %n7, %z constant low = [0, 7] high = [0, 5] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?x16xf32, #dhlo.dims<N>>
  return %p0, %p1, %p2, %p3, %p4, %p5, %p6, %p7 : tensor<?x16xf32, #dhlo.dims<N>>, tensor<?x16xf32, #dhlo.dims<N>>, tensor<?x16xf32, #dhlo.dims<N>>, tensor<?x16xf32, #dhlo.dims<N>>, tensor<?x16xf32, #dhlo.dims<N>>, tensor<?x16xf32, #dhlo.dims<N>>, tensor<?x16xf32, #dhlo.dims<N>>, tensor<?x16xf32, #dhlo.dims<N>>
}

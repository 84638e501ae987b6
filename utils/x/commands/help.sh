# ===- help.sh - x help: list the sub-commands -----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cat <<'EOF'
usage: ./x COMMAND [OPTIONS]

  demo             read images with three models, each compiled once
  test [--full]    build everything and run all tests
       [SUITE...]  only these: lit, unit, python
  fuzz [--minutes N] [--seed S]  random programs, compiled and interpreted
  mutate [--sanitize]  damaged files, which tools refuse; with sanitizers
  build [TARGET..] build, installing what is missing
  wheel [--test]   pack compiler, runtime and package; test the wheel in bare systems
  bench [--quick]  measure against ONNX Runtime, OpenVINO and PyTorch
  bench --gemm     GEMM with a constant matrix beside MKL and oneDNN
  bench --rows     softmax, layer norm and the GELU chain, in and out of cache
  bench --static   the cost of dynamic sizes
  bench routes     models that route, on routes that are replayed
  bench compiles   compilations over requests, beside torch.compile
  bench ranks      models on several ranks, in the cases of papers
  bench predict    predicted routes, in the cases of the paper on Brainstorm
  bench zoo        many architectures beside peers, each in its own process
  bench gpu FOLDER pack a folder that measures on a machine with a GPU
  bench --registers  what ptxas makes of the kernels of a GPU, against a table
  bench --runtime  what the runtime costs, by Google Benchmark
  bench --costs    measure compiling, loading and the cost of a call
  fmt [--check]    format C++ and Python files
  lint             check names, licence banners and words
  doc              generate the reference pages and check links
  help             this text

demo and test install what they need: Debian packages by apt, Python packages
into build/venv. Everything else is written below build/.
EOF

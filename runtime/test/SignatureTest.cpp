//===- SignatureTest.cpp - Inputs against the signature -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

using namespace dyn::test;

namespace {
class SignatureTest : public ZooTest {
protected:
  /// Valid inputs of the entry "facts".
  std::vector<Value> facts(int64_t rows = 2, int64_t s = 4) {
    return {Value::iota<int64_t>({rows, s}), Value::iota<int32_t>({rows, s}),
            Value::iota<float>({rows, 3, 2 * s + 1}),
            Value::iota<uint8_t>({rows / (s % 8 ? s % 8 : 1)})};
  }
  dyn_status_t runFacts(const std::vector<Value> &values) {
    return run(execution.get(), "facts", values, output);
  }
};
} // namespace

TEST_F(SignatureTest, BindsSymbols) {
  ASSERT_EQ(runFacts(facts(8, 12)), DYN_STATUS_OK) << dyn_last_error();
  EXPECT_EQ(elements<int64_t>(output), std::vector<int64_t>{8012});
}

TEST_F(SignatureTest, WrongRank) {
  auto values = facts();
  values[1] = Value::iota<int32_t>({8});
  EXPECT_FAILURE(runFacts(values), DYN_STATUS_INVALID_ARGUMENT,
                 "input 'mask': expected rank 2, i32[rows, s], got rank 1");
}

TEST_F(SignatureTest, WrongElementType) {
  auto values = facts();
  values[2] = Value::iota<int64_t>({2, 3, 9});
  EXPECT_FAILURE(runFacts(values), DYN_STATUS_INVALID_ARGUMENT,
                 "input 'past': expected f32[rows, 3, 2 * s + 1], got elements "
                 "of i64");
}

TEST_F(SignatureTest, StaticSizeDiffers) {
  auto values = facts();
  values[2] = Value::iota<float>({2, 4, 9});
  EXPECT_FAILURE(runFacts(values), DYN_STATUS_INVALID_ARGUMENT,
                 "input 'past', axis 1: expected 3 in f32[rows, 3, 2 * s + 1], "
                 "got 4");
}

TEST_F(SignatureTest, EqualSizesDiffer) {
  auto values = facts();
  values[1] = Value::iota<int32_t>({2, 8});
  EXPECT_FAILURE(runFacts(values), DYN_STATUS_INVALID_ARGUMENT,
                 "input 'mask', axis 1: expected s = 4 as in input 'ids', axis "
                 "1, got 8");
}

TEST_F(SignatureTest, ExpressionDiffers) {
  auto values = facts();
  values[2] = Value::iota<float>({2, 3, 10});
  EXPECT_FAILURE(runFacts(values), DYN_STATUS_INVALID_ARGUMENT,
                 "input 'past', axis 2: expected 2 * s + 1 = 9, got 10");
}

TEST_F(SignatureTest, ExpressionHasNoValue) {
  EXPECT_FAILURE(runFacts(facts(2, 8)), DYN_STATUS_INVALID_ARGUMENT,
                 "input 'ratio', axis 0: rows floordiv (s mod 8) has no value "
                 "at these sizes, got 2");
}

TEST_F(SignatureTest, OutsideItsRange) {
  EXPECT_FAILURE(runFacts(facts(9, 4)), DYN_STATUS_INVALID_ARGUMENT,
                 "input 'ids', axis 0: expected rows in [1, 8], got 9");
  EXPECT_FAILURE(runFacts(facts(0, 4)), DYN_STATUS_INVALID_ARGUMENT,
                 "input 'ids', axis 0: expected rows in [1, 8], got 0");
}

TEST_F(SignatureTest, BelowItsBound) {
  EXPECT_FAILURE(runFacts(facts(2, 1)), DYN_STATUS_INVALID_ARGUMENT,
                 "input 'ids', axis 1: expected s of at least 4, got 1");
}

TEST_F(SignatureTest, NotAMultiple) {
  EXPECT_FAILURE(runFacts(facts(2, 6)), DYN_STATUS_INVALID_ARGUMENT,
                 "input 'ids', axis 1: expected s to be a multiple of 4, got "
                 "6");
}

TEST_F(SignatureTest, MissingInput) {
  auto values = facts();
  values.pop_back();
  EXPECT_FAILURE(runFacts(values), DYN_STATUS_INVALID_ARGUMENT,
                 "entry 'facts' takes 4 inputs (ids, mask, past, ratio), got "
                 "3");
}

TEST_F(SignatureTest, NullData) {
  auto options = callOptions(execution.get(), "add");
  int64_t shape[] = {1, 2};
  float data[2] = {};
  dyn_tensor_t inputs[] = {{data, shape, DYN_F32, 2, 0, 0},
                           {nullptr, shape, DYN_F32, 2, 0, 0}};
  EXPECT_FAILURE(
      dyn_execution_run(execution.get(), &options, inputs, 2, &output, 1),
      DYN_STATUS_INVALID_ARGUMENT,
      "input 'y' is missing: expected f32[batch, n], got null");
}

TEST_F(SignatureTest, NullDataOfAnEmptyTensor) {
  auto options = callOptions(execution.get(), "add");
  int64_t shape[] = {0, 2};
  dyn_tensor_t inputs[] = {{nullptr, shape, DYN_F32, 2, 0, 0},
                           {nullptr, shape, DYN_F32, 2, 0, 0}};
  EXPECT_EQ(dyn_execution_run(execution.get(), &options, inputs, 2, &output, 1),
            DYN_STATUS_OK);
  EXPECT_EQ(shapeOf(output), (std::vector<int64_t>{0, 2}));
  EXPECT_NE(output.data, nullptr);
}

TEST_F(SignatureTest, MisalignedData) {
  auto options = callOptions(execution.get(), "add");
  alignas(8) char bytes[16] = {};
  int64_t shape[] = {1, 1};
  dyn_tensor_t inputs[] = {{bytes, shape, DYN_F32, 2, 0, 0},
                           {bytes + 1, shape, DYN_F32, 2, 0, 0}};
  EXPECT_EQ(dyn_execution_run(execution.get(), &options, inputs, 2, &output, 1),
            DYN_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(dyn_last_error())
                .find("input 'y': expected data aligned to 4 bytes, got 0x"),
            0u);
}

TEST_F(SignatureTest, NegativeAndHugeSizes) {
  auto options = callOptions(execution.get(), "add");
  float data[2] = {};
  int64_t negative[] = {1, -1}, huge[] = {2, INT64_MAX / 2};
  dyn_tensor_t first = {data, negative, DYN_F32, 2, 0, 0};
  dyn_tensor_t inputs[] = {first, first};
  EXPECT_FAILURE(
      dyn_execution_run(execution.get(), &options, inputs, 2, &output, 1),
      DYN_STATUS_INVALID_ARGUMENT,
      "input 'x', axis 1: the size -1 is negative");
  inputs[0].shape = huge;
  EXPECT_FAILURE(
      dyn_execution_run(execution.get(), &options, inputs, 2, &output, 1),
      DYN_STATUS_INVALID_ARGUMENT,
      "input 'x': the number of bytes does not fit in 63 bits");
}

TEST_F(SignatureTest, OtherDevice) {
  auto options = callOptions(execution.get(), "add");
  float data[1] = {};
  int64_t shape[] = {1, 1};
  dyn_tensor_t inputs[] = {{data, shape, DYN_F32, 2, DYN_DEVICE_CUDA, 0},
                           {data, shape, DYN_F32, 2, 0, 0}};
  EXPECT_FAILURE(
      dyn_execution_run(execution.get(), &options, inputs, 2, &output, 1),
      DYN_STATUS_UNSUPPORTED,
      "input 'x': expected a tensor in the CPU's memory, got device 1");
}

TEST_F(SignatureTest, NullShape) {
  auto options = callOptions(execution.get(), "add");
  dyn_tensor_t inputs[2] = {{nullptr, nullptr, DYN_F32, 2, 0, 0}, {}};
  EXPECT_FAILURE(
      dyn_execution_run(execution.get(), &options, inputs, 2, &output, 1),
      DYN_STATUS_INVALID_ARGUMENT, "input 'x': the shape is null");
}

TEST_F(SignatureTest, NullInputsAndOutputs) {
  auto options = callOptions(execution.get(), "add");
  EXPECT_FAILURE(
      dyn_execution_run(execution.get(), &options, nullptr, 2, &output, 1),
      DYN_STATUS_INVALID_ARGUMENT, "inputs is null");
  EXPECT_FAILURE(
      dyn_execution_run(execution.get(), &options, nullptr, 2, nullptr, 1),
      DYN_STATUS_INVALID_ARGUMENT,
      "entry 'add' has 1 outputs: expected an array of as many, got 0");
  options.entry = 99;
  EXPECT_FAILURE(
      dyn_execution_run(execution.get(), &options, nullptr, 2, &output, 1),
      DYN_STATUS_INVALID_ARGUMENT,
      "entry 99 does not exist: the artifact has 16");
}

//===----------------------------------------------------------------------===//
// Description
//===----------------------------------------------------------------------===//

TEST_F(SignatureTest, DescribesPorts) {
  uint32_t entry = 0;
  ASSERT_EQ(dyn_artifact_find_entry(artifact.get(), "facts", &entry),
            DYN_STATUS_OK);
  dyn_entry_info_t info = {sizeof(info)};
  ASSERT_EQ(dyn_artifact_entry(artifact.get(), entry, &info), DYN_STATUS_OK);
  EXPECT_STREQ(info.name, "facts");
  EXPECT_EQ(info.input_count, 4u);
  EXPECT_EQ(info.output_count, 1u);
  EXPECT_EQ(info.dim_count, 2u);
  dyn_port_info_t port = {sizeof(port)};
  ASSERT_EQ(dyn_artifact_input(artifact.get(), entry, 2, &port), DYN_STATUS_OK);
  EXPECT_STREQ(port.name, "past");
  EXPECT_EQ(port.dtype, DYN_F32);
  ASSERT_EQ(port.rank, 3u);
  EXPECT_EQ(port.extents[0], -1);
  EXPECT_EQ(port.extents[1], 3);
  EXPECT_STREQ(port.sizes[2], "2 * s + 1");
  EXPECT_STREQ(port.text, "f32[rows, 3, 2 * s + 1]");
  ASSERT_EQ(dyn_artifact_output(artifact.get(), entry, 0, &port),
            DYN_STATUS_OK);
  EXPECT_STREQ(port.text, "i64[]");
  dyn_dim_info_t dim = {sizeof(dim)};
  ASSERT_EQ(dyn_artifact_dim(artifact.get(), entry, 1, &dim), DYN_STATUS_OK);
  EXPECT_STREQ(dim.name, "s");
  EXPECT_EQ(dim.min, 4);
  EXPECT_EQ(dim.max, INT64_MAX);
  EXPECT_EQ(dim.multiple_of, 4);
  EXPECT_EQ(dim.likely, 16);
}

TEST_F(SignatureTest, RefusesUnknownNumbers) {
  dyn_port_info_t port = {sizeof(port)};
  dyn_dim_info_t dim = {sizeof(dim)};
  dyn_entry_info_t info = {sizeof(info)};
  uint32_t entry;
  EXPECT_FAILURE(dyn_artifact_input(artifact.get(), 0, 2, &port),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "input 2 does not exist: entry 'add' has 2");
  EXPECT_FAILURE(dyn_artifact_output(artifact.get(), 0, 1, &port),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "output 1 does not exist: entry 'add' has 1");
  EXPECT_FAILURE(dyn_artifact_dim(artifact.get(), 0, 2, &dim),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "size 2 does not exist: entry 'add' has 2");
  EXPECT_FAILURE(dyn_artifact_entry(artifact.get(), 16, &info),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "entry 16 does not exist: the artifact has 16");
  EXPECT_FAILURE(
      dyn_artifact_find_entry(artifact.get(), "main", &entry),
      DYN_STATUS_INVALID_ARGUMENT,
      "entry 'main' does not exist: expected one of 'add', 'facts', 'gather', "
      "'take', 'reverse', 'together', 'random', 'steps', 'mode', 'route', "
      "'halves', 'half', 'breach', 'chains', 'guess', 'guess_fail'");
}

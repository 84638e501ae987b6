//===- TraceTest.cpp - Recordings -----------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include <clocale>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace dyn::test;

namespace {
class TraceTest : public ZooTest {
protected:
  Trace makeTrace(uint64_t events = 0) {
    dyn_trace_options_t options = {sizeof(options), events};
    dyn_trace_t *trace = nullptr;
    EXPECT_EQ(dyn_trace_create(&options, &trace), DYN_STATUS_OK);
    return Trace(trace);
  }
  void record(dyn_execution_t *execution, dyn_trace_t *trace) {
    auto options = callOptions(execution, "add");
    options.trace = trace;
    Value x = Value::iota<float>({2, 5000});
    ASSERT_EQ(run(execution, options, {x, x}, output), DYN_STATUS_OK);
  }
  std::string read(dyn_trace_t *trace) {
    char path[] = "/tmp/dyn-trace-XXXXXX";
    ::close(::mkstemp(path));
    EXPECT_EQ(dyn_trace_write(trace, path), DYN_STATUS_OK);
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    ::unlink(path);
    return text.str();
  }
};
} // namespace

TEST_F(TraceTest, RecordsCallsAndKernels) {
  Trace trace = makeTrace();
  record(execution.get(), trace.get());
  EXPECT_EQ(dyn_trace_events(trace.get()), 2u);
  std::string text = read(trace.get());
  EXPECT_NE(text.find("{\"ph\":\"X\",\"name\":\"add\",\"cat\":\"loop\",\"pid\":"
                      "0,\"tid\":0,\"ts\":"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\"args\":{\"items\":10000,\"flops\":10000,\"bytes\":"
                      "120000}"),
            std::string::npos);
  EXPECT_NE(text.find("\"cat\":\"call\""), std::string::npos);
  EXPECT_NE(text.find("],\"otherData\":{\"dropped\":\"0\"}}"),
            std::string::npos);
}

/// JSON has decimal points, also if the host's locale has commas.
TEST_F(TraceTest, LocaleOfTheHost) {
  char folder[] = "/tmp/dyn-locale-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  std::string make =
      std::string("localedef -i de_DE -f UTF-8 ") + folder + "/de >/dev/null";
  bool made = std::system((make + " 2>&1").c_str()) == 0;
  ::setenv("LOCPATH", folder, 1);
  std::string text, message;
  bool set = made && std::setlocale(LC_ALL, "de");
  if (set) {
    Trace trace = makeTrace();
    record(execution.get(), trace.get());
    text = read(trace.get());
    auto options = callOptions(execution.get(), "steps");
    options.timeout_ns = 1500000;
    EXPECT_EQ(run(execution.get(), options, {Value::scalar(INT64_MAX)}, output),
              DYN_STATUS_DEADLINE_EXCEEDED);
    message = dyn_last_error();
  }
  std::setlocale(LC_ALL, "C");
  ::unsetenv("LOCPATH");
  EXPECT_EQ(std::system((std::string("rm -rf ") + folder).c_str()), 0);
  if (!set)
    GTEST_SKIP() << "no sources of locales";
  EXPECT_NE(message.find("1.500 ms"), std::string::npos) << message;
  size_t time = text.find("\"ts\":");
  ASSERT_NE(time, std::string::npos);
  EXPECT_EQ(text[text.find_first_not_of("0123456789", time + 5)], '.') << text;
}

TEST_F(TraceTest, RecordsChains) {
  Pool pool = makePool(2);
  Context parallel = makeContext(artifact.get(), pool.get());
  Execution two = makeExecution(parallel.get());
  Trace trace = makeTrace();
  auto options = callOptions(two.get(), "chains");
  options.trace = trace.get();
  Value x = Value::iota<int64_t>({8, 100});
  ASSERT_EQ(run(two.get(), options, {x}, output), DYN_STATUS_OK);
  std::string text = read(trace.get());
  EXPECT_NE(text.find("\"name\":\"chains\",\"cat\":\"launch\""),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\"args\":{\"items\":4,"), std::string::npos);
  EXPECT_NE(text.find("\"name\":\"reverse\""), std::string::npos);
}

TEST_F(TraceTest, RecordsKernelsTogether) {
  Pool pool = makePool(2);
  Context parallel = makeContext(artifact.get(), pool.get());
  Execution two = makeExecution(parallel.get());
  Trace trace = makeTrace();
  auto options = callOptions(two.get(), "together");
  options.trace = trace.get();
  Value x = Value::iota<int64_t>({8, 100});
  ASSERT_EQ(run(two.get(), options, {x}, output), DYN_STATUS_OK);
  std::string text = read(trace.get());
  // 3 and 800 numbers and 8 rows, and each kernel by its name.
  EXPECT_NE(text.find("\"name\":\"together\",\"cat\":\"launch\""),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\"args\":{\"items\":811,"), std::string::npos);
  EXPECT_NE(text.find("\"name\":\"random\""), std::string::npos);
  EXPECT_NE(text.find("\"name\":\"reverse\""), std::string::npos);
}

TEST_F(TraceTest, OutlivesItsExecutions) {
  Trace trace = makeTrace();
  for (int i = 0; i < 2; ++i) {
    Execution another = makeExecution(context.get());
    record(another.get(), trace.get());
  }
  execution.reset();
  context.reset();
  artifact.reset();
  std::string text = read(trace.get());
  EXPECT_NE(text.find("\"name\":\"execution 1\""), std::string::npos);
  EXPECT_NE(text.find("\"name\":\"add\""), std::string::npos);
}

/// An execution has one lane in a trace, also if it alternates between traces.
TEST_F(TraceTest, OneLaneForAnExecution) {
  Trace first = makeTrace(), second = makeTrace();
  for (int i = 0; i < 3; ++i)
    for (dyn_trace_t *trace : {first.get(), second.get()})
      record(execution.get(), trace);
  EXPECT_EQ(dyn_trace_events(first.get()), 6u);
  EXPECT_NE(read(first.get()).find("\"execution 0\""), std::string::npos);
  EXPECT_EQ(read(first.get()).find("\"execution 1\""), std::string::npos);
}

/// Events take memory only when they are recorded.
TEST_F(TraceTest, RoomForManyEvents) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer notes who allocated each word";
#endif
  auto resident = [] {
    uint64_t pages = 0, all = 0;
    std::ifstream("/proc/self/statm") >> all >> pages;
    return pages * uint64_t(::sysconf(_SC_PAGESIZE));
  };
  uint64_t before = resident();
  Trace trace = makeTrace(1 << 22);
  record(execution.get(), trace.get());
  EXPECT_LT(resident(), before + (64 << 20));
  EXPECT_EQ(dyn_trace_events(trace.get()), 2u);
}

/// Writing a recording does not block the calls that add to it.
TEST_F(TraceTest, IsWrittenWhileCallsAdd) {
  std::vector<Trace> traces;
  for (int i = 0; i < 20; ++i)
    traces.push_back(makeTrace(1000));
  std::atomic<size_t> current{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      Execution mine = makeExecution(context.get());
      auto options = callOptions(mine.get(), "add");
      Value x = Value::iota<float>({1, 3});
      dyn_tensor_t sum = {};
      for (size_t at; (at = current) < traces.size();) {
        options.trace = traces[at].get();
        EXPECT_EQ(run(mine.get(), options, {x, x}, sum), DYN_STATUS_OK);
      }
    });
  for (; current < traces.size(); ++current) {
    while (dyn_trace_events(traces[current].get()) < 10)
      std::this_thread::yield();
    std::string text = read(traces[current].get());
    EXPECT_EQ(text.substr(text.size() - 3), "}}\n");
  }
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(TraceTest, DropsWhatDoesNotFit) {
  Trace trace = makeTrace(3);
  record(execution.get(), trace.get());
  record(execution.get(), trace.get());
  EXPECT_EQ(dyn_trace_events(trace.get()), 3u);
  EXPECT_EQ(dyn_trace_dropped(trace.get()), 1u);
}

TEST_F(TraceTest, EmptyRecordingIsAFile) {
  Trace trace = makeTrace();
  EXPECT_EQ(read(trace.get()), "{\"displayTimeUnit\":\"ns\",\"traceEvents\":["
                               "\n],\"otherData\":{\"dropped\":\"0\"}}\n");
}

TEST_F(TraceTest, Failures) {
  Trace trace = makeTrace();
  EXPECT_FAILURE(dyn_trace_write(trace.get(), "/nonexistent/t.json"),
                 DYN_STATUS_IO_ERROR,
                 "cannot write '/nonexistent/t.json': No such file or "
                 "directory");
  EXPECT_FAILURE(dyn_trace_write(trace.get(), nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "trace or path is null");
  dyn_trace_options_t options = {sizeof(options), UINT64_MAX};
  dyn_trace_t *out = nullptr;
  EXPECT_FAILURE(dyn_trace_create(&options, &out), DYN_STATUS_INVALID_ARGUMENT,
                 "a trace keeps at most 4294967296 events, got "
                 "18446744073709551615");
}

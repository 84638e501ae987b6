//===- ProfileTest.cpp - Recording which paths cells take -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include <csignal>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace dyn::test;

namespace {
/// A name that no other test uses.
class Scratch {
public:
  Scratch() {
    ::close(::mkstemp(name));
    ::unlink(name);
  }
  ~Scratch() { ::unlink(name); }
  const char *path() const { return name; }
  std::string text() const { return textOf(name); }
  static std::string textOf(const std::string &path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

private:
  char name[32] = "/tmp/dyn-profile-XXXXXX";
};

class ProfileTest : public ZooTest {
protected:
  ~ProfileTest() override {
    if (active)
      dyn_profile_stop(active.get());
  }
  Profile make(const dyn_profile_options_t &given = {}) {
    dyn_profile_options_t options = given;
    options.struct_size = sizeof(options);
    dyn_profile_t *profile = nullptr;
    EXPECT_EQ(dyn_profile_create(&options, &profile), DYN_STATUS_OK)
        << dyn_last_error();
    return Profile(profile);
  }
  void start(const dyn_profile_options_t &options = {}) {
    active = make(options);
    ASSERT_EQ(dyn_profile_start(active.get()), DYN_STATUS_OK)
        << dyn_last_error();
  }
  void route(dyn_execution_t *execution, std::vector<int64_t> ids,
             int64_t choices = 1) {
    dyn_tensor_t rows = {};
    std::vector<int64_t> shape = {int64_t(ids.size()) / choices, choices};
    ASSERT_EQ(run(execution, "route", {Value::of(ids, shape)}, rows),
              DYN_STATUS_OK)
        << dyn_last_error();
  }
  std::string text() {
    Scratch file;
    EXPECT_EQ(dyn_profile_write(active.get(), file.path()), DYN_STATUS_OK);
    return file.text();
  }
  static void expectFind(const std::string &text, const std::string &part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  /// The text of a file once it contains a part, or after four seconds.
  static std::string awaitText(const std::string &path,
                               const std::string &part) {
    for (int i = 0; i < 200; ++i) {
      std::string text = Scratch::textOf(path);
      if (text.find(part) != std::string::npos)
        return text;
      ::usleep(20000);
    }
    return Scratch::textOf(path);
  }
  Profile active;
};
} // namespace

TEST_F(ProfileTest, Records) {
  dyn_profile_options_t options = {};
  options.window_ms = 86400000;
  start(options);
  route(execution.get(), {0, 3, 3, -1, 1, 2}, 2);
  std::string all = text();
  expectFind(all, "{\"dyn_profile\": 1,\n");
  expectFind(all, "{\"key\": \"layers.0\",\n   \"label\": \"experts\",\n   "
                  "\"cell\": \"token\",\n   \"paths\": 4,\n   \"fingerprint\": "
                  "\"00000000000000aa\",\n   \"window_ms\": 86400000,");
  expectFind(all, "\"calls\": 1, \"cells\": 3, \"dropped\": 0, \"hottest\": 2, "
                  "\"load\": [1,1,1,2], \"pairs\": [[0,3,1],[1,2,1]]}");
  // Cell 0 from {0, 3} to {0, 1}, cell 1 from 3 to 0, cell 2 from {1, 2} to
  // {2, 3}.
  expectFind(all, "\"load\": [2,1,1,1], \"pairs\": [[0,1,1],[2,3,1]], "
                  "\"transitions\": [[0,0,1],[0,1,1],[1,2,1],[1,3,1],[2,2,1],"
                  "[2,3,1],[3,0,2],[3,1,1]]}");
  // The same routes as the first, though their cells are sorted.
  expectFind(all, "{\"key\": \"sorted\",\n   \"paths\": 4,\n   \"after\": "
                  "\"layers.0\",\n   \"after_paths\": 4,");
  expectFind(all, "\"pairs\": [[0,3,1],[1,2,1]], \"transitions\": [[0,0,1],"
                  "[0,3,1],[1,1,1],[1,2,1],[2,1,1],[2,2,1],[3,0,1],[3,3,2]]}");
  EXPECT_EQ(dyn_profile_decisions(active.get()), 15u);
  EXPECT_EQ(dyn_profile_lost(active.get()), 0u);
}

TEST_F(ProfileTest, RecordsBetweenStartAndStop) {
  route(execution.get(), {0});
  start();
  route(execution.get(), {1, 1});
  EXPECT_EQ(dyn_profile_stop(active.get()), DYN_STATUS_OK);
  route(execution.get(), {2});
  EXPECT_EQ(dyn_profile_decisions(active.get()), 6u);
  EXPECT_EQ(dyn_profile_stop(active.get()), DYN_STATUS_OK);
  EXPECT_EQ(dyn_profile_start(active.get()), DYN_STATUS_OK);
  route(execution.get(), {3});
  EXPECT_EQ(dyn_profile_decisions(active.get()), 9u);
}

TEST_F(ProfileTest, EmptyCalls) {
  start();
  route(execution.get(), {});
  route(execution.get(), {-1, -1}, 2);
  expectFind(text(), "\"calls\": 2, \"cells\": 1, \"dropped\": 1, \"hottest\": "
                     "0, \"load\": [0,0,0,0]");
}

TEST_F(ProfileTest, FailedCallsShowNothing) {
  start();
  EXPECT_FAILURE(
      run(execution.get(), "breach", {Value::scalar<int64_t>(9)}, output),
      DYN_STATUS_INTERNAL,
      "compiled code shows 1 cells with 1 choices of router 3 of 3");
  EXPECT_EQ(dyn_profile_decisions(active.get()), 0u);
}

TEST_F(ProfileTest, OneAtATime) {
  start();
  Profile other = make();
  EXPECT_FAILURE(dyn_profile_start(other.get()), DYN_STATUS_BUSY,
                 "another profile records already: expected dyn_profile_stop "
                 "first");
  EXPECT_FAILURE(dyn_profile_start(active.get()), DYN_STATUS_BUSY,
                 "this profile records already: expected dyn_profile_stop "
                 "first");
  EXPECT_EQ(dyn_profile_stop(other.get()), DYN_STATUS_OK);
  route(execution.get(), {0});
  EXPECT_EQ(dyn_profile_decisions(active.get()), 3u);
}

TEST_F(ProfileTest, RefusesWhatItCannotDo) {
  dyn_profile_options_t options = {};
  options.struct_size = sizeof(options);
  dyn_profile_t *profile = nullptr;
  options.window_ms = 86400001;
  EXPECT_FAILURE(dyn_profile_create(&options, &profile),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "dyn_profile_options_t: expected windows of at most a day, "
                 "got 86400001 ms");
  options.window_ms = 0;
  options.path = "/nonexistent/p.json";
  EXPECT_FAILURE(dyn_profile_create(&options, &profile), DYN_STATUS_IO_ERROR,
                 "cannot write '/nonexistent/p.json': No such file or "
                 "directory");
  options.path = nullptr;
  options.raw_path = "/nonexistent/r.json";
  EXPECT_FAILURE(dyn_profile_create(&options, &profile), DYN_STATUS_IO_ERROR,
                 "cannot write '/nonexistent/r.json': No such file or "
                 "directory");
  EXPECT_EQ(profile, nullptr);
  EXPECT_FAILURE(dyn_profile_create(nullptr, nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "out_profile is null");
  EXPECT_FAILURE(dyn_profile_start(nullptr), DYN_STATUS_INVALID_ARGUMENT,
                 "profile is null");
  Profile made = make();
  EXPECT_FAILURE(dyn_profile_write(made.get(), nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "path is null");
  EXPECT_FAILURE(dyn_profile_write(made.get(), "/nonexistent/p.json"),
                 DYN_STATUS_IO_ERROR,
                 "cannot write '/nonexistent/p.json': No such file or "
                 "directory");
  EXPECT_EQ(dyn_profile_decisions(nullptr), 0u);
  EXPECT_EQ(dyn_profile_lost(nullptr), 0u);
}

// Threads contend for a queue that is too small for them; nothing is lost.
TEST_F(ProfileTest, LosesNothingWithManyThreads) {
  const int threads = 8, calls = 500, cells = 32;
  for (uint64_t queue : {1, 4096, 0}) {
    dyn_profile_options_t options = {};
    options.queue_bytes = queue;
    options.window_ms = 1;
    options.table_bytes = 4096;
    start(options);
    std::vector<std::thread> running;
    for (int thread = 0; thread < threads; ++thread)
      running.emplace_back([&, thread] {
        Execution mine = makeExecution(context.get());
        std::vector<int64_t> ids(cells * 2, -1);
        for (int cell = 0; cell < cells; ++cell)
          ids[cell * 2] = thread % 4, ids[cell * 2 + 1] = (thread + 1) % 4;
        for (int call = 0; call < calls; ++call)
          route(mine.get(), ids, 2);
      });
    // The profile is read meanwhile.
    for (int i = 0; i < 20; ++i)
      text();
    for (std::thread &thread : running)
      thread.join();
    EXPECT_EQ(dyn_profile_decisions(active.get()),
              uint64_t(threads) * calls * cells * 2 * 3);
    EXPECT_EQ(dyn_profile_lost(active.get()), 0u);
    ASSERT_EQ(dyn_profile_stop(active.get()), DYN_STATUS_OK);
  }
}

// Starts and stops from several threads, while calls run.
TEST_F(ProfileTest, StartsAndStopsAtAnyTime) {
  active = make();
  std::vector<std::thread> running;
  for (int thread = 0; thread < 3; ++thread)
    running.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        dyn_profile_start(active.get());
        EXPECT_EQ(dyn_profile_stop(active.get()), DYN_STATUS_OK);
      }
    });
  for (int i = 0; i < 300; ++i)
    route(execution.get(), {0, 1});
  for (std::thread &thread : running)
    thread.join();
  EXPECT_EQ(dyn_profile_decisions(active.get()) % 6, 0u);
}

// A host releases all objects while the profile records.
TEST_F(ProfileTest, OutlivesArtifacts) {
  start();
  dyn_profile_t *recording = active.get();
  dyn_profile_retain(recording);
  active.reset();
  route(execution.get(), {0, 1});
  execution.reset();
  context.reset();
  artifact.reset();
  active.reset(recording);
  expectFind(text(), "\"key\": \"layers.1\"");
  // The same artifact again adds to the same tables.
  artifact = load(artifactPath("zoo.so"));
  context = makeContext(artifact.get());
  execution = makeExecution(context.get());
  route(execution.get(), {0, 1});
  EXPECT_EQ(dyn_profile_decisions(active.get()), 12u);
  std::string all = text();
  EXPECT_EQ(all.find("layers.1\",\n   \"label\""),
            all.rfind("layers.1\",\n   \"label\""));
}

TEST_F(ProfileTest, Raw) {
  Scratch file;
  dyn_profile_options_t options = {};
  options.raw_path = file.path();
  start(options);
  route(execution.get(), {0, 3, -1, -1}, 2);
  route(execution.get(), {2});
  ASSERT_EQ(dyn_profile_stop(active.get()), DYN_STATUS_OK);
  std::string all = file.text();
  EXPECT_EQ(all.find("{\"dyn_profile_raw\":1}\n{\"router\":0,\"paths\":4,"
                     "\"key\":\"layers.0\",\"label\":\"experts\",\"cell\":"
                     "\"token\",\"fingerprint\":\"00000000000000aa\"}\n"
                     "{\"router\":0,\"ms\":"),
            0u)
      << all;
  expectFind(all, ",\"call\":0,\"choices\":2,\"chosen\":[0,3,-1,-1]}\n");
  expectFind(all, ",\"call\":1,\"choices\":1,\"chosen\":[3]}\n");
}

// The profile is written to its path when it stops.
TEST_F(ProfileTest, WritesItsPath) {
  Scratch file;
  std::string pattern = std::string(file.path()) + ".%%.%p";
  dyn_profile_options_t options = {};
  options.path = pattern.c_str();
  options.write_ms = 1;
  options.window_ms = 86400000; // both routes in one window
  start(options);
  std::string path =
      std::string(file.path()) + ".%." + std::to_string(getpid());
  EXPECT_EQ(Scratch::textOf(path).find("layers"), std::string::npos);
  route(execution.get(), {0});
  // The thread of the profile writes it meanwhile.
  expectFind(awaitText(path, "layers"), "layers.0");
  route(execution.get(), {1});
  ASSERT_EQ(dyn_profile_stop(active.get()), DYN_STATUS_OK);
  expectFind(Scratch::textOf(path), "\"load\": [1,1,0,0]");
  ::unlink(path.c_str());
}

TEST_F(ProfileTest, RawFileThatIsFull) {
  dyn_profile_options_t options = {};
  options.struct_size = sizeof(options);
  options.raw_path = "/dev/full";
  dyn_profile_t *profile = nullptr;
  EXPECT_FAILURE(dyn_profile_create(&options, &profile), DYN_STATUS_IO_ERROR,
                 "cannot write '/dev/full': No space left on device");
  Scratch file;
  options.raw_path = file.path();
  start(options);
  route(execution.get(), {0, 1, 2, 3});
  // Files cannot grow any more.
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before, none;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
  dyn_status_t status = dyn_profile_stop(active.get());
  std::string message = dyn_last_error();
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(status, DYN_STATUS_IO_ERROR);
  EXPECT_EQ(message,
            "cannot write '" + std::string(file.path()) + "': File too large");
}

// Names are relative to the folder in which the profile was made.
TEST_F(ProfileTest, HostsThatChangeTheirFolder) {
  char folder[] = "/tmp/dyn-%p-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  char *before = ::getcwd(nullptr, 0);
  ASSERT_EQ(::chdir(folder), 0);
  dyn_profile_options_t options = {};
  options.path = "%p.json";
  options.raw_path = "raw.jsonl";
  start(options);
  ASSERT_EQ(::chdir(before), 0);
  std::free(before);
  route(execution.get(), {1});
  EXPECT_EQ(dyn_profile_stop(active.get()), DYN_STATUS_OK) << dyn_last_error();
  std::string path =
      std::string(folder) + "/" + std::to_string(::getpid()) + ".json";
  expectFind(Scratch::textOf(path), "layers.0");
  ::unlink(path.c_str());
  EXPECT_EQ(::unlink((std::string(folder) + "/raw.jsonl").c_str()), 0);
  EXPECT_EQ(::rmdir(folder), 0);
}

// The interval between two files is longer than any clock runs.
TEST_F(ProfileTest, WritesNotBeforeItsTime) {
  Scratch file;
  dyn_profile_options_t options = {};
  options.path = file.path();
  options.write_ms = UINT64_MAX;
  start(options);
  route(execution.get(), {0});
  ::usleep(120000);
  EXPECT_EQ(file.text().find("layers"), std::string::npos);
  ASSERT_EQ(dyn_profile_stop(active.get()), DYN_STATUS_OK);
  expectFind(file.text(), "layers");
}

// A forked child starts with empty tables, a thread of its own and none of its
// parent's files.
TEST_F(ProfileTest, Forks) {
  if (!forksAreFollowed)
    GTEST_SKIP() << "sanitizers do not follow threads that start after a fork";
  Scratch file, child, raw;
  dyn_profile_options_t options = {};
  options.path = file.path();
  options.raw_path = raw.path();
  start(options);
  route(execution.get(), {0, 0, 0});
  pid_t pid = ::fork();
  if (pid == 0) {
    for (int i = 0; i < 10; ++i)
      route(execution.get(), {1});
    bool isRight =
        dyn_profile_decisions(active.get()) == 30 &&
        dyn_profile_write(active.get(), child.path()) == DYN_STATUS_OK &&
        dyn_profile_stop(active.get()) == DYN_STATUS_OK;
    ::_exit(isRight ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
  expectFind(child.text(), "\"load\": [0,10,0,0]");
  EXPECT_EQ(dyn_profile_decisions(active.get()), 9u);
  ASSERT_EQ(dyn_profile_stop(active.get()), DYN_STATUS_OK);
  expectFind(file.text(), "\"load\": [3,0,0,0]");
  EXPECT_EQ(raw.text().find("\"chosen\":[1]"), std::string::npos);
}

// The thread of a child writes its file, too.
TEST_F(ProfileTest, ForkedChildWritesItsPath) {
  if (!forksAreFollowed)
    GTEST_SKIP() << "sanitizers do not follow threads that start after a fork";
  Scratch file;
  std::string pattern = std::string(file.path()) + ".%p";
  dyn_profile_options_t options = {};
  options.path = pattern.c_str();
  options.write_ms = 1;
  start(options);
  pid_t pid = ::fork();
  std::string path =
      std::string(file.path()) + "." + std::to_string(pid ? pid : ::getpid());
  if (pid == 0) {
    route(execution.get(), {1, 1});
    bool isWritten = awaitText(path, "\"load\": [0,2,0,0]").find("layers") !=
                     std::string::npos;
    ::_exit(isWritten ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
  ::unlink(path.c_str());
}

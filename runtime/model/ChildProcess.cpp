//===- ChildProcess.cpp - A compiler with limits --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChildProcess.h"

#include "Clock.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

using namespace dyn::rt;

/// The end of a text file, on one line.
static std::string readTail(const std::string &path) {
  std::string text;
  if (std::FILE *file = std::fopen(path.c_str(), "rb")) {
    char buffer[400];
    if (std::fseek(file, -long(sizeof(buffer)), SEEK_END) != 0)
      std::rewind(file);
    text.assign(buffer, std::fread(buffer, 1, sizeof(buffer), file));
    std::fclose(file);
  }
  for (char &c : text)
    c = (c == '\n') ? ' ' : c;
  while (!text.empty() && text.back() == ' ')
    text.pop_back();
  return text.empty() ? text : ": " + text;
}

/// Starts the program in a process group of its own. An errno, or 0.
static int spawn(const std::vector<std::string> &command,
                 const std::string &folder, const std::string &log,
                 pid_t &child) {
  std::vector<char *> arguments, variables;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  std::string temporary = "TMPDIR=" + folder;
  for (char **variable = environ; *variable; ++variable)
    if (std::strncmp(*variable, "TMPDIR=", 7) != 0)
      variables.push_back(*variable);
  variables.insert(variables.end(), {temporary.data(), nullptr});

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (int code = ::posix_spawn_file_actions_init(&actions))
    return code;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  // Threads of the runtime block signals; the program must not.
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  short flags =
      POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  // Calls of a host in real time would wait for a child in real time.
  if (int policy = ::sched_getscheduler(0);
      policy == SCHED_FIFO || policy == SCHED_RR) {
    sched_param none = {};
    ::posix_spawnattr_setschedpolicy(&attributes, SCHED_OTHER);
    ::posix_spawnattr_setschedparam(&attributes, &none);
    flags |= POSIX_SPAWN_SETSCHEDULER;
  }
  ::posix_spawnattr_setflags(&attributes, flags);
  int code = ::posix_spawnp(&child, arguments[0], &actions, &attributes,
                            arguments.data(), variables.data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return code;
}

/// Below the host by so much that calls without a pause on one processor leave
/// it a twelfth of the time, and take 1.085 times as long. A fixed priority is
/// nothing beside a host at a high one, and more than that of a host at a low
/// one.
static constexpr int niceOfChild = 11;

static void limitChild(pid_t child, const ChildLimits &limits) {
  rlimit cpu = {limits.cpuSeconds, limits.cpuSeconds + 1};
  rlimit file = {limits.fileBytes, limits.fileBytes};
  ::prlimit(child, RLIMIT_CPU, &cpu, nullptr);
  ::prlimit(child, RLIMIT_FSIZE, &file, nullptr);
  ::setpriority(PRIO_PROCESS, id_t(child),
                ::getpriority(PRIO_PROCESS, 0) + niceOfChild);
}

std::string dyn::rt::runChild(const std::vector<std::string> &command,
                              const std::string &folder,
                              const ChildLimits &limits,
                              const std::atomic<int32_t> &cancel) {
  const std::string log = folder + "/log";
  const uint64_t begin = now();
  pid_t child = 0;
  if (int code = spawn(command, folder, log, child))
    return "cannot start '" + command[0] + "': " + std::strerror(code);
  limitChild(child, limits);
  std::string reason;
  int status = 0;
  rusage used = {};
  for (;;) {
    pid_t ended = ::wait4(child, &status, WNOHANG, &used);
    if (ended == child)
      break;
    if (ended < 0 && errno == ECHILD) {
      // The host waits for all children. Whether there is a file decides.
      status = 0;
      break;
    }
    if (cancel.load())
      reason = "cancelled";
    else if (now() - begin > limits.wallMs * 1000000)
      reason = "it ran for more than " + std::to_string(limits.wallMs) + " ms";
    if (!reason.empty()) {
      ::kill(-child, SIGKILL);
      ::waitpid(child, &status, 0);
      return reason;
    }
    ::usleep(5000);
  }
  // Processes that it has started end with it.
  ::kill(-child, SIGKILL);
  if (WIFSIGNALED(status)) {
    int signal = WTERMSIG(status);
    auto seconds = uint64_t(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
    if (signal == SIGXCPU ||
        (signal == SIGKILL && seconds >= limits.cpuSeconds))
      reason = "it was ended after " + std::to_string(limits.cpuSeconds) +
               " s of processor time";
    else if (signal == SIGXFSZ)
      reason = "it wrote a file of more than " +
               std::to_string(limits.fileBytes) + " bytes";
    else
      reason = "it died of signal " + std::to_string(signal);
  } else if (WEXITSTATUS(status) != 0) {
    reason = "exit status " + std::to_string(WEXITSTATUS(status));
  }
  return reason.empty() ? reason : reason + readTail(log);
}

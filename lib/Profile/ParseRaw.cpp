//===- ParseRaw.cpp - Counts decisions that were logged one by one --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A process that was killed leaves an incomplete line: the last line may be
// truncated, any other is an error.

#include "Parse.h"

#include "llvm/ADT/DenseMap.h"

#include <map>

using namespace dyn;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace {

class RawReader {
public:
  RawReader(llvm::StringRef name, ProfileProblems &problems, uint64_t windowMs)
      : name(name), problems(problems), windowMs(windowMs) {}

  llvm::Expected<RouteProfile> read(llvm::StringRef text);

private:
  /// Reads a line; false with a problem in the members.
  bool readLine(MemberReader &members);
  bool readRouter(MemberReader &members, uint64_t number);
  bool readCall(MemberReader &members, uint64_t number);

  llvm::StringRef name;
  ProfileProblems &problems;
  uint64_t windowMs;
  RouteProfile profile;
  /// Routers by their numbers in the file.
  llvm::DenseMap<uint64_t, size_t> indices;
  /// The decisions of the last call's routers.
  uint64_t lastCall = 0;
  std::map<std::string, CellDecisions> decided;
};

} // namespace

bool RawReader::readRouter(MemberReader &members, uint64_t number) {
  ProfileRouter router;
  if (!readIdentity(members, router))
    return false;
  router.windowMs = windowMs;
  if (!router.after.empty()) {
    const ProfileRouter *before = profile.find(router.after);
    if (!before)
      return members.fail("expected the router '" + router.after +
                          "' before this one");
    router.afterPaths = before->paths;
  }
  if (profile.find(router.key))
    return members.fail("router '" + router.key + "' found twice");
  if (!indices.insert({number, profile.routers.size()}).second)
    return members.fail("router " + llvm::Twine(number) + " found twice");
  profile.routers.push_back(std::move(router));
  return true;
}

bool RawReader::readCall(MemberReader &members, uint64_t number) {
  auto found = indices.find(number);
  if (found == indices.end())
    return members.fail("expected the line that names router " +
                        llvm::Twine(number) + " first");
  ProfileRouter &router = profile.routers[found->second];
  int64_t ms = 0;
  uint64_t call = 0;
  CellDecisions routes;
  const Array *chosen = nullptr;
  if (!members.read("ms", ms) || !members.read("call", call) ||
      !members.read("choices", routes.choices, kMostPaths) ||
      !(chosen = members.readArray("chosen")))
    return false;
  if (routes.choices ? chosen->size() % routes.choices : !chosen->empty())
    return members.fail("expected " + llvm::Twine(routes.choices) +
                        " choices for each cell, found " +
                        llvm::Twine(chosen->size()) + " in all");
  routes.paths.reserve(chosen->size());
  for (const Value &value : *chosen) {
    std::optional<int64_t> path = value.getAsInteger();
    if (!path || *path < -1 || *path >= router.paths)
      return members.fail("expected paths of -1 to " +
                          llvm::Twine(router.paths - 1));
    routes.paths.push_back(*path);
  }
  if (call != lastCall)
    decided.clear();
  lastCall = call;
  auto before = decided.find(router.after);
  router.count(ms, routes, before == decided.end() ? nullptr : &before->second);
  decided[router.key] = std::move(routes);
  return true;
}

bool RawReader::readLine(MemberReader &members) {
  uint64_t number = 0;
  if (!members.read("router", number, kMostRouters))
    return false;
  return members.object.get("key") ? readRouter(members, number)
                                   : readCall(members, number);
}

llvm::Expected<RouteProfile> RawReader::read(llvm::StringRef text) {
  size_t line = 0;
  while (!text.empty()) {
    auto [first, rest] = text.split('\n');
    bool isCut = rest.empty() && !text.ends_with("\n");
    text = rest;
    ++line;
    auto fail = [&](const llvm::Twine &what) {
      return makeProfileError(name + ":" + llvm::Twine(line) + ": " + what);
    };
    llvm::Expected<Value> value = parseJson(first);
    if (!value) {
      std::string message = llvm::toString(value.takeError());
      if (!isCut)
        return fail(message);
      problems.push_back(
          (name + ":" + llvm::Twine(line) + ": the last line is cut").str());
      break;
    }
    const Object *object = value->getAsObject();
    if (!object)
      return fail("expected an object");
    MemberReader members(*object);
    if (line == 1) {
      if (object->getInteger("dyn_profile_raw") != kProfileVersion)
        return fail("expected raw decisions of version " +
                    llvm::Twine(kProfileVersion));
      continue;
    }
    if (!readLine(members))
      return fail(members.problem);
  }
  return std::move(profile);
}

llvm::Expected<RouteProfile> dyn::parseRawProfile(llvm::StringRef text,
                                                  llvm::StringRef name,
                                                  ProfileProblems &problems,
                                                  uint64_t windowMs) {
  return RawReader(name, problems, windowMs).read(text);
}

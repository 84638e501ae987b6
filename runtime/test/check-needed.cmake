cmake_minimum_required(VERSION 3.25)
# Fails if FILE needs a library outside ALLOWED, or lists an undefined symbol
# where UNDEFINED is "no". Run with cmake -P.
execute_process(COMMAND readelf -d ${FILE} OUTPUT_VARIABLE dynamic
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "NEEDED[^\n]*\\[[^]]*\\]" needed "${dynamic}")
foreach(line ${needed})
  string(REGEX REPLACE ".*\\[([^.]*)\\..*" "\\1" library "${line}")
  if(NOT library IN_LIST ALLOWED)
    message(FATAL_ERROR "${FILE} needs ${library}: expected only ${ALLOWED}")
  endif()
endforeach()
if(UNDEFINED STREQUAL "no")
  execute_process(COMMAND nm -D --undefined-only ${FILE}
                  OUTPUT_VARIABLE undefined COMMAND_ERROR_IS_FATAL ANY)
  if(undefined)
    message(FATAL_ERROR "${FILE} has undefined symbols: ${undefined}")
  endif()
endif()

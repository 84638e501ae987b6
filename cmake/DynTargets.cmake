# Functions that keep the project's CMake files short.

# All MLIR code comes from the shared libraries: a static MLIR library beside
# them would be a second copy with its own type ids. Programs with the property
# DYN_STATIC, which run where no LLVM is installed, have the static ones alone.
set(is_static $<BOOL:$<TARGET_PROPERTY:DYN_STATIC>>)
add_library(dyn_llvm INTERFACE)
file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
list(FILTER archives EXCLUDE REGEX "MLIR.*Test|CAPI")
target_link_libraries(dyn_llvm INTERFACE
  $<$<NOT:${is_static}>:MLIR> $<$<NOT:${is_static}>:LLVM>
  "$<${is_static}:${archives}>")
set(DYN_LLVM_LIBS dyn_llvm)
# The same of compression: in every system's packages, but not in every system.
add_library(dyn_compression INTERFACE)
target_link_libraries(dyn_compression INTERFACE
  $<IF:${is_static},-l:libz.a,z> $<IF:${is_static},-l:libzstd.a,zstd>)

# The precompiled headers of all targets that include MLIR: dyn_pch, and dyn_codegen_pch,
# which takes twice as long to load, where code is generated. The headers of dyn's dialects
# are generated.
add_custom_target(dyn-generated)
foreach(name dyn_pch dyn_codegen_pch)
  add_library(${name} OBJECT ${CMAKE_SOURCE_DIR}/cmake/Precompiled.cpp)
  add_dependencies(${name} dyn-generated)
endforeach()
target_precompile_headers(dyn_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/Precompiled.h)
target_precompile_headers(dyn_codegen_pch PRIVATE
  ${CMAKE_SOURCE_DIR}/cmake/PrecompiledCodegen.h)

# dyn_library(NAME sources... [LINK libs...] [DEPENDS targets...] [PCH target])
function(dyn_library name)
  cmake_parse_arguments(ARG "" "PCH" "LINK;DEPENDS" ${ARGN})
  if(NOT ARG_PCH)
    set(ARG_PCH dyn_pch)
  endif()
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_precompile_headers(${name} REUSE_FROM ${ARG_PCH})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} ${DYN_LLVM_LIBS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  # Every library may include every generated header.
  add_dependencies(${name} dyn-generated)
endfunction()

# dyn_tool(NAME sources... [LINK libs...])
function(dyn_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_precompile_headers(${name} REUSE_FROM dyn_pch)
  # As the precompiled header was compiled; with CMake's -fPIE it is not used.
  target_compile_options(${name} PRIVATE -fPIC)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} ${DYN_LLVM_LIBS})
  # By which dyn-compile knows the kernels that it has compiled.
  target_link_options(${name} PRIVATE -Wl,--build-id=sha1)
  add_dependencies(${name} dyn-generated)
endfunction()

# dyn_static_tool(NAME) makes NAME-static of the objects of a tool: it runs where there
# is nothing but libc. It has LLVM's code for the targets that dyn compiles for.
function(dyn_static_tool name)
  set(others ${LLVM_TARGETS_TO_BUILD})
  list(REMOVE_ITEM others X86 NVPTX)
  string(REPLACE ";" ") X(" OTHER_TARGETS "X(${others})")
  configure_file(${CMAKE_SOURCE_DIR}/cmake/OtherTargets.cpp.in OtherTargets.cpp @ONLY)
  get_target_property(libraries ${name} LINK_LIBRARIES)
  add_executable(${name}-static EXCLUDE_FROM_ALL
    $<TARGET_OBJECTS:${name}> ${CMAKE_CURRENT_BINARY_DIR}/OtherTargets.cpp)
  set_target_properties(${name}-static PROPERTIES DYN_STATIC ON)
  target_link_libraries(${name}-static PRIVATE ${libraries})
  target_link_options(${name}-static PRIVATE -fuse-ld=lld -Wl,--build-id=sha1
    -Wl,--gc-sections -Wl,--as-needed -Wl,-O2 -s -static-libstdc++ -static-libgcc)
endfunction()

# dyn_tablegen(TD-FILE -gen-option output [...]) adds the outputs to dyn-generated.
# Calls in a directory share the variable TABLEGEN_OUTPUT, as in LLVM.
function(dyn_tablegen td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(outputs)
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest output)
    set(options)
    while(rest)
      list(GET rest 0 next)
      if(NOT next MATCHES "^-")
        break()
      endif()
      list(POP_FRONT rest)
      list(APPEND options ${next})
    endwhile()
    mlir_tablegen(${output} ${options})
    list(APPEND outputs ${CMAKE_CURRENT_BINARY_DIR}/${output})
  endwhile()
  string(MAKE_C_IDENTIFIER "${CMAKE_CURRENT_SOURCE_DIR}/${td}" id)
  add_custom_target(tblgen_${id} DEPENDS ${outputs})
  add_dependencies(dyn-generated tblgen_${id})
endfunction()

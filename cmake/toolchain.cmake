# clang 19 builds everything we run: g++ 12 destroys temporaries twice inside `co_await`
# (docs/adr/0001-compiler.md).
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  message(FATAL_ERROR "Trainyard is built with clang 19: run tools/setup, then use a preset of "
                      "CMakePresets.json (found ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION})")
endif()

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)

add_compile_options(-Wall -Wextra -Werror -Wno-missing-field-initializers -Wno-missing-designated-field-initializers)
add_compile_options(-fno-omit-frame-pointer -ffunction-sections -fdata-sections)
# The same object from any build folder: lets ccache serve every preset and clone from one cache.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=build)
add_compile_options(-Xclang -fno-pch-timestamp)

set(TY_SANITIZE "" CACHE STRING "address,undefined | thread | fuzzer-no-link,… ; empty for none")
if(TY_SANITIZE)
  add_compile_options(-fsanitize=${TY_SANITIZE} -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${TY_SANITIZE})
endif()

add_link_options(-Wl,--gc-sections)
find_program(TY_MOLD mold)
if(TY_MOLD)
  add_link_options(-fuse-ld=${TY_MOLD})
endif()

find_program(TY_CCACHE ccache)
if(TY_CCACHE)
  set(launcher ${CMAKE_SOURCE_DIR}/tools/compile)
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# The Debian packages we link, each as ty::NAME. Archives where Debian has them, so that the release
# program needs nothing but glibc on the machine it runs on (docs/adr/0003-one-static-program.md).
find_package(Threads REQUIRED)

function(ty_library name)
  cmake_parse_arguments(arg "" "" "ARCHIVES;DEFINITIONS;SYSTEM" ${ARGN})
  add_library(ty_lib_${name} INTERFACE)
  add_library(ty::${name} ALIAS ty_lib_${name})
  foreach(archive ${arg_ARCHIVES})
    find_library(TY_LIB_${archive} NAMES lib${archive}.a)
    if(NOT TY_LIB_${archive})
      message(FATAL_ERROR "lib${archive}.a is missing: run tools/setup")
    endif()
    target_link_libraries(ty_lib_${name} INTERFACE ${TY_LIB_${archive}})
  endforeach()
  target_link_libraries(ty_lib_${name} INTERFACE ${arg_SYSTEM})
  target_compile_definitions(ty_lib_${name} INTERFACE ${arg_DEFINITIONS})
endfunction()

ty_library(asio SYSTEM Threads::Threads
           DEFINITIONS BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
                       BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE)
ty_library(json ARCHIVES boost_json boost_container)
ty_library(url ARCHIVES boost_url)
ty_library(sqlite ARCHIVES sqlite3 SYSTEM m dl Threads::Threads)
ty_library(yaml ARCHIVES yaml-cpp)
ty_library(re2 ARCHIVES re2 SYSTEM Threads::Threads)
ty_library(sodium ARCHIVES sodium)
ty_library(zstd ARCHIVES zstd)
ty_library(zlib ARCHIVES z)
ty_library(crypto ARCHIVES crypto SYSTEM dl Threads::Threads)
ty_library(ssl ARCHIVES ssl crypto SYSTEM dl Threads::Threads)
ty_library(archive ARCHIVES archive nettle acl attr lzma bz2 lz4 zstd z)
ty_library(jemalloc ARCHIVES jemalloc_pic SYSTEM m dl Threads::Threads)
ty_library(gtest ARCHIVES gtest gmock gtest_main SYSTEM Threads::Threads)
ty_library(rapidcheck ARCHIVES rapidcheck)
# fmt and spdlog have no archives in Debian: base/impl/fmt.cc and rt/impl/spdlog.cc compile them once.
ty_library(fmt)
ty_library(spdlog DEFINITIONS SPDLOG_COMPILED_LIB SPDLOG_FMT_EXTERNAL)

if(NOT TY_SANITIZE)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()

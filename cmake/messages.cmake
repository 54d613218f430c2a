# Every src/MODULE/messages.toml becomes MODULE/messages.h, and all of them base/catalogue.cc, under build/gen.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(GLOB ty_message_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*/messages.toml)
set(TY_GENERATED ${CMAKE_BINARY_DIR}/gen)
set(ty_message_headers "")
foreach(file ${ty_message_files})
  cmake_path(GET file PARENT_PATH folder)
  cmake_path(GET folder FILENAME module)
  list(APPEND ty_message_headers ${TY_GENERATED}/${module}/messages.h)
endforeach()
# Files whose words did not change stay as they are: byproducts, so that Ninja compiles nothing again for them.
add_custom_command(
  OUTPUT ${TY_GENERATED}/messages.stamp
  BYPRODUCTS ${ty_message_headers} ${TY_GENERATED}/base/catalogue.cc
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gen-messages --cpp ${TY_GENERATED}
  COMMAND ${CMAKE_COMMAND} -E touch ${TY_GENERATED}/messages.stamp
  DEPENDS ${ty_message_files} ${CMAKE_SOURCE_DIR}/tools/gen-messages
  VERBATIM)
add_custom_target(ty_messages DEPENDS ${TY_GENERATED}/messages.stamp)
